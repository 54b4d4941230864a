"""Restarts find what one climb misses."""

from random import Random

import pytest
from hypothesis import given, settings
from tour_instances import held_karp, instances, seeds

from palio_clients.games.tsp.landscape import TourLandscape
from palio_clients.search.local_search import random_restarts
from palio_clients.search.tours import Steps, Tours


@settings(max_examples=settings().max_examples // 4)
@given(instances(5, 8), seeds)
def test_random_restarts_find_the_best_tour_of_a_few_cities(instance, seed):
    distance, start = instance
    found = random_restarts(start, TourLandscape(Tours(distance)), Random(seed), stop=Steps(300))
    assert found.cost == pytest.approx(held_karp(distance))
