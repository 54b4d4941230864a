"""`palio bot rotate`, and tokens that end."""

import asyncio
import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from palio_db.errors import Expired
from palio_server.cli.palio import call as palio
from palio_server.cli.source import open_store


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALIO_DB", raising=False)


def said(capsys, *words, code=0):
    capsys.readouterr()
    assert palio(["bot", *words]) == code
    printed = capsys.readouterr()
    return printed.out.strip(), printed.err.strip()


def opens(token):
    async def ask():
        async with open_store(None) as store:
            try:
                return await store.grant(token) is not None
            except Expired:
                return False

    return asyncio.run(ask())


def test_a_new_token_takes_the_place_of_the_old_one_which_works_for_a_day_yet(capsys):
    old, _ = said(capsys, "add", "mine")
    new, told = said(capsys, "rotate", "mine")
    assert re.fullmatch(r"palio_\S{32}", new)
    assert re.fullmatch(r"token 1 of mine works until \d{4}-\d\d-\d\d \d\d:\d\d UTC", told)
    assert opens(old)
    assert opens(new)
    _, refused = said(capsys, "rotate", "mine", code=1)
    assert "palio bot revoke --token 1" in refused
    said(capsys, "revoke", "--token", "1")
    third, told = said(capsys, "rotate", "mine", "--overlap", "0")
    assert told == "token 2 of mine no longer works"
    assert [opens(token) for token in (old, new, third)] == [False, False, True]


def test_the_list_says_until_when(capsys):
    said(capsys, "add", "mine", "--expires", "2126-12-31")
    said(capsys, "add", "mine")
    table, _ = said(capsys, "list")
    assert "2127-01-01 00:00" in table
    assert "never" in table
    listed = json.loads(said(capsys, "list", "--json")[0])
    assert [token["expires_at"] for token in listed["tokens"]] == ["2127-01-01T00:00:00Z", None]


def test_a_rotated_token_may_end_at_another_moment(capsys):
    said(capsys, "add", "mine", "--expires", "30d")
    said(capsys, "rotate", "mine", "--expires", "never", "--overlap", "1h")
    first, second = json.loads(said(capsys, "list", "--json")[0])["tokens"]
    assert second["expires_at"] is None
    assert datetime.fromisoformat(first["expires_at"]) < datetime.now(UTC) + timedelta(hours=2)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["add", "mine", "--expires", "soon"], "'soon' is no moment"),
        (["add", "mine", "--expires", "2020-01-01"], "is over"),
        (["rotate", "mine", "--overlap", "long"], "'long' is no span of time"),
    ],
)
def test_what_is_no_moment_registers_nobody(words, sentence, capsys):
    _, refused = said(capsys, *words, code=2)
    assert sentence in refused
    assert said(capsys, "list", code=2)[1].startswith("palio: there is no database")
