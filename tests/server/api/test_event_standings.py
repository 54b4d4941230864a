"""Lines of the standings: rounds, opponents, costs, ratings."""

import pytest

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_server.api.event_views import crosstable, first_move_advantage, items, ranked_by_points, rated
from palio_server.tournament.event import Event


def event_of(game, bots, *encounters):
    """`encounters`: a plan and the scores of its games, which are played in both orders; None: still in play."""
    event, matches = Event(game, [Entry(bot, number) for number, bot in enumerate(bots, 1)]), 0
    for number, (plan, scores) in enumerate(encounters, 1):
        event.add(EncounterRow(number, plan))
        for place, score in enumerate(scores):
            matches += 1
            seats = plan.bots if place % 2 == 0 else plan.bots[::-1]
            status = "running" if score is None else "finished"
            event.note(EventMatch(f"m{matches}", number, place, seats, status, score))
    return event


def pair(round_, board, *bots, games=2):
    return Plan(round_, board, bots, games)


def lines_of(event, scoring="games"):
    return {line.bot: line for line in items(event, scoring, ranked_by_points(event))}


def test_several_games_of_a_round_are_one_cell():
    event = event_of(
        "breakthrough",
        ["ann", "bob"],
        (pair(1, 1, "ann", "bob"), [(1.0, 0.0), (0.0, 1.0)]),
        (pair(2, 1, "bob", "ann", games=1), [(1.0, 0.0)]),
        (pair(3, 1, "ann", "bob"), [(1.0, 0.0), None]),
    )
    rounds = lines_of(event)["ann"].rounds
    assert [(cell.round, cell.how, cell.points, cell.opponents, cell.colour) for cell in rounds] == [
        (1, "played", 2.0, ["bob"], ""),  # once with each colour
        (2, "played", 0.0, ["bob"], "black"),
        (3, "", None, ["bob"], ""),
    ]
    assert [cell.points for cell in lines_of(event, "encounters")["ann"].rounds] == [1.0, 0.0, None]


def test_byes_are_cells_without_opponents():
    event = event_of("breakthrough", ["ann"], (Plan(1, 1, ("ann",), 0, kind="half-bye"), []))
    [cell] = lines_of(event)["ann"].rounds
    assert (cell.how, cell.points, cell.opponents) == ("half-bye", 0.5, [])


def test_a_table_of_three_has_two_opponents():
    event = event_of("chexers", ["a", "b", "c"], (Plan(1, 1, ("a", "b", "c"), 1), [(1.0, 0.0, 0.0)]))
    [cell] = lines_of(event)["b"].rounds
    assert (cell.opponents, cell.colour) == (["a", "c"], "")
    assert lines_of(event)["b"].against["c"].draws == 1


def test_ratings_leave_out_what_was_never_fought():
    event = event_of("breakthrough", ["ann", "bob"], (pair(1, 1, "ann", "bob"), [(1.0, 0.0), None]))
    assert rated(event)["ann"].rating > rated(event)["bob"].rating
    event.note(EventMatch("m1", 1, 0, ("ann", "bob"), "finished", (1.0, 0.0), fought=False))
    assert rated(event) == {}
    assert lines_of(event)["ann"].against["bob"].wins == 1


def test_a_performance_is_the_opponents_mean_where_the_score_is_even():
    event = event_of(
        "breakthrough",
        ["ann", "bob", "cid"],
        (pair(1, 1, "ann", "bob"), [(1.0, 0.0), (1.0, 0.0)]),
        (pair(2, 1, "bob", "cid"), [(1.0, 0.0), (0.0, 1.0)]),
    )
    lines = lines_of(event)
    assert lines["ann"].performance == pytest.approx(lines["bob"].rating)
    assert lines["cid"].performance is None, "who has lost everything has no performance that a number could tell"


def test_the_first_move_is_worth_what_first_seats_have_made():
    games = [(1.0, 0.0)] * 30 + [(0.0, 1.0)] * 10  # each of the two has lost a quarter with the first seat
    won = event_of("breakthrough", ["ann", "bob"], (pair(1, 1, "ann", "bob", games=40), games))
    assert first_move_advantage(won) == pytest.approx(190.8, abs=25)  # 400 log10(0.75 / 0.25), but for the prior
    games = [(1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0)] * 10
    even = event_of("breakthrough", ["ann", "bob"], (pair(1, 1, "ann", "bob", games=40), games))
    assert first_move_advantage(even) == pytest.approx(0, abs=1e-6)


def test_the_first_move_has_no_worth_while_it_is_uncertain_or_nobody_has_one():
    few = event_of("breakthrough", ["ann", "bob"], (pair(1, 1, "ann", "bob"), [(1.0, 0.0), (0.0, 1.0)]))
    assert first_move_advantage(few) is None
    for nobody in (event_of("breakthrough", ["ann", "bob"]), event_of("chexers_solo", ["ann"])):
        assert first_move_advantage(nobody) is None


def test_a_race_has_costs_also_where_nobody_has_solved_it():
    event = Event("chexers_solo", [Entry("ann", 1), Entry("bob", 2)])
    for number, costs in enumerate([(4.0, 5.0), None], 1):
        event.add(EncounterRow(number, Plan(number, 1, ("ann", "bob"), 1)))
        scores = (1.0, 0.0) if costs else (0.5, 0.5)
        event.note(EventMatch(f"m{number}", number, 0, ("ann", "bob"), "finished", scores, costs=costs))
    assert crosstable(event).paid["bob"].races == 2
    paid = lines_of(event)["bob"].costs
    assert (paid.races, paid.solved, paid.mean, paid.over_best) == (2, 1, 5.0, 0.25)


def test_equal_points_share_a_rank():
    event = event_of("breakthrough", ["ann", "bob", "cid"], (pair(1, 1, "ann", "bob", games=1), [(0.5, 0.5)]))
    assert [(line.rank, line.bot) for line in ranked_by_points(event)] == [(1, "ann"), (1, "bob"), (3, "cid")]
