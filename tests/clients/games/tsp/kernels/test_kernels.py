"""Tours compiled: every exchange gains what it says and can be taken back, and no tour gets longer."""

import threading
from itertools import permutations
from math import hypot
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.tsp.kernels import Improver, warm_up
from palio_clients.games.tsp.kernels.iterated import iterate, kick, shorten
from palio_clients.games.tsp.kernels.workspace import (
    beside,
    distances,
    exchange,
    measure,
    near_cities,
    nearest_neighbour,
    steps,
    take_back,
    workspace,
)
from palio_rules.boards.cities import Instance
from palio_rules.games.tsp import random_cities

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

coordinates = st.integers(-50, 50) | st.floats(-50, 50).map(lambda x: round(x, 2))
sizes, seeds = st.integers(3, 60), st.integers(0, 1000)


def scattered(size, seed):
    return Instance.of_points(random_cities(size, seed))


@st.composite
def instances(draw, most=40):
    """Points, some in one place, or a list of distances that need not fit on any map."""
    size = draw(st.integers(3, most))
    if draw(st.booleans()):
        return Instance.of_points(draw(st.lists(st.tuples(coordinates, coordinates), min_size=size, max_size=size)))
    pairs = size * (size - 1) // 2
    random = Random(draw(seeds))
    kind = draw(st.sampled_from([lambda: random.randint(0, 9), lambda: round(random.random() * 1e4, 3), lambda: 0.1]))
    return Instance.of_distances([kind() for _ in range(pairs)])


def shuffled(size, seed):
    return tuple(Random(seed).sample(range(size), size))


def opened(instance, seed):
    """A workspace that begins with a tour at random."""
    distance, points, _ = distances(instance)
    spaces, matrix = workspace(distance, points, shuffled(instance.size, seed), seed)
    return spaces[0], matrix


def order_of(space):
    return space["order"][: space["size"]].tolist()


def length_of(space, matrix):
    return sum(int(matrix[a, b]) for a, b in zip(order_of(space), np.roll(order_of(space), -1), strict=True))


def circle(space):
    """The tour, wherever and whichever way it begins."""
    order = order_of(space)
    order = order[order.index(0) :] + order[: order.index(0)]
    return min(order, order[:1] + order[:0:-1])


def held_and_karp(instance):
    """The length of a shortest tour: Held and Karp, "A dynamic programming approach to sequencing problems" (1962)."""
    last = instance.size - 1
    least = {(1 << city, city): instance.distance(last, city) for city in range(last)}
    for cities in range(1, 1 << last):
        for end in range(last):
            if (known := least.get((cities, end))) is not None:
                for city in range(last):
                    if not cities >> city & 1:
                        key = cities | 1 << city, city
                        least[key] = min(least.get(key, 1e18), known + instance.distance(end, city))
    return min(least[(1 << last) - 1, city] + instance.distance(city, last) for city in range(last))


# --- cities -----------------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(coordinates, coordinates), min_size=3, max_size=20))
def test_distances_are_those_of_the_race(points):
    instance = Instance.of_points(points)
    matrix = measure(np.array(points, np.float64), np.empty((len(points), len(points))))
    for a in range(len(points)):
        assert matrix[a].tolist() == [instance.distance(a, b) for b in range(len(points))]


@given(instances())
def test_what_is_rounded_is_known_to_be_so(instance):
    distance, _, scale = distances(instance)
    tour = range(instance.size)
    rounded = sum(int(distance[a, a - 1]) for a in tour) * scale.unit
    assert rounded <= instance.length(tuple(tour)) + scale.slack
    assert instance.length(tuple(tour)) <= rounded + scale.slack
    assert scale.slack <= 1e-8 * instance.size * max(1.0, float(distance.max()) * scale.unit)


@given(sizes, seeds)
def test_the_first_tour_goes_to_the_nearest_city_each_time(size, seed):
    distance = distances(scattered(size, seed))[0]
    tour = nearest_neighbour(distance, np.int64(seed % size), np.arange(size), np.empty(size, np.int64)).tolist()
    assert tour[0] == seed % size
    assert sorted(tour) == list(range(size))
    for number, here in enumerate(tour[:-1], 1):
        assert distance[here, tour[number]] == min(distance[here, other] for other in tour[number:])


@given(st.integers(10, 60), seeds, st.integers(1, 9))
def test_near_cities_are_the_nearest_ones_in_each_direction_and_then_the_nearest(size, seed, most):
    instance = scattered(size, seed)
    distance, points, _ = distances(instance)
    near = near_cities(distance, points, most)
    for city, row in enumerate(near.tolist()):
        order = sorted(set(range(size)) - {city}, key=lambda other: (distance[city, other], other))
        ways = [quarter(*(points[other] - points[city])) for other in order]
        first = [other for number, other in enumerate(order) if ways[:number].count(ways[number]) < 2][:most]
        first += [other for other in order if other not in first][: most - len(first)]
        assert sorted(row) == sorted(first)
        assert [distance[city, other] for other in row] == sorted(distance[city, other] for other in row)


def quarter(x, y):
    return (0 if y >= 0 else 3) if x >= 0 else (1 if y > 0 else 2)


# --- tours in place ---------------------------------------------------------------------------------------------------


@given(st.integers(5, 40), seeds, st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=9))
def test_an_exchange_replaces_two_legs_and_can_be_taken_back(size, seed, picks):
    space, _ = opened(scattered(size, seed), seed)
    before = circle(space)
    for first, second in picks:
        order, onwards = order_of(space), first % 2 == 0
        i, j = first % size, second % size
        if len({i, (i + 1) % size, j, (j + 1) % size}) < 4:
            continue
        a, b, c, d = order[i], order[(i + 1) % size], order[j], order[(j + 1) % size]
        if not onwards:
            a, b, c, d = b, a, d, c
        legs = {frozenset(leg) for leg in zip(order, order[1:] + order[:1], strict=True)}
        exchange(space, a, b, c, d)
        order = order_of(space)
        after = {frozenset(leg) for leg in zip(order, order[1:] + order[:1], strict=True)}
        assert after == legs - {frozenset((a, b)), frozenset((c, d))} | {frozenset((a, c)), frozenset((b, d))}
        assert [space["place"][city] for city in order] == list(range(size))
        city = order[first % size]
        assert beside(space, city, True) == order[(first + 1) % size]
        assert beside(space, city, False) == order[(first - 1) % size]
        assert steps(space, city, order[second % size], True) == (second - first) % size
        assert steps(space, city, order[second % size], False) == (first - second) % size
    take_back(space)
    assert circle(space) == before


@given(instances(), seeds)
def test_a_city_gains_exactly_what_the_tour_loses_and_it_can_be_taken_back(instance, seed):
    space, matrix = opened(instance, seed)
    for city in Random(seed).choices(range(instance.size), k=30):
        before, length = circle(space), length_of(space, matrix)
        gain = shorten(space, matrix, city)
        assert gain >= 0
        assert length_of(space, matrix) == length - gain
        assert sorted(order_of(space)) == list(range(instance.size))
        if gain == 0 or city % 2:
            take_back(space)
            assert circle(space) == before


@given(st.integers(5, 60), seeds)
def test_a_kick_adds_what_it_says_and_wakes_its_cities(size, seed):
    space, matrix = opened(scattered(size, seed), seed)
    space["waiting"], space["queued"] = 0, 0
    for _ in range(10):
        kick(space, matrix)
        assert space["length"] == length_of(space, matrix)
        assert sorted(order_of(space)) == list(range(size))
        assert space["waiting"] == space["queued"].sum()
        assert space["limit"] >= space["kept"]


# --- the whole --------------------------------------------------------------------------------------------------------


@given(instances(), seeds, st.integers(0, 40))
def test_what_is_found_is_a_tour_no_longer_than_the_first_one(instance, seed, kicks):
    start = shuffled(instance.size, seed)
    improver = Improver(instance, start, seed)
    assert improver.cost == instance.length(start)
    found = improver.improve(kicks=kicks)
    assert sorted(found.state) == list(range(instance.size))
    assert found.cost == instance.length(found.state) <= instance.length(start)
    assert found.cost <= improver.cost
    assert found.steps == (kicks if instance.size >= 5 else 0)


@settings(max_examples=25)
@given(instances(most=9), seeds)
def test_few_cities_are_joined_by_a_shortest_tour(instance, seed):
    found = Improver(instance, shuffled(instance.size, seed), seed).improve(kicks=300)
    assert found.cost == pytest.approx(held_and_karp(instance))


@given(st.integers(5, 80), seeds, st.integers(0, 30), st.integers(0, 30))
def test_the_same_seed_and_kicks_find_the_same_tour_in_one_go_or_in_two(size, seed, first, second):
    instance = scattered(size, seed)
    whole, parts = Improver(instance, seed=seed), Improver(instance, seed=seed)
    parts.improve(kicks=first)
    assert parts.improve(kicks=second).state == whole.improve(kicks=first + second).state


def test_more_kicks_are_never_worse():
    improver = Improver(scattered(200, 1), seed=1)
    costs = [improver.improve(kicks=kicks).cost for kicks in (0, 1, 10, 100, 1000)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def test_the_cities_of_a_circle_are_joined_in_their_order():
    """Rounded to so fine a grid, no tour but the one around is as short."""
    points = [(round(1e6 * np.cos(a)), round(1e6 * np.sin(a))) for a in np.arange(200) * np.pi / 100]
    found = Improver(Instance.of_points(points), shuffled(200, 3)).improve(kicks=500)
    assert found.cost == sum(
        int(hypot(x - u, y - v) + 0.5) for (x, y), (u, v) in zip(points, points[1:] + points[:1], strict=True)
    )


def test_a_search_comes_back_soon_after_it_was_told_to():
    over, costs = threading.Event(), []

    def stop(cost):
        costs.append(cost)
        return over.is_set()

    threading.Timer(0.2, over.set).start()
    improver = Improver(scattered(300, 2))
    found = improver.improve(stop=stop)
    assert over.is_set()
    assert len(costs) > 10  # other threads ran meanwhile
    assert costs == sorted(costs, reverse=True)
    assert found.cost <= costs[-1]


def test_a_search_that_is_stopped_at_once_gives_what_it_began_with_and_goes_on_later():
    instance = scattered(100, 4)
    improver = Improver(instance, seed=4)
    first = improver.improve(stop=lambda cost: True)
    assert (first.steps, first.cost) == (0, improver.cost)
    assert improver.improve(kicks=0).cost < first.cost


def test_far_away_cities_fit_into_the_workspace():
    far = 10**9
    corners = [(-far, -far), (far, far), (-far, far), (far, -far), (0, 1)]
    instance = Instance.of_points(corners)
    found = Improver(instance, (0, 1, 2, 3, 4)).improve(kicks=50)
    assert found.cost == min(instance.length((0, *rest)) for rest in permutations(range(1, 5)))


def test_after_warming_up_a_search_compiles_nothing_more():
    warm_up()
    compiled = len(iterate.signatures)
    Improver(Instance.of_points([(float(city), float(city * city % 17)) for city in range(12)]), seed=3).improve(
        kicks=5
    )
    assert len(iterate.signatures) == compiled
