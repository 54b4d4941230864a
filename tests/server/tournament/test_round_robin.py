"""Every pair meets by the circle method, every combination of more; nobody plays two at once, all orders are fair."""

from collections import Counter
from itertools import combinations
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.tournament.round_robin import cycle, encounters, orders, tables

sizes = st.integers(2, 15)


def names(size: int) -> list[str]:
    return [f"bot{number}" for number in range(size)]


@given(sizes)
def test_every_pair_meets_exactly_once_in_a_cycle(size):
    met = Counter(frozenset(pair) for pairs in cycle(names(size)) for pair in pairs)
    assert set(met.values()) == {1}
    assert len(met) == size * (size - 1) // 2


@given(sizes)
def test_a_round_is_made_of_disjoint_pairs_so_that_they_can_play_side_by_side(size):
    rounds = cycle(names(size))
    assert len(rounds) == (size if size % 2 else size - 1)
    for pairs in rounds:
        sitting = [bot for pair in pairs for bot in pair]
        assert len(sitting) == len(set(sitting)) == size - size % 2


@given(st.integers(2, 15))
def test_the_bot_that_sits_still_is_not_always_named_first(size):
    firsts = Counter(pair[0] for pairs in cycle(names(size)) for pair in pairs)
    assert firsts["bot0"] <= (size + 1) // 2


@pytest.mark.parametrize("cycles", [1, 2, 5])
def test_every_pair_meets_as_often_as_there_are_cycles(cycles):
    met = Counter(frozenset(pair) for _, _, pair in encounters(names(4), cycles))
    assert set(met.values()) == {cycles}


def test_rounds_are_numbered_from_one_through_all_cycles():
    assert [round_ for round_, _, _ in encounters(names(4), 2)] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]


def test_every_other_cycle_swaps_who_is_named_first():
    listed = list(encounters(["a", "b"], 4))
    assert [pair for _, _, pair in listed] == [("a", "b"), ("b", "a"), ("a", "b"), ("b", "a")]
    assert [number for _, number, _ in listed] == [0, 1, 2, 3]


@given(st.integers(3, 9), st.integers(3, 5))
def test_every_combination_sits_together_once_in_rounds_of_disjoint_tables(size, seats):
    rounds = tables(names(size), seats)
    listed = [group for groups in rounds for group in groups]
    assert sorted(listed) == list(combinations(names(size), seats))
    for groups in rounds:
        sitting = [bot for group in groups for bot in group]
        assert len(sitting) == len(set(sitting))


def test_two_tables_of_three_play_side_by_side():
    assert [len(groups) for groups in tables(names(6), 3)] == [2] * (comb(6, 3) // 2)


@given(st.integers(1, 5))
def test_all_orders_of_the_seats_are_fair_after_every_turn_of_the_table(seats):
    listed = orders(tuple(names(seats)))
    assert len(set(listed)) == len(listed) == factorial(seats)
    for start in range(0, len(listed), seats):
        for column in zip(*listed[start : start + seats], strict=True):
            assert sorted(column) == names(seats)


def test_a_pair_has_two_orders_and_a_single_bot_one():
    assert orders(("a", "b")) == [("a", "b"), ("b", "a")]
    assert orders(("a",)) == [("a",)]


def test_in_every_cycle_another_bot_of_a_table_is_named_first():
    assert [group for _, _, group in encounters(["a", "b", "c"], 3, 3)] == [
        ("a", "b", "c"),
        ("b", "c", "a"),
        ("c", "a", "b"),
    ]
