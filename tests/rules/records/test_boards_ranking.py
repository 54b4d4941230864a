"""Who is ahead in a race."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.records.boards import ranks, shares

costs = st.lists(st.none() | st.integers(0, 5).map(float), min_size=1, max_size=12)


def test_less_cost_is_ahead_equals_share_a_rank_and_nothing_comes_last():
    assert ranks([12.0, None, 10.0, 12.0, None]) == [2, 4, 1, 2, 4]
    assert shares([12.0, None, 10.0, 12.0, None]) == [0.625, 0.125, 1.0, 0.625, 0.125]


def test_two_entrants_score_as_in_a_duel():
    assert shares([3.0, 4.0]) == [1.0, 0.0]
    assert shares([3.0, 3.0]) == [0.5, 0.5]
    assert shares([None, 4.0]) == [0.0, 1.0]


def test_who_races_alone_scores_for_a_solution():
    assert shares([7.0]) == [1.0]
    assert shares([None]) == [0.0]


def test_of_equal_costs_the_faster_is_ahead_if_the_event_says_so():
    assert ranks([5.0, 5.0, 4.0, None, None], [100, 90, 900, 1, 2]) == [3, 2, 1, 4, 4]


@given(costs=costs)
def test_scores_are_shares_of_the_meetings_of_every_two(costs):
    found = shares(costs)
    if len(costs) > 1:
        assert sum(found) == pytest.approx(len(costs) / 2)
    assert all(0 <= score <= 1 for score in found)
    for one, mine in zip(costs, found, strict=True):
        for other, theirs in zip(costs, found, strict=True):
            if one == other:
                assert mine == theirs
            elif one is not None and (other is None or one < other):
                assert mine > theirs
