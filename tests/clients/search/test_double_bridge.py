"""Double bridges leave local optima, and can be taken back."""

from random import Random

import pytest
from hypothesis import given, settings
from tour_instances import held_karp, instances, legs, seeds

from palio_clients.search.tours import (
    Cycle,
    Steps,
    Tours,
    double_bridge,
    iterated_local_search,
    length_of,
    nearest_neighbour,
)


@settings(max_examples=settings().max_examples // 4)
@given(instances(5, 8), seeds)
def test_double_bridges_find_the_best_tour_of_a_few_cities_from_one_of_three_starts(instance, seed):
    distance, start = instance
    random, tours = Random(seed), Tours(distance)
    starts = [start, nearest_neighbour(distance), start[::2] + start[1::2]]
    found = min(iterated_local_search(each, tours, random, stop=Steps(200)).cost for each in starts)
    assert found == pytest.approx(held_karp(distance))


@given(instances(5, 12), seeds)
def test_a_double_bridge_changes_four_legs_by_as_much_as_it_says_and_can_be_taken_back(instance, seed):
    distance, start = instance
    cycle, tours = Cycle(start), Tours(distance)
    longer, (_, _, _, c, d, _, _, _) = double_bridge(cycle, tours, Random(seed))
    assert length_of(cycle.order, distance) == pytest.approx(length_of(start, distance) + longer)
    assert len(legs(start) - legs(cycle.order)) == 4 or c == d  # a single city in the middle keeps some neighbours
    assert all(cycle.order[cycle.at[city]] == city for city in start)
    cycle.take_back()
    assert legs(cycle.order) == legs(start)
