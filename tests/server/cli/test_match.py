"""`palio match`: what it shows of matches that were played."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from palio_rules.contract.messages import Finish, Result
from palio_rules.records.record import Ply, Record, Setup
from palio_rules.records.text import record_from_text
from palio_server.cli.match import _listed, first_entrants, first_places, replay_match
from palio_server.cli.palio import call
from palio_server.cli.source import Listed, open_store


async def test_a_race_is_replayed_board_by_board_with_its_standings(capsys):
    park = Setup("rush_hour", ("ada", "bob"), options={"board": "b.../b.../aa.c/.d.."})
    plies = (Ply(0, ["a", 1], 5), Ply(1, ["c", 1], 5), Ply(0, ["c", -1], 5))
    finishes = [Finish("rule", "solved", 2.0), Finish("rule", "solved", 1.0)]
    then = datetime(2025, 7, 2, tzinfo=UTC)
    record = Record("r1", park, plies, Result("rule", "ranked", [0.0, 1.0], finishes=finishes), then, then)
    await replay_match(record, 0)
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line[:2] in ("1.", "2.", "3.")] == [
        "1. ada a+1",
        "2. bob c+1",
        "3. ada c-1",
    ]
    assert printed.count("#  bot") == 4
    assert printed.splitlines()[-1] == "ada, bob: bob 1, ada 2 {ranked}"


PARK = Setup("rush_hour", ("ann", "bob"), {"board": "b.../b.../aa.c/.d.."})
ENDS = [Finish("rule", "solved", 1.0), Finish("resigned", "resigned", None)]
SOLVED = (Ply(0, ["c", 1], 5), Ply(1, None, 0, None, "resigned"))
THEN = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture
def played(tmp_path, monkeypatch) -> list[str]:
    """The identities of three finished matches in ./palio.db, oldest first."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALIO_DB", raising=False)
    monkeypatch.delenv("PALIO_URL", raising=False)

    async def play() -> list[str]:
        found = []
        async with open_store(None, must_exist=False) as store:
            for _ in range(3):
                await store.schedule(PARK)
                claim = await store.claim("worker", 30, free={"rush_hour": PARK.bots})
                result = Result("rule", "ranked", [1.0, 0.0], finishes=ENDS)
                await store.finish(claim, Record(claim.match, PARK, SOLVED, result, THEN, THEN))
                found.append(claim.match)
        return found

    return asyncio.run(play())


def test_matches_are_listed_the_newest_first(played, capsys):
    assert call(["match", "list", "--limit", "2"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["match", "game", "bots", "result", "how", "plies", "event"]
    assert [line.split()[0] for line in lines] == played[:0:-1]
    assert "1. ann 2. bob" in lines[0]
    assert call(["match", "list", "--game", "dominoes"]) == 0
    assert capsys.readouterr().out == "no such match in sqlite:///palio.db\n"


@pytest.mark.parametrize(
    ("termination", "reason", "detail", "how"),
    [
        ("rule", "score", "Black wins by 3.5 points", "Black wins by 3.5 points"),
        ("rule", "score", None, "score"),
        ("time", "flag-fell", None, "time: flag-fell"),
        (None, "it rains", None, "it rains"),
        (None, None, None, ""),
    ],
)
def test_a_list_says_how_a_match_ended(termination, reason, detail, how):
    ended = Listed("m1", "go", "finished", ("ann", "bob"), (1.0, 0.0), termination, reason, detail, 9)
    assert _listed(ended) == ["m1", "go", "ann vs bob", "1-0", how, "9", ""]


def test_a_match_is_shown_from_its_introduction_to_its_result(played, capsys):
    assert call(["match", "show", played[0]]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == f"{played[0]}: Rush Hour, ann, bob, inf"
    assert shown[-1] == "ann, bob: ann 1, bob - {ranked}"
    assert call(["match", "show", "nothing"]) == 1
    assert "there is no match 'nothing' in sqlite:///palio.db" in capsys.readouterr().err


def test_all_finished_matches_are_exported_the_oldest_first(played, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("palio_server.cli.match.PAGE", 2)
    assert call(["match", "export", "--format", "json"]) == 0
    assert [json.loads(line)["match"] for line in capsys.readouterr().out.splitlines()] == played
    assert call(["match", "export", "-o", "games.txt", played[1]]) == 0
    assert capsys.readouterr() == ("", "1 records are in games.txt\n")
    assert record_from_text((tmp_path / "games.txt").read_text()).match == played[1]


def test_an_export_of_nothing_is_refused(played, capsys):
    assert call(["match", "export", "--game", "dominoes"]) == 2
    assert "no finished match in sqlite:///palio.db fits; `palio match list` shows" in capsys.readouterr().err


def test_lists_name_the_first_of_a_race():
    bots = ["ann", "bob", "cid", "dan"]
    assert first_entrants(bots) == "ann, bob, cid and 1 more"
    assert first_places(bots, [0.5, 1.0, 0.5, 0.0]) == "1. bob 2. ann 2. cid"
