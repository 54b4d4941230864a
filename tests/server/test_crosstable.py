"""The cross-table counts every game once for each side, and ranks by points, Sonneborn-Berger, wins."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from palio_server.console.terminal import columns
from palio_server.tournament.crosstable import Crosstable, grid
from palio_server.tournament.elo import Score

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
