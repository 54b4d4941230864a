"""What no tour can be shorter than: the shortest of all tours where they can be tried, and never more than that."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.boards.cities import Instance
from palio_rules.games.tsp import random_cities
from palio_rules.instances import tsp
from palio_rules.instances.tsp import MOST, UNIT, BoundSearch, lower_bound, one_tree, quick_tour

distance_lists = st.sampled_from([3, 6, 10, 15, 21]).flatmap(  # of 3 to 7 cities, with and without short cuts
    lambda count: st.lists(st.integers(0, 60), min_size=count, max_size=count)
)


def table_of(instance):
    cities = range(instance.size)
    return [[UNIT * instance.distance(a, b) for b in cities] for a in cities]


def shortest(instance):
    """By trying all tours."""
    return min(instance.length((0, *rest)) for rest in itertools.permutations(range(1, instance.size)))


def shortest_by_sets(instance):
    """By the dynamic program of Held and Karp, "A dynamic programming approach to sequencing problems" (1962)."""
    last = instance.size - 1
    ends = {(1 << city, city): instance.distance(last, city) for city in range(last)}
    for _ in range(last - 1):
        longer = {}
        for (visited, city), length in ends.items():
            for other in range(last):
                if not visited >> other & 1:
                    key, total = (visited | 1 << other, other), length + instance.distance(city, other)
                    longer[key] = min(total, longer.get(key, total))
        ends = longer
    return min(length + instance.distance(city, last) for (_, city), length in ends.items())


@given(distances=distance_lists)
def test_of_few_cities_it_is_the_shortest_of_all_tours(distances):
    instance = Instance.of_distances(distances)
    assert lower_bound(instance) == shortest(instance)


@settings(max_examples=settings().max_examples // 5)
@given(seed=st.integers(0, 10**6), side=st.sampled_from([3, 30, 1000]))
def test_of_ten_cities_it_is_what_a_dynamic_program_finds(seed, side):
    choose = random.Random(seed)
    instance = Instance.of_points([(choose.randint(0, side), choose.randint(0, side)) for _ in range(10)])
    assert lower_bound(instance) == shortest_by_sets(instance)


@settings(max_examples=settings().max_examples // 2)
@given(distances=distance_lists, work=st.integers(0, 2000), seed=st.integers(0, 99))
def test_it_is_never_more_than_the_shortest_tour_however_little_work_is_done(distances, work, seed):
    instance = Instance.of_distances(distances)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tsp, "WORK", work)
        patch.setattr(tsp, "FIRST_ROUNDS", 1 + seed % 3)
        assert BoundSearch(table_of(instance)).bound() <= shortest(instance)


@given(distances=distance_lists, seed=st.integers(0, 99))
def test_no_prices_make_a_1_tree_longer_than_a_tour(distances, seed):
    instance, choose = Instance.of_distances(distances), random.Random(seed)
    prices = [choose.randint(-20, 20) * UNIT for _ in range(instance.size)]
    tree = one_tree(table_of(instance), prices)
    assert tree.bound <= UNIT * shortest(instance)
    assert len(tree.edges) == instance.size == sum(tree.degrees) / 2


@given(distances=distance_lists)
def test_a_quick_tour_is_one(distances):
    instance = Instance.of_distances(distances)
    tours = {instance.length((0, *rest)) for rest in itertools.permutations(range(1, instance.size))}
    assert quick_tour(table_of(instance)) in {UNIT * length for length in tours}


@pytest.mark.parametrize("seed", range(10))
def test_of_thirty_random_cities_as_races_have_them_a_tour_of_that_length_is_known(seed):
    search = BoundSearch(table_of(Instance.of_points(random_cities(30, seed))))
    assert search.bound() * UNIT == search._best


def test_of_many_cities_nothing_is_proven():
    assert lower_bound(Instance.of_points(random_cities(MOST, 1))) is not None
    assert lower_bound(Instance.of_points(random_cities(MOST + 1, 1))) is None
    assert lower_bound(Instance.of_points(random_cities(1000, 1))) is None


def test_of_distances_that_are_no_integers_nothing_is_proven():
    assert lower_bound(Instance.of_distances([10, 15, 20, 35, 25, 30.5])) is None


def test_the_work_is_limited_on_the_hardest_of_instances(monkeypatch):
    looked = []
    monkeypatch.setattr(tsp, "one_tree", lambda table, *rest: looked.append(len(table) ** 2) or one_tree(table, *rest))
    BoundSearch(table_of(Instance.of_points([(x, y) for x in range(0, 70, 10) for y in range(0, 70, 10)]))).bound()
    assert sum(looked) < tsp.WORK + 3 * tsp.ROUNDS * 49**2
