"""A tournament's progress counts each match once, from whomever it hears of it first."""

from datetime import UTC, datetime

from palio_db.values import MatchRow
from palio_rules.messages import Result
from palio_rules.record import Setup
from palio_server.tournament.elo import Score
from palio_server.tournament.progress import Progress

WON = Result("rule", "no-moves", [1.0, 0.0])


def row(name, bots=("a", "b"), status="scheduled", scores=None):
    setup = Setup("dominoes", bots)
    return MatchRow(
        id=name, game="dominoes", status=status, bots=bots, scores=scores, setup=setup, event="cup", tournament=1,
        round=1, created_at=datetime.now(UTC), started_at=None, finished_at=None, worker=None, epoch=0,
        termination=None, reason=None, plies=None,
    )  # fmt: skip


def test_games_are_numbered_in_the_order_of_play():
    progress = Progress(["a", "b"], [row("m1"), row("m2", ("b", "a"))])
    assert progress.start("m2") == "Started game 2 of 2 (b vs a)"
    assert progress.finish("m2", WON) == "Finished game 2 (b vs a): 1-0 {no-moves}"
    assert (progress.over, progress.done) == (1, False)


def test_a_match_is_counted_once_however_often_it_is_told_of():
    progress = Progress(["a", "b"], [row("m1")])
    assert progress.start("m1")
    assert progress.start("m1") is None
    assert progress.finish("m1", WON)
    assert progress.finish("m1", WON) is None
    assert progress.see(row("m1", status="finished", scores=(1.0, 0.0))) is False
    assert progress.table.score("a", "b") == Score(1, 0, 0)
    assert progress.done


def test_what_was_played_before_an_interruption_counts():
    progress = Progress(["a", "b"], [row("m1", status="finished", scores=(0.5, 0.5)), row("m2")])
    assert progress.over == 1
    assert progress.table.score("a", "b") == Score(0, 0, 1)


def test_an_aborted_match_is_over_without_a_score():
    progress = Progress(["a", "b"], [row("m1")])
    assert progress.see(row("m1", status="aborted"))
    assert progress.done
    assert progress.table.pairs() == []


def test_matches_of_other_tournaments_are_not_ours():
    progress = Progress(["a", "b"], [row("m1")])
    assert progress.start("m9") is None
    assert progress.finish("m9", WON) is None
