"""`palio bot add --token-stdin`: an operator chooses the token, and a script may ask for it at every start."""

import io
import json
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from palio_server.cli.palio import call as palio
from palio_server.cli.source import open_store

SECRET = "swordfish-of-mine"
OTHER = "another-swordfish"
Add = Callable[..., int]


@pytest.fixture
def add(tmp_path, monkeypatch) -> Add:
    """Run `palio bot add mine --token-stdin` in an empty directory, with `token` on stdin."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALIO_DB", raising=False)

    def call(token: str | bytes, *words: str, name: str = "mine") -> int:
        piped = token if isinstance(token, bytes) else token.encode()
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(piped)))
        return palio(["bot", "add", name, "--token-stdin", *words])

    return call


def listed(capsys) -> dict:
    capsys.readouterr()
    assert palio(["bot", "list", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def bot_behind(token: str) -> str | None:
    import asyncio

    async def ask() -> str | None:
        async with open_store(None) as store:
            grant = await store.grant(token)
            return None if grant is None else grant.bot

    return asyncio.run(ask())


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_the_chosen_token_opens_and_is_printed_nowhere(add: Add, end, capsys):
    assert add(SECRET + end, "--note", "laptop") == 0
    printed = capsys.readouterr()
    assert printed.out == "mine has the given token now\n"
    assert SECRET[4:] not in json.dumps(listed(capsys))
    assert bot_behind(SECRET) == "mine"


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        ("", "the token has 0 characters; choose one of 16 to 128"),
        ("too-short-a-one", "the token has 15 characters"),
        ("x" * 129, "the token has 129 characters"),
        ("a token of several words", "a space or an unusual character"),
        (f"{SECRET}\n\n", "a space or an unusual character"),
        (f"{SECRET}\n{OTHER}", "a space or an unusual character"),
        (b"\xff" * 20, "what came on stdin is no text"),
    ],
)
def test_a_bad_token_is_one_sentence_and_registers_nobody(add: Add, token, sentence, capsys):
    assert add(token) in (1, 2)
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert len(printed.err.splitlines()) == 1
    assert SECRET not in printed.err
    assert palio(["bot", "list"]) == 2
    assert "there is no database" in capsys.readouterr().err


def test_a_script_asks_at_every_start_and_changes_nothing(add: Add, capsys):
    assert add(SECRET, "--if-absent") == 0
    first = listed(capsys)
    assert add(SECRET, "--if-absent") == 0
    assert capsys.readouterr() == ("", "")
    assert listed(capsys) == first


def test_a_bot_that_is_registered_gets_the_token_in_addition(add: Add, capsys):
    assert palio(["bot", "add", "mine"]) == 0
    issued = capsys.readouterr().out.strip()
    assert add(SECRET, "--if-absent") == 0
    assert add(OTHER) == 0
    assert [bot_behind(token) for token in (issued, SECRET, OTHER)] == ["mine"] * 3


def test_what_was_revoked_stays_revoked(add: Add, capsys):
    assert add(SECRET, "--if-absent") == 0
    assert palio(["bot", "revoke", "mine"]) == 0
    capsys.readouterr()
    assert add(SECRET, "--if-absent") == 0
    assert capsys.readouterr().err == "mine's token 1 has been revoked, and stays so\n"
    assert bot_behind(SECRET) is None
    assert add(OTHER, "--if-absent") == 0  # a new token is a new beginning, as with `palio bot add`
    assert bot_behind(OTHER) == "mine"


@pytest.mark.parametrize(
    ("name", "words", "sentence"),
    [
        ("mine", (), "this token has been issued already, as number 1; choose another one"),
        ("yours", (), "issued already, as number 1"),
        ("yours", ("--if-absent",), "issued already, as number 1"),
        ("mine", ("--if-absent", "--scope", "matches"), "token 1 is for play; revoke it and choose another one"),
    ],
)
def test_one_token_has_one_meaning(add: Add, name, words, sentence, capsys):
    assert add(SECRET) == 0
    before = listed(capsys)
    assert add(SECRET, *words, name=name) == 1
    assert sentence in capsys.readouterr().err
    assert listed(capsys) == before


def test_if_absent_needs_to_know_which_token(add: Add, capsys):
    assert palio(["bot", "add", "mine", "--if-absent"]) == 2
    assert "give it with --token-stdin" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["mine"], "mine is revoked: its tokens no longer work; its results stay\n"),
        (["--token", "1"], "token 1 no longer works\n"),
    ],
)
def test_a_revoked_token_does_not_work_any_more(add: Add, words, sentence, capsys):
    assert add(SECRET) == 0
    capsys.readouterr()
    assert palio(["bot", "revoke", *words]) == 0
    assert capsys.readouterr().out == sentence
    assert bot_behind(SECRET) is None


def page_line(name: str = "mine") -> str:
    import asyncio

    async def ask() -> str:
        async with open_store(None) as store:
            return (await store.profiles([name]))[name].about

    return asyncio.run(ask())


def test_a_line_is_set_with_the_name_and_changed_and_taken_off(add: Add, capsys):
    assert add(SECRET, "--about", "Alpha-beta,\n\x1b[1mwritten in one week.") == 0
    assert page_line() == "Alpha-beta, [1mwritten in one week."
    assert palio(["bot", "about", "mine", "two  weeks"]) == 0
    assert page_line() == "two weeks"
    assert "the page of mine says: two weeks" in capsys.readouterr().out
    assert palio(["bot", "about", "mine", ""]) == 0
    assert page_line() == ""
    assert "says nothing of it now" in capsys.readouterr().out


def test_a_line_that_cannot_be_shown_is_refused_with_the_remedy(add: Add, capsys):
    assert add(SECRET, "--about", "x" * 201) == 2
    assert "the line has 201 characters; at most 200 can be shown" in capsys.readouterr().err
    assert add(SECRET) == 0
    assert palio(["bot", "about", "mine", "x" * 201]) == 2
    assert palio(["bot", "about", "mien", "hello"]) != 0
    assert "did you mean 'mine'" in capsys.readouterr().err
