"""The cross-table counts every game once for each seat, pairs by rank, and orders by points, Sonneborn-Berger, wins."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan
from palio_rules.records.boards import shares
from palio_server.cli.printing import columns
from palio_server.ratings.elo import Score
from palio_server.tournament.crosstable import Crosstable, Paid, Total, crosstable_of, grid
from palio_server.tournament.event import Event
from palio_server.tournament.standing import Standing

BOTS = ["a", "b", "c", "d"]
games = st.lists(
    st.tuples(st.permutations(BOTS).map(lambda order: order[:2]), st.sampled_from([(1, 0), (0, 1), (0.5, 0.5)])),
    max_size=40,
)


def table_of(played):
    table = Crosstable(BOTS)
    for seats, points in played:
        table.add(seats, points)
    return table


@given(games)
def test_every_game_gives_one_point_in_all(played):
    rows = table_of(played).rows()
    assert sum(row.total.points for row in rows) == len(played)
    assert sum(row.total.games for row in rows) == 2 * len(played)


@given(games)
def test_the_order_of_games_does_not_matter(played):
    assert table_of(played).rows() == table_of(list(reversed(played))).rows()


@given(games)
def test_ranks_never_rise_down_the_table_and_points_never_grow(played):
    rows = table_of(played).rows()
    for upper, lower in pairwise(rows):
        assert upper.rank <= lower.rank
        assert upper.total.points >= lower.total.points


def test_equal_points_are_parted_by_whom_they_were_won_from():
    table = Crosstable(["a", "b", "c", "d"])
    table.add(["b", "d"], [1, 0])  # d ends with nothing
    table.add(["a", "c"], [1, 0])  # c ends with a point: beating it is worth more
    table.add(["c", "d"], [1, 0])
    rows = table.rows()
    assert [(row.rank, row.bot, row.sonneborn_berger) for row in rows] == [
        (1, "a", 1.0),
        (2, "b", 0.0),
        (2, "c", 0.0),
        (4, "d", 0.0),
    ]


def test_who_is_equal_in_everything_shares_a_place():
    table = Crosstable(["a", "b", "c"])
    table.add(["a", "b"], [0.5, 0.5])
    assert [(row.rank, row.bot) for row in table.rows()] == [(1, "a"), (1, "b"), (3, "c")]


def test_pairs_are_listed_once_as_they_were_entered():
    table = Crosstable(["a", "b", "c"])
    table.add(["c", "a"], [1, 0])
    table.add(["a", "c"], [1, 0])
    assert table.pairs() == [("a", "c", Score(1, 1, 0))]


def test_the_text_has_a_column_for_every_opponent():
    table = Crosstable(["alpha", "b"])
    table.add(["b", "alpha"], [1, 0])
    table.add(["alpha", "b"], [0.5, 0.5])
    assert columns(grid(table.rows()), left={1}).splitlines() == [
        "#  bot    points    SB      1      2",
        "1  b       1.5/2  0.75      -  1.5/2",
        "2  alpha   0.5/2  0.75  0.5/2      -",
    ]


costs = st.lists(st.one_of(st.none(), st.integers(1, 9)), min_size=4, max_size=4)


@given(st.lists(costs, max_size=20))
def test_in_a_race_each_two_bots_are_compared_by_what_they_paid(races):
    table = Crosstable(BOTS)
    for paid in races:
        table.add(BOTS, shares(paid), paid)
    for (one, first), (other, second) in combinations(enumerate(BOTS), 2):
        merits = [(race[one] or 10, race[other] or 10) for race in races]
        won = sum(mine < theirs for mine, theirs in merits)
        lost = sum(mine > theirs for mine, theirs in merits)
        assert table.score(first, second) == Score(won, lost, len(races) - won - lost)
        assert table.score(second, first) == Score(lost, won, len(races) - won - lost)


@given(st.lists(costs, max_size=20))
def test_points_of_a_race_are_half_a_point_for_each_entrant_on_average(races):
    table = Crosstable(BOTS)
    for paid in races:
        table.add(BOTS, shares(paid), paid)
    rows = table.rows()
    assert sum(row.total.points for row in rows) == pytest.approx(len(races) * len(BOTS) / 2)
    assert all(row.total.games == len(races) for row in rows)


def test_at_a_table_the_winner_has_beaten_all_others_and_they_have_drawn_with_each_other():
    table = Crosstable(["a", "b", "c"])
    table.add(["b", "a", "c"], [0, 1, 0])
    assert [table.score(*two) for two in ("ab", "ac", "bc")] == [Score(1, 0, 0), Score(1, 0, 0), Score(0, 0, 1)]
    assert [(row.bot, row.total, row.sonneborn_berger) for row in table.rows()] == [
        ("a", Total(1, 1, 0, 0, 1), 0),
        ("b", Total(1, 0, 0, 1, 0), 0),
        ("c", Total(1, 0, 0, 1, 0), 0),
    ]


def test_at_a_table_it_counts_whom_one_has_won_from_not_whom_one_has_lost_with():
    table = Crosstable(["a", "b", "c", "d"])
    for seats in ("abc", "bad", "cda"):  # each winner is named first; a, b and c have a point each
        table.add([*seats], [1, 0, 0])
    assert {row.bot: row.sonneborn_berger for row in table.rows()} == {"a": 2, "b": 1, "c": 1, "d": 0}
    assert [(row.rank, row.bot) for row in table.rows()] == [(1, "a"), (2, "b"), (2, "c"), (4, "d")]


def test_a_shared_draw_is_one_for_those_who_share_it():
    table = Crosstable(["a", "b", "c"])
    table.add(["a", "b", "c"], [0.5, 0.5, 0])
    assert [table.total(bot) for bot in "abc"] == [Total(1, 0, 1, 0, 0.5), Total(1, 0, 1, 0, 0.5), Total(1, 0, 0, 1, 0)]


def test_thirds_of_points_add_up_in_any_order():
    table = Crosstable(["a", "b", "c"])
    for points in ([1 / 3, 1 / 3, 1 / 3], [1, 0, 0], [0, 1, 0], [0, 0, 1]):
        table.add(["a", "b", "c"], points)
    for points in ([0, 0, 1], [1, 0, 0], [0, 1, 0], [1 / 3, 1 / 3, 1 / 3]):
        table.add(["c", "a", "b"], points)
    assert {row.rank for row in table.rows()} == {1}
    assert grid(table.rows())[1][2] == "2.67/8"


def test_what_was_paid_is_given_beside_the_lowest_cost_of_each_race():
    table = Crosstable(["a", "b", "c"])
    for paid in ([10, 12, None], [20, 20, 30]):
        table.add(["a", "b", "c"], shares(paid), paid)
    a, b, c = (table.paid[bot] for bot in "abc")
    assert (a.races, a.solved, a.mean, a.over_best) == (2, 2, 15, 0)
    assert (b.races, b.solved, b.mean, b.over_best) == (2, 2, 16, pytest.approx(0.1))
    assert (c.races, c.solved, c.mean, c.over_best) == (2, 1, 30, pytest.approx(0.5))
    assert [row.paid for row in table.rows()] == [a, b, c]


def test_a_bot_that_runs_alone_has_no_opponent_but_a_cost():
    table = Crosstable(["a"])
    table.add(["a"], [1.0], [7])
    table.add(["a"], [0.0], [None])
    [row] = table.rows()
    assert row.total == Total(2, 0, 0, 0, 1)
    assert row.paid == Paid(2, 1, 7, 0)
    assert table.pairs() == []


def test_a_race_that_costs_nothing_can_be_won():
    table = Crosstable(["a", "b"])
    table.add(["a", "b"], [1.0, 0.0], [0, 3])
    assert [table.paid[bot].over_best for bot in "ab"] == [0, 0]


def test_chosen_tie_breaks_are_columns_in_the_order_of_their_standings():
    table = Crosstable(["alpha", "b"])
    table.add(["b", "alpha"], [0.5, 0.5])
    standings = [Standing(1, "b", 0.5, 1, tie_breaks=(1.0, 0.5)), Standing(2, "alpha", 0.5, 1, tie_breaks=(0.0, 0.5))]
    assert columns(grid(table.rows(), standings, ["games_with_black", "buchholz_cut_1"]), left={1}).splitlines() == [
        "#  bot    points  black  BH-C1      1      2",
        "1  b       0.5/1      1    0.5      -  0.5/1",
        "2  alpha   0.5/1      0    0.5  0.5/1      -",
    ]


def test_the_table_of_an_event_has_its_finished_games():
    event = Event("breakthrough", [Entry("a", 1), Entry("b", 2)])
    event.add(EncounterRow(1, Plan(1, 1, ("a", "b"), games=2)))
    event.note(EventMatch("m0", 1, 0, ("a", "b"), "finished", (1.0, 0.0)))
    event.note(EventMatch("m1", 1, 1, ("b", "a"), "running"))
    assert crosstable_of(event).pairs() == [("a", "b", Score(1, 0, 0))]
