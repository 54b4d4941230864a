"""Every pair meets by the Berger tables, every combination of more; no bot plays two at once, all orders are fair."""

from collections import Counter
from itertools import combinations
from math import comb, factorial

import pytest
from gacrux.berger import bergertables
from hypothesis import given
from hypothesis import strategies as st

from palio_server.tournament.round_robin import berger, orders, table_rounds

sizes = st.integers(2, 15)


def cycle(size: int) -> list[list[tuple[int, int]]]:
    """Every round in which all places meet once, without the one that has a bye."""
    rounds = (berger(size, number) for number in range(size - 1 + size % 2))
    return [[pair for pair in pairs if max(pair) < size] for pairs in rounds]


@given(sizes)
def test_every_pair_meets_exactly_once_in_a_cycle(size):
    met = Counter(frozenset(pair) for pairs in cycle(size) for pair in pairs)
    assert set(met.values()) == {1}
    assert len(met) == size * (size - 1) // 2


@given(sizes)
def test_a_round_is_made_of_disjoint_pairs_so_that_they_can_play_side_by_side(size):
    rounds = cycle(size)
    assert len(rounds) == (size if size % 2 else size - 1)
    for pairs in rounds:
        sitting = [bot for pair in pairs for bot in pair]
        assert len(sitting) == len(set(sitting)) == size - size % 2


@given(st.integers(2, 15))
def test_the_bot_that_sits_still_is_not_always_named_first(size):
    firsts = Counter(pair[0] for pairs in cycle(size) for pair in pairs)
    assert firsts[0] <= (size + 1) // 2


@pytest.mark.parametrize("size", range(2, 41))
def test_the_tables_are_those_of_gacrux(size):
    theirs = bergertables(size)["pairing"]
    assert len(theirs) == size - 1 + size % 2
    for number, pairs in theirs.items():
        listed = [(pairs[board]["white"] - 1, pairs[board]["black"] - 1) for board in sorted(pairs)]
        assert berger(size, number - 1) == listed


@given(sizes)
def test_colours_of_nobody_differ_by_more_than_one(size):
    firsts, seconds = (Counter(pair[seat] for pairs in cycle(size) for pair in pairs) for seat in (0, 1))
    assert all(abs(firsts[bot] - seconds[bot]) <= 1 for bot in range(size))


@given(st.integers(3, 9), st.integers(3, 5))
def test_every_combination_sits_together_once_in_rounds_of_disjoint_tables(size, seats):
    rounds = table_rounds(size, seats)
    listed = [group for groups in rounds for group in groups]
    assert sorted(listed) == list(combinations(range(size), seats))
    for groups in rounds:
        sitting = [bot for group in groups for bot in group]
        assert len(sitting) == len(set(sitting))


def test_two_tables_of_three_play_side_by_side():
    assert [len(groups) for groups in table_rounds(6, 3)] == [2] * (comb(6, 3) // 2)


@given(st.integers(1, 5))
def test_all_orders_of_the_seats_are_fair_after_every_turn_of_the_table(seats):
    listed = orders(tuple("abcde"[:seats]))
    assert len(set(listed)) == len(listed) == factorial(seats)
    for start in range(0, len(listed), seats):
        for column in zip(*listed[start : start + seats], strict=True):
            assert sorted(column) == list("abcde"[:seats])


def test_a_pair_has_two_orders_and_a_single_bot_one():
    assert orders(("a", "b")) == [("a", "b"), ("b", "a")]
    assert orders(("a",)) == [("a",)]
