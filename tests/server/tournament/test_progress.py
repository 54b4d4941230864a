"""A tournament's progress counts each match once, from whomever it hears of it first."""

from datetime import UTC, datetime

from palio_db.values import MatchRow
from palio_rules.contract.messages import Finish, Result
from palio_rules.records.record import Setup
from palio_server.ratings.elo import Score
from palio_server.tournament.progress import Progress

WON = Result("rule", "no-moves", [1.0, 0.0])


def row(name, bots=("a", "b"), status="scheduled", scores=None, game="dominoes"):
    setup = Setup(game, bots)
    return MatchRow(
        id=name, game=game, status=status, bots=bots, scores=scores, setup=setup, event="cup", tournament=1,
        round=1, created_at=datetime.now(UTC), started_at=None, finished_at=None, worker=None, epoch=0,
        termination=None, reason=None, plies=None,
    )  # fmt: skip


def test_games_are_numbered_in_the_order_of_play():
    progress = Progress(["a", "b"], [row("m1"), row("m2", ("b", "a"))])
    assert progress.start("m2") == "Started game 2 of 2 (b vs a)"
    assert progress.finish("m2", WON) == "Finished game 2 (b vs a): 1-0 {no-moves}"
    assert (progress.over, progress.done) == (1, False)


def test_a_match_is_counted_once_however_often_it_is_reported():
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


def test_a_match_that_is_dropped_is_over_and_others_may_take_its_place():
    progress = Progress(["a", "b", "c"], [row("m1"), row("m2", ("a", "c"))])
    progress.drop("m1")
    progress.extend([row("m3", ("b", "c"))])
    assert (progress.over, progress.total, progress.done) == (1, 3, False)
    assert progress.see(row("m1", status="aborted")) is False
    assert progress.start("m3") == "Started game 3 of 3 (b vs c)"
    assert progress.finish("m2", WON)
    assert progress.finish("m3", WON)
    assert progress.done


def test_matches_of_other_tournaments_are_not_ours():
    progress = Progress(["a", "b"], [row("m1")])
    assert progress.start("m9") is None
    assert progress.finish("m9", WON) is None


def test_at_a_table_all_bots_are_named():
    progress = Progress(["a", "b", "c"], [row("m1", ("b", "c", "a"), game="chexers")])
    assert progress.start("m1") == "Started game 1 of 1 (b vs c vs a)"
    won = Result("rule", "four-exits", [0.0, 1.0, 0.0])
    assert progress.finish("m1", won) == "Finished game 1 (b vs c vs a): 0-1-0 {four-exits}"
    assert progress.table.rows()[0].bot == "c"


def test_a_race_is_counted_with_its_costs_also_those_from_before_an_interruption():
    bots = ("a", "b", "c")
    before = row("m1", bots, "finished", (1.0, 0.5, 0.0), "tsp")
    progress = Progress(bots, [before, row("m2", bots, game="tsp")], {"m1": [10, 20, None]})
    assert progress.start("m2") == "Started game 2 of 2 (a, b, c)"
    ranked = Result(
        "rule", "ranked", [1.0, 0.5, 0.0], finishes=[Finish("time", "best-tour", cost) for cost in (1, 2, 3)]
    )
    assert progress.finish("m2", ranked) == "Finished game 2 (a, b, c): a 1, b 2, c 3 {ranked}"
    assert [(paid.races, paid.solved, paid.cost) for paid in progress.table.paid.values()] == [
        (2, 2, 11),
        (2, 2, 22),
        (2, 1, 3),
    ]
