"""Groups are about equally strong, and kept apart in a bracket's first round wherever that is possible."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.tournament.bracket import first_tables, separated_groups, snake


@given(st.integers(1, 60), st.integers(1, 12))
def test_a_snake_deals_everybody_once_and_evenly(count, groups):
    dealt = snake(range(count), groups)
    assert sorted(seed for group in dealt for seed in group) == list(range(count))
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 1


@pytest.mark.parametrize(("count", "groups"), [(16, 4), (12, 2), (24, 4)])
def test_full_rows_of_a_snake_have_equal_sums(count, groups):
    assert len({sum(group) for group in snake(range(count), groups)}) == 1


def meetings(order, homes, seats=2):
    tables = [[order[seed - 1] for seed in table] for table in first_tables(len(order), seats)]
    return sum(len(table) - len({homes[bot] for bot in table}) for table in tables)


@given(st.lists(st.sampled_from("ABC"), min_size=2, max_size=6))
def test_no_other_order_of_the_weaker_ones_keeps_more_apart(letters):
    bots = [f"b{number}" for number in range(len(letters))]
    homes = dict(zip(bots, letters, strict=True))
    found = separated_groups(bots, homes, 2)
    weaker = [seed for table in first_tables(len(bots), 2) for seed in table[1:]]
    best = len(bots)
    for order in permutations([bots[seed - 1] for seed in weaker]):
        tried = list(bots)
        for seed, bot in zip(weaker, order, strict=True):
            tried[seed - 1] = bot
        best = min(best, meetings(tried, homes))
    assert meetings(found, homes) == best
    assert sorted(found) == bots


def test_where_all_are_apart_already_nothing_changes():
    bots = ["A1", "B1", "A2", "B2"]
    assert separated_groups(bots, {bot: bot[0] for bot in bots}, 2) == bots


def test_the_nearest_seed_that_helps_changes_places():
    bots = ["A1", "B1", "B2", "A2"]
    assert separated_groups(bots, {bot: bot[0] for bot in bots}, 2) == ["A1", "B1", "A2", "B2"]
