"""`palio bot void`, `rename`, `forget`, and `palio ban`, on a database."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.cli.palio import call
from palio_server.cli.source import open_store

NIM = Setup("nim", ("ann", "bob"))
THEN = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def played(tmp_path, monkeypatch) -> list[str]:
    """The identities of three finished matches in ./palio.db, oldest first; the last one from 203.0.113.7."""
    monkeypatch.chdir(tmp_path)
    for name in ("PALIO_DB", "PALIO_URL"):
        monkeypatch.delenv(name, raising=False)

    async def play() -> list[str]:
        found = []
        async with open_store(None, must_exist=False) as store:
            await store.add_bot("ann", "eve")
            for address in ("", "", "203.0.113.7"):
                await store.schedule(NIM)
                claim = await store.claim("worker", 30)
                record = Record(claim.match, NIM, (Ply(0, [1, 1], 5),), Result("rule", "x", [1.0, 0.0]), THEN, THEN)
                await store.finish(claim, record, (address, ""))
                found.append(claim.match)
        return found

    return asyncio.run(play())


def ratings() -> dict[str, tuple[float, int]]:
    async def read() -> dict[str, tuple[float, int]]:
        async with open_store(None) as store:
            return {line.bot: (line.rating, line.games) for line in (await store.leaderboard("nim")).leaders}

    return asyncio.run(read())


def test_it_says_how_many_matches_there_are_and_asks(played, capsys, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr("click.confirm", asked.append)
    assert call(["bot", "void", "ann", "--reason", "help"]) == 2
    assert asked == ["let 3 matches count for nothing?"]
    assert "nothing was changed" in capsys.readouterr().err
    assert ratings()["ann"][1] == 3
    assert call(["bot", "void", "--address", "203.0.113.0/24", "--reason", "help", "--yes"]) == 0
    assert capsys.readouterr().out == "1 matches no longer count\n"
    assert call(["bot", "void", "ann", "--since", "2026-11-21", "--reason", "help", "--yes"]) == 0
    assert capsys.readouterr().out == "0 matches no longer count\n"
    rating, games = ratings()["ann"]
    assert (rating > 1500, games) == (True, 2)  # rated at once, without a server
    assert call(["bot", "void", "ann", "--undo", "--reason", "help", "--yes"]) == 0
    assert call(["match", "void", played[0], "--undo"]) == 0
    assert capsys.readouterr().out == f"1 matches count again\nmatch {played[0]} was not void; it counts\n"
    assert ratings()["ann"][1] == 3


def test_a_bot_is_renamed_and_forgotten(played, capsys):
    assert call(["bot", "rename", "ann", "zoe"]) == 0
    assert call(["match", "list"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("ann is called zoe now\n")
    assert printed.err == "3 matches have the new name\n"
    assert printed.out.count("zoe vs bob") == 3
    assert ratings()["zoe"][0] > 1500
    assert call(["bot", "forget", "--owner", "eve", "--yes"]) == 0
    said = capsys.readouterr().out
    pseudonym = said.split()[-1]
    assert said.startswith("all bots of eve: forgotten; results stay under forgotten-")
    assert set(ratings()) == {pseudonym, "bob"}


def test_bans_are_listed_with_reason_and_end(played, capsys):
    assert call(["ban", "add", "--owner", "eve", "--reason", "help", "--until", "2099-12-31"]) == 0
    assert capsys.readouterr().out == "ban 1: owner eve, until 2100-01-01 00:00 UTC\n"
    assert call(["ban", "list", "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)
    assert (found["id"], found["kind"], found["value"], found["reason"]) == (1, "owner", "eve", "help")
    assert call(["ban", "remove", "1"]) == 0
    assert call(["ban", "list"]) == 0
    assert capsys.readouterr().out == "owner eve is no longer banned\nnothing is banned\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["bot", "void", "ann"], "--reason is missing"),
        (["bot", "void", "--reason", "x"], "name a bot, or give --address"),
        (["bot", "void", "anne", "--reason", "x"], "did you mean 'ann'?"),
        (["bot", "forget"], "name a bot, or give --owner"),
        (["bot", "rename", "ann", "bob"], "there is, or was, a bot called 'bob' already"),
        (["ban", "add", "--reason", "x"], "give one of --address, --owner and --bot"),
        (["ban", "add", "--address", "here", "--reason", "x"], "'here' is no address and no network"),
        (["ban", "remove", "7"], "there is no ban 7; palio ban list shows their numbers"),
        (["match", "void", "ID"], "--reason is missing"),
    ],
)
def test_what_is_wrong_is_said_with_the_remedy(played, capsys, words, sentence):
    assert call(words) != 0
    assert sentence in capsys.readouterr().err
