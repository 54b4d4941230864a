"""The circle method: every pair meets, and nobody plays two at once."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.tournament.round_robin import cycle, encounters

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
