"""After 2-opt no two legs can be replaced to advantage."""

from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from tour_instances import held_karp, instances

from palio_clients.search.tours import length_of, near_cities, nearest_neighbour, two_opt


def turned(tour):
    """Every tour that differs in two legs."""
    for i, j in combinations(range(len(tour)), 2):
        yield (*tour[:i], *tour[i : j + 1][::-1], *tour[j + 1 :])


@settings(max_examples=2 * settings().max_examples // 3)
@given(instances())
def test_after_2_opt_no_two_legs_can_be_replaced_to_advantage(instance):
    distance, start = instance
    found = two_opt(start, distance)
    assert all(length_of(other, distance) >= found.cost - 1e-5 for other in turned(found.state))


@given(instances(4, 4))
def test_of_four_cities_2_opt_finds_the_best_tour(instance):
    distance, start = instance
    assert two_opt(start, distance).cost == pytest.approx(held_karp(distance))


def test_with_lists_of_near_cities_2_opt_looks_at_less_and_finds_nearly_as_much():
    random = Random(1)
    points = [(random.randrange(1000), random.randrange(1000)) for _ in range(100)]
    table = [[round(((a - c) ** 2 + (b - d) ** 2) ** 0.5) for c, d in points] for a, b in points]
    start = nearest_neighbour(table)
    full, near = two_opt(start, table), two_opt(start, table, near=near_cities(table, 8))
    assert near.cost < length_of(start, table)
    assert near.cost < 1.1 * full.cost
