"""Performance ratings: expected and made scores meet."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.ratings.bradley_terry import performance

ratings = st.lists(st.floats(500, 2500), min_size=1, max_size=12)


@given(ratings, st.data())
def test_at_the_performance_the_expected_score_is_the_one_made(opponents, data):
    points = data.draw(st.integers(1, 2 * len(opponents) - 1)) / 2
    found = performance(points, opponents)
    assert found is not None
    assert sum(1 / (1 + 10 ** ((theirs - found) / 400)) for theirs in opponents) == pytest.approx(points, abs=1e-6)


def test_against_equals_it_is_the_elo_formula():
    assert performance(7.6, [1500] * 10) == pytest.approx(1700.24, abs=0.01)


def test_no_point_and_all_points_have_no_finite_one():
    assert performance(0, [1500]) == -inf
    assert performance(2, [1500, 1400]) == inf
    assert performance(0, []) is None
