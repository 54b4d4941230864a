"""A hot metal goes up, a cold one does not."""

from random import Random

import pytest
from tour_instances import Bits, Walk

from palio_clients.search.local_search import simulated_annealing


def test_a_hot_metal_goes_up_and_a_cold_one_does_not():
    walk = Walk(10, 5, 8, 3)
    assert simulated_annealing(0, walk, Random(1), steps=50, hot=20, cold=10).cost == 3
    assert simulated_annealing(0, walk, Random(1), steps=50, hot=0.1, cold=0.01).cost == 5


@pytest.mark.parametrize(("hot", "cold"), [(1, 2), (1, 0), (-1, -2)])
def test_a_temperature_that_cannot_fall_is_refused(hot, cold):
    with pytest.raises(ValueError, match=f"hot={hot}, cold={cold}"):
        simulated_annealing(0, Bits(0, 4), Random(1), steps=1, hot=hot, cold=cold)
