"""`palio leaderboard`: from a database, for people and for programs."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from palio_rules.contract.messages import Info, Result
from palio_rules.records.record import Ply, Record, Setup
from palio_server.cli.palio import call
from palio_server.cli.source import open_store

THEN = datetime(2026, 11, 20, tzinfo=UTC)


@pytest.fixture(autouse=True)
def played(tmp_path, monkeypatch):
    """Two games in ./palio.db, both won by ann."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALIO_DB", raising=False)
    monkeypatch.delenv("PALIO_URL", raising=False)

    record_games((("ann", "bob"), [1.0, 0.0]), (("bob", "ann"), [0.0, 1.0]))


def record_games(*results, options=None):
    async def play():
        async with open_store(None, must_exist=False) as store:
            for bots, scores in results:
                await store.schedule(Setup("dominoes", bots, options or {}))
                claim = await store.claim("worker", 30, free={"dominoes": bots})
                result = Result("rule", "no-moves", scores)
                await store.finish(claim, Record(claim.match, claim.setup, (), result, THEN, THEN))

    asyncio.run(play())


def test_the_best_comes_first_with_its_form(capsys):
    assert call(["leaderboard"]) == 0
    _, title, head, first, second, note = capsys.readouterr().out.splitlines()
    assert (title, head.split()[:3]) == ("Dominoes", ["#", "bot", "rating"])
    assert first.split()[:2] == ["-", "ann"]  # ratings are not computed yet
    assert first.endswith("WW")
    assert second.split()[:2] == ["-", "bob"]
    assert note == "? provisional: too few games for a rank; listed after the others"


def test_the_first_move_is_told_when_its_error_is_small_enough_to_mean_something(capsys):
    assert call(["leaderboard"]) == 0
    assert "to move first" not in capsys.readouterr().out
    results = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]] * 10
    record_games(*[(bots, scores) for bots in (("ann", "bob"), ("bob", "ann")) for scores in results])
    assert call(["leaderboard"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("to move first is worth ")]
    assert line.endswith(", by the last 62 games")


def test_what_a_language_model_costs_has_columns_where_one_has_played(capsys):
    assert call(["leaderboard"]) == 0
    assert "$ a game" not in capsys.readouterr().out

    async def play():
        async with open_store(None, must_exist=True) as store:
            await store.schedule(Setup("dominoes", ("ann", "bob")))
            claim = await store.claim("worker", 30, free={"dominoes": ("ann", "bob")})
            told = Info(tokens_in=900, tokens_out=30, cost=0.006, latency_ms=1500)
            plies = (Ply(0, [0, 0], 5, told),)
            await store.finish(
                claim, Record(claim.match, claim.setup, plies, Result("rule", "x", [0.0, 1.0]), THEN, THEN)
            )

    asyncio.run(play())
    assert call(["leaderboard"]) == 0
    _, _, head, first, second, *_ = capsys.readouterr().out.splitlines()
    assert head.split()[-8:] == ["tokens", "in", "out", "$", "a", "game", "answer", "ms"]
    assert first.split()[-5:] == ["WWL", "900", "30", "0.002", "1500"]
    assert second.split()[-1] == "LLW"


def test_every_two_bots_may_be_compared(capsys):
    assert call(["leaderboard", "--game", "dominoes", "--head-to-head"]) == 0
    shown = capsys.readouterr().out.splitlines()
    start = shown.index("Head to head")
    assert [line.split() for line in shown[start + 1 : start + 3]] == [
        ["bot", "against", "won", "drawn", "lost", "score", "stronger"],
        ["ann", "bob", "2", "0", "0", "1.000", shown[start + 2].split()[-2], "%"],
    ]


def test_the_chance_of_being_stronger_stands_beside_the_score(capsys):
    assert call(["leaderboard", "--game", "dominoes", "--head-to-head"]) == 0
    shown = capsys.readouterr().out.splitlines()
    chance = float(shown[shown.index("Head to head") + 2].split()[-2])
    assert 80 < chance < 99  # two wins are not much
    assert shown[-2].startswith("stronger: ")


def test_for_programs_one_game_is_an_object_and_all_are_a_list(capsys, monkeypatch):
    monkeypatch.setattr("palio_server.cli.source.server_hint", None)  # it is not asked for
    assert call(["leaderboard", "--json"]) == 0
    boards = json.loads(capsys.readouterr().out)
    assert [board["game"] for board in boards] == ["dominoes"]
    assert call(["leaderboard", "--json", "--game", "dominoes"]) == 0
    assert json.loads(capsys.readouterr().out) == boards[0]


def test_old_results_may_fade(capsys):
    def board(*words):
        assert call(["leaderboard", "--game", "dominoes", "--json", *words]) == 0
        return json.loads(capsys.readouterr().out)["leaders"]

    ann, bob = board("--half-life", "0.001")  # two won games of days ago are forgotten
    assert ann["rating"] == pytest.approx(bob["rating"], abs=1)
    assert (ann["games"], ann["wins"]) == (2, 2), "what was played is told as it was"
    ann, bob = board("--half-life", "100000")
    assert ann["rating"] > bob["rating"] + 100
    assert call(["leaderboard", "--half-life", "30"]) == 0
    assert "a result of 30 days ago counts half" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words", [["--half-life", "0"], ["--half-life", "nan"], ["--half-life", "30", "--history", "ann"]]
)
def test_a_half_life_without_sense_is_refused(words, capsys):
    assert call(["leaderboard", "--game", "dominoes", *words]) == 2
    assert "half-life" in capsys.readouterr().err


def test_a_game_that_was_not_played_has_no_leaderboard(capsys):
    assert call(["leaderboard", "--game", "chexers"]) == 2
    assert "no match of chexers is finished in sqlite:///palio.db; play some" in capsys.readouterr().err


def test_the_history_of_a_bot_is_shown_game_by_game(capsys):
    assert call(["leaderboard", "--game", "dominoes", "--history", "ann"]) == 0
    _, title, head, *points = capsys.readouterr().out.splitlines()
    assert (title, head.split()) == ("ann in Dominoes", ["at", "(UTC)", "rating", "+/-"])
    assert [line.split()[0] for line in points] == [f"{THEN:%Y-%m-%d}"] * 2
    assert float(points[0].split()[2]) < float(points[1].split()[2]), "two wins say more than one"


def test_a_history_needs_a_game_and_somebody_who_has_played(capsys):
    assert call(["leaderboard", "--history", "ann"]) != 0
    assert "--game breakthrough" in capsys.readouterr().err
    assert call(["leaderboard", "--game", "dominoes", "--history", "eve"]) != 0
    assert "eve has finished no match of dominoes" in capsys.readouterr().err


def test_the_first_line_says_where_the_figures_come_from(capsys, monkeypatch):
    async def hint():
        return "a server is running"

    assert call(["leaderboard", "--db", "palio.db"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "From the database sqlite:///palio.db"
    monkeypatch.setattr("palio_server.cli.source.server_hint", hint)
    for words in ([], ["--game", "dominoes", "--history", "ann"]):
        assert call(["leaderboard", *words]) == 0
        first = capsys.readouterr().out.splitlines()[0]
        assert first == "From the database sqlite:///palio.db; a server is running"
    assert call(["leaderboard", "--game", "chexers"]) == 2
    assert capsys.readouterr().err.endswith("`palio run`; a server is running\n")


def test_a_board_with_other_settings_follows_its_game_and_is_shown_alone_by_its_name(capsys):
    record_games((("bob", "ann"), [1.0, 0.0]), options={"rows": 6, "cols": 6})
    assert call(["leaderboard"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line for line in shown if line.startswith("Dominoes")] == ["Dominoes", "Dominoes, rows 6, cols 6"]
    assert call(["leaderboard", "--game", "dominoes:cols=6,rows=6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["game"], [leader["wins"] for leader in found["leaders"]]) == ("dominoes:rows=6,cols=6", [0, 1])
    assert call(["leaderboard", "--game", "dominoes:lines=6"]) == 2
    assert "the ratings of dominoes are by rows, cols, not by 'lines'" in capsys.readouterr().err
