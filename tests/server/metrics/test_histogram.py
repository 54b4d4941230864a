"""A histogram of durations."""

from itertools import pairwise

import pytest

from palio_server.metrics import COMMIT_S, LAG_S, TURN_S, Histogram


def test_a_value_on_a_bound_belongs_to_its_bucket():
    counted = Histogram((1.0, 2.0))
    for value in (0.0, 1.0, 1.5, 2.0, 2.5):
        counted.observe(value)
    assert (counted.counts, counted.count, counted.sum) == ([2, 2, 1], 5, 7.0)


@pytest.mark.parametrize("bounds", [TURN_S, COMMIT_S, LAG_S])
def test_bounds_ascend_by_at_most_a_factor_of_five(bounds):
    assert all(1 < upper / lower <= 5 for lower, upper in pairwise(bounds))
