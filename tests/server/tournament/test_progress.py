"""The progress of an event counts each game once, from the first report of it."""

from dataclasses import replace

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_rules.contract.messages import Finish, Result
from palio_server.ratings.elo import Score
from palio_server.tournament.event import Event
from palio_server.tournament.format import format_of
from palio_server.tournament.progress import Progress

WON = Result("rule", "no-moves", [1.0, 0.0])


def match(game, bots=("a", "b"), status="scheduled", scores=None, encounter=1, costs=None):
    return EventMatch(f"m{game}", encounter, game, bots, status, scores, costs=costs)


def event_of(*matches, bots=("a", "b"), game="dominoes", games=2):
    event = Event(game, [Entry(bot, number) for number, bot in enumerate(bots, 1)])
    event.add(EncounterRow(1, Plan(1, 1, tuple(bots), games)))
    for each in matches:
        event.note(each)
    return event


def progress_of(*matches, **given):
    return Progress(event_of(*matches, **given), format_of("round_robin"))


def test_games_are_numbered_in_the_order_of_planning():
    progress = progress_of()
    second = match(1, ("b", "a"))
    assert progress.start(second) == "Started game 2 of 2 (b vs a)"
    assert progress.finish(replace(second, status="finished", scores=(1.0, 0.0)), WON) == (
        "Finished game 2 (b vs a): 1-0 {no-moves}"
    )
    assert (progress.over, progress.total) == (1, 2)


def test_a_game_is_counted_once_however_often_it_is_reported():
    progress = progress_of()
    done = match(0, status="finished", scores=(1.0, 0.0))
    assert progress.start(done) is not None
    assert progress.start(done) is None
    assert progress.finish(done, WON) is not None
    assert progress.finish(done, WON) is None
    assert progress.aborted(done, "stopped") is None
    assert progress.table.score("a", "b") == Score(wins=1)


def test_what_was_played_before_an_interruption_counts():
    progress = progress_of(match(0, status="finished", scores=(0.5, 0.5)), match(1, ("b", "a"), "running"))
    assert progress.over == 1
    assert progress.table.score("a", "b") == Score(draws=1)


def test_an_aborted_game_is_over_without_a_score():
    progress = progress_of()
    assert progress.aborted(match(0, status="aborted"), "stopped") == "Aborted game 1 (a vs b): stopped"
    assert progress.over == 1
    assert progress.table.score("a", "b") == Score()


def test_at_a_table_all_bots_are_named():
    progress = progress_of(bots=("a", "b", "c"), game="chexers", games=6)
    assert progress.start(match(2, ("b", "c", "a"))) == "Started game 3 of 6 (b vs c vs a)"


def test_a_race_is_counted_with_its_costs_also_those_from_before_an_interruption():
    before = match(0, ("a", "b"), "finished", (1.0, 0.0), costs=(12.0, None))
    progress = progress_of(before, game="rush_hour", games=1)
    assert progress.race
    assert progress.table.paid["a"].mean == 12.0
    result = Result(
        "rule", "ranked", [0.0, 1.0], finishes=[Finish("rule", "solved", 9.0), Finish("rule", "solved", 8.0)]
    )
    event = progress.event
    event.add(EncounterRow(2, Plan(2, 1, ("a", "b"), 1)))
    done = EventMatch("m9", 2, 0, ("a", "b"), "finished", (0.0, 1.0), costs=(9.0, 8.0))
    assert progress.finish(done, result) == "Finished game 2 (a, b): b 8, a 9 {ranked}"
    assert progress.table.paid["a"].cost == 21.0
