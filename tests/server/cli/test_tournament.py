"""`palio tournament`: its reading from a database, and its refusals before any request."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from palio_db.event_values import EncounterRow, Entry, Plan, TournamentDraft
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.cli.palio import call
from palio_server.cli.source import open_store

THEN = datetime(2026, 11, 22, tzinfo=UTC)
SMALL = {"rows": 5, "cols": 3}


@pytest.fixture
def cup(tmp_path, monkeypatch) -> int:
    """A finished round robin of two in ./palio.db: ann has won both games."""
    monkeypatch.chdir(tmp_path)

    async def play() -> int:
        async with open_store(None, must_exist=False) as store:
            entries = (Entry("ann", 1), Entry("bob", 2))
            draft = TournamentDraft("cup", "breakthrough", "round_robin", {}, {}, entries, stage="running")
            number = await store.create_event(draft)
            setups = [Setup("breakthrough", bots, SMALL) for bots in (("ann", "bob"), ("bob", "ann"))]
            planned = [EncounterRow(1, Plan(1, 1, ("ann", "bob"), 2))]
            await store.plan(number, planned, [(1, game, setup) for game, setup in enumerate(setups)], "cup")
            for _ in setups:
                claim = await store.claim("worker", 30, free={"breakthrough": ("ann", "bob")})
                scores = [1.0, 0.0] if claim.setup.bots[0] == "ann" else [0.0, 1.0]
                rules, state = claim.setup.rules(), claim.setup.start()
                plies = (Ply(0, rules.move_to_wire(next(iter(state.legal_moves()))), 5),)
                result = Result("resigned", "resigned", scores, seat=scores.index(0.0))
                await store.finish(claim, Record(claim.match, claim.setup, plies, result, THEN, THEN))
            await store.set_stage(number, "finished", only_from=("running",))
        return number

    return asyncio.run(play())


def test_tournaments_are_listed_from_the_database(cup, capsys):
    assert call(["tournament", "list"]) == 0
    _, line = capsys.readouterr().out.splitlines()
    assert line.split()[:5] == ["1", "cup", "breakthrough", "round_robin", "finished"]
    assert line.split()[-2:] == ["2/2", "ann"]
    assert call(["tournament", "list", "--stage", "open"]) == 0
    assert capsys.readouterr().out == "no such tournament in sqlite:///palio.db\n"


def test_one_is_shown_with_its_standings_and_rounds(cup, capsys):
    assert call(["tournament", "show", "1", "--rounds"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Tournament 1: cup (breakthrough, Round robin)\nfinished, round 1 of 1, 2 of 2 games")
    assert "ann (0) - bob (0)" in shown
    assert call(["tournament", "show", "1", "--rounds", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert [line["bot"] for line in value["standings"]] == ["ann", "bob"]
    assert value["pairings"][0]["encounters"][0]["points"] == [2.0, 0.0]


def test_what_is_not_there_is_named(cup, capsys):
    for number in ("7", str(2**40)):
        assert call(["tournament", "show", number]) == 1
        assert f"there is no tournament {number} in sqlite:///palio.db" in capsys.readouterr().err
    assert call(["tournament", "why", "1", "2", "1"]) == 2
    assert "tournament 1 has no board 1 in round 2; there are 1 rounds so far" in capsys.readouterr().err
    assert call(["tournament", "why", "1", "1", "9"]) == 2
    assert "there are boards 1 to 1" in capsys.readouterr().err


def test_why_says_in_words_why_these_meet(cup, capsys):
    assert call(["tournament", "why", "1", "1", "1"]) == 0
    shown = capsys.readouterr().out
    assert "ann" in shown
    assert "bob" in shown


def test_a_file_is_written_as_its_name_says(cup, tmp_path, capsys):
    for name, begins in (
        ("a.csv", "rank,bot,points"),
        ("a.md", "| "),
        ("a.trf", "012 cup"),
        ("a.json", "{"),
        ("a.txt", "["),
    ):
        assert call(["tournament", "export", "1", name]) == 0
        assert (tmp_path / name).read_text().startswith(begins)
        assert capsys.readouterr().err == f"tournament 1 is in {name}\n"
    assert call(["tournament", "export", "1", "-", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("1,ann,2,2,2,0,0")
    assert call(["tournament", "export", "1", "a.pdf"]) == 2
    assert "'a.pdf' does not say what to write; end it in .json, .csv" in capsys.readouterr().err


def test_an_export_of_games_says_on_stderr_which_archived_ones_are_not_in_it(cup, tmp_path, capsys):
    assert call(["archive", "--tournament", "1", "-o", "old.parquet"]) == 0
    for name, form in (("a.txt", []), ("-", ["--format", "text"])):
        capsys.readouterr()
        assert call(["tournament", "export", "1", name, *form]) == 0
        shown = capsys.readouterr()
        said = "2 archived matches are left out: 2 in old.parquet; palio import old.parquet brings them back"
        assert shown.err.splitlines()[0] == f"palio: {said}"
        assert (shown.out if name == "-" else (tmp_path / name).read_text()).splitlines()[0] == f"% {said}"
    capsys.readouterr()
    assert call(["tournament", "export", "1", "a.csv"]) == 0  # standings have all games
    assert "left out" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["create", "breakthru"], "breakthrough"),
        (["create", "breakthrough", "ann=strong"], "'strong' is no rating; write ann=1650"),
        (["create", "breakthrough", "--tc", "soon"], "is no time control"),
        (["create", "breakthrough", "--admits", "all"], "admits"),
        (["create", "breakthrough", "-o", "rows"], "write --option KEY=VALUE"),
        (["extend", "3"], "rounds"),
        (["strat", "3"], "start"),
        (["start", "three"], "valid integer"),
    ],
)
def test_a_mistake_is_one_sentence_before_anybody_is_asked(words, sentence, capsys):
    assert call(["tournament", *words, *([] if words[0] == "strat" else ["--url", "http://127.0.0.1:9"])]) == 2
    printed = capsys.readouterr().err
    assert sentence in printed
    assert len(printed.splitlines()) == 1


def test_without_a_server_there_is_a_remedy(capsys):
    assert call(["tournament", "start", "3", "--url", "http://127.0.0.1:9"]) == 1
    assert "start one with `palio serve`" in capsys.readouterr().err
