"""Local search: never worse than the start, optimal in what it promises, stopped at once, the same under a seed."""

from functools import partial
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.knowledge.tsp import TourLandscape
from palio_clients.search.double_bridge import double_bridge, iterated
from palio_clients.search.hill_climbing import hill_climbing
from palio_clients.search.improved import Patience, Steps, never
from palio_clients.search.late_acceptance import late_acceptance
from palio_clients.search.or_opt import LONGEST, or_opt
from palio_clients.search.random_restarts import random_restarts
from palio_clients.search.simulated_annealing import simulated_annealing
from palio_clients.search.tour_descent import Tours
from palio_clients.search.tours import Cycle, length_of, near_cities, nearest_neighbour
from palio_clients.search.two_opt import two_opt


def anneal(start, landscape, random, stop=never):
    return simulated_annealing(start, landscape, random, steps=200, hot=20, cold=0.1, stop=stop)


def on_a_landscape(search):
    """A search of any landscape, as one of tours that is told the distances."""
    return lambda start, distance, random, stop: search(start, TourLandscape(Tours(distance)), random, stop=stop)


IMPROVERS = {
    "hill climbing": on_a_landscape(lambda start, landscape, random, stop: hill_climbing(start, landscape, stop=stop)),
    "random restarts": on_a_landscape(random_restarts),
    "late acceptance": on_a_landscape(partial(late_acceptance, memory=20)),
    "simulated annealing": on_a_landscape(anneal),
    "2-opt": lambda start, distance, random, stop: two_opt(start, distance, stop=stop),
    "Or-opt": lambda start, distance, random, stop: or_opt(start, distance, stop=stop),
    "double bridges": lambda start, distance, random, stop: iterated(start, Tours(distance), random, stop=stop),
}


@st.composite
def instances(draw, least=3, most=12):
    """(distances, a tour): of points on a grid, many of which coincide, or of any numbers at all."""
    size = draw(st.integers(least, most))
    if draw(st.booleans()):
        points = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=size, max_size=size))
        table = [[round(((a - c) ** 2 + (b - d) ** 2) ** 0.5) for c, d in points] for a, b in points]
    else:
        numbers = st.integers(0, 50) | st.floats(0, 50)
        table = [[0] * size for _ in range(size)]
        for a, b in combinations(range(size), 2):
            table[a][b] = table[b][a] = draw(numbers)
    return table, tuple(draw(st.permutations(range(size))))


seeds = st.integers(0, 1000)


@pytest.mark.parametrize("improver", IMPROVERS)
@settings(max_examples=30)
@given(instances(), seeds, st.integers(0, 60))
def test_an_improver_gives_a_tour_that_is_never_worse_and_tells_its_length(improver, instance, seed, steps):
    distance, start = instance
    found = IMPROVERS[improver](start, distance, Random(seed), Steps(steps))
    assert sorted(found.state) == sorted(start)
    assert found.cost == pytest.approx(length_of(found.state, distance))
    assert found.cost <= length_of(start, distance) + 1e-6


@pytest.mark.parametrize("improver", IMPROVERS)
@settings(max_examples=30)
@given(instances(), seeds, st.integers(0, 30))
def test_an_improver_stops_when_it_is_told_to(improver, instance, seed, steps):
    distance, start = instance
    asked = []

    def stop(cost):
        asked.append(cost)
        return len(asked) > steps

    found = IMPROVERS[improver](start, distance, Random(seed), stop)
    assert len(asked) <= steps + 2  # a search that is one of several may be told, and then the whole
    assert found.steps <= steps
    assert all(later <= sooner + 1e-6 for sooner, later in pairwise(asked))
    assert found.cost <= asked[-1] + 1e-6


@pytest.mark.parametrize("improver", IMPROVERS)
@settings(max_examples=30)
@given(instances(), seeds)
def test_the_same_seed_takes_the_same_way(improver, instance, seed):
    distance, start = instance
    first, second = (IMPROVERS[improver](start, distance, Random(seed), Steps(40)) for _ in range(2))
    assert first == second


# --- what a local optimum promises -----------------------------------------------------------------------------------


def turned(tour):
    """Every tour that differs in two legs."""
    for i, j in combinations(range(len(tour)), 2):
        yield (*tour[:i], *tour[i : j + 1][::-1], *tour[j + 1 :])


def moved(tour):
    """Every tour in which a row of up to three cities stands elsewhere, either way round."""
    size = len(tour)
    for place in range(size):
        round_ = (*tour[place:], *tour[:place])
        for length in range(1, min(LONGEST, size - 2) + 1):
            row, rest = round_[:length], round_[length:]
            for gap in range(1, len(rest)):
                yield (*rest[:gap], *row, *rest[gap:])
                yield (*rest[:gap], *row[::-1], *rest[gap:])


@settings(max_examples=60)
@given(instances())
def test_after_2_opt_no_two_legs_can_be_replaced_to_advantage(instance):
    distance, start = instance
    found = two_opt(start, distance)
    assert all(length_of(other, distance) >= found.cost - 1e-5 for other in turned(found.state))


@settings(max_examples=60)
@given(instances())
def test_after_or_opt_no_row_of_cities_can_be_moved_to_advantage(instance):
    distance, start = instance
    found = or_opt(start, distance)
    assert all(length_of(other, distance) >= found.cost - 1e-5 for other in moved(found.state))


@settings(max_examples=50)
@given(instances())
def test_a_climber_ends_where_2_opt_would_not_go_on(instance):
    distance, start = instance
    found = hill_climbing(start, TourLandscape(Tours(distance)))
    assert two_opt(found.state, distance).cost == pytest.approx(found.cost)


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


def held_karp(distance):
    """The length of the best tour: Held and Karp, "A dynamic programming approach to sequencing problems" (1962)."""
    size = len(distance)
    best = {(1 << city, city): distance[0][city] for city in range(1, size)}
    for count in range(2, size):
        for cities in combinations(range(1, size), count):
            seen = sum(1 << city for city in cities)
            for last in cities:
                rest = seen & ~(1 << last)
                best[seen, last] = min(best[rest, city] + distance[city][last] for city in cities if city != last)
    return min(length + distance[last][0] for (seen, last), length in best.items() if seen == 2**size - 2)


@settings(max_examples=25)
@given(instances(5, 8), seeds)
def test_double_bridges_find_the_best_tour_of_a_few_cities_from_one_of_three_starts(instance, seed):
    distance, start = instance
    random, tours = Random(seed), Tours(distance)
    starts = [start, nearest_neighbour(distance), start[::2] + start[1::2]]
    found = min(iterated(each, tours, random, stop=Steps(200)).cost for each in starts)
    assert found == pytest.approx(held_karp(distance))


@settings(max_examples=25)
@given(instances(5, 8), seeds)
def test_random_restarts_find_the_best_tour_of_a_few_cities(instance, seed):
    distance, start = instance
    found = random_restarts(start, TourLandscape(Tours(distance)), Random(seed), stop=Steps(300))
    assert found.cost == pytest.approx(held_karp(distance))


# --- tours that are changed in place ---------------------------------------------------------------------------------


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


@given(st.integers(3, 12), st.lists(st.tuples(seeds, seeds)))
def test_turning_a_stretch_replaces_the_two_legs_at_its_ends(size, turns):
    cycle = Cycle(range(size))
    for a, b in turns:
        before = legs(cycle.order)
        first, length = a % size, 1 + b % (size - 2)
        stretch = [cycle.order[(first + k) % size] for k in range(length)]
        outside, beyond = cycle.order[first - 1], cycle.order[(first + length) % size]
        cycle.turn(outside, stretch[0], stretch[-1])
        gone, new = {(outside, stretch[0]), (stretch[-1], beyond)}, {(outside, stretch[-1]), (stretch[0], beyond)}
        assert legs(cycle.order) == before - set(map(frozenset, gone)) | set(map(frozenset, new))
        assert all(cycle.order[place] == city for city, place in enumerate(cycle.at))


def legs(tour):
    return {frozenset(leg) for leg in pairwise((*tour, tour[0]))}


# --- other landscapes ------------------------------------------------------------------------------------------------


class Bits:
    """All words of so many bits, a change being one bit; the cost is how many differ from a hidden word."""

    def __init__(self, hidden, size):
        self.hidden, self.size = hidden, size

    def cost(self, state):
        return (state ^ self.hidden).bit_count()

    def somewhere(self, random):
        return random.getrandbits(self.size)

    def changes(self, state):
        for bit in range(self.size):
            yield 1 - 2 * ((state ^ self.hidden) >> bit & 1), bit

    def change(self, state, random):
        bit = random.randrange(self.size)
        return 1 - 2 * ((state ^ self.hidden) >> bit & 1), bit

    def changed(self, state, change):
        return state ^ 1 << change


@given(st.integers(0, 2**16 - 1), seeds)
def test_on_a_landscape_with_one_valley_every_search_finds_its_floor(hidden, seed):
    landscape, random = Bits(hidden, 16), Random(seed)
    climbed = hill_climbing(0, landscape)
    assert climbed == (hidden, 0, hidden.bit_count() + 1)  # one bit a step, and one look more
    assert random_restarts(0, landscape, random, stop=Steps(40)).state == hidden
    assert late_acceptance(0, landscape, random, stop=Steps(2000), memory=5).state == hidden
    assert simulated_annealing(0, landscape, random, steps=2000, hot=1, cold=0.01).state == hidden


class Walk:
    """A way through states of these costs, where the only change is the next step."""

    def __init__(self, *costs):
        self.costs = costs

    def cost(self, state):
        return self.costs[state]

    def changes(self, state):
        yield self.change(state, None)

    def change(self, state, random):
        after = min(state + 1, len(self.costs) - 1)
        return self.costs[after] - self.costs[state], after

    def changed(self, state, change):
        return change


def test_late_acceptance_goes_up_as_far_as_it_stood_some_steps_ago():
    walk = Walk(10, 5, 8, 3)
    assert hill_climbing(0, walk).cost == 5
    assert late_acceptance(0, walk, Random(1), stop=Steps(9), memory=3).cost == 3
    assert late_acceptance(0, walk, Random(1), stop=Steps(9), memory=1).cost == 5


def test_a_hot_metal_goes_up_and_a_cold_one_does_not():
    walk = Walk(10, 5, 8, 3)
    assert simulated_annealing(0, walk, Random(1), steps=50, hot=20, cold=10).cost == 3
    assert simulated_annealing(0, walk, Random(1), steps=50, hot=0.1, cold=0.01).cost == 5


@pytest.mark.parametrize(("hot", "cold"), [(1, 2), (1, 0), (-1, -2)])
def test_a_temperature_that_cannot_fall_is_refused(hot, cold):
    with pytest.raises(ValueError, match=f"hot={hot}, cold={cold}"):
        simulated_annealing(0, Bits(0, 4), Random(1), steps=1, hot=hot, cold=cold)


def test_patience_ends_when_nothing_has_become_better_for_a_while(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    patience = Patience(2)
    told = []
    for now[0], cost in [(0, 9), (1.5, 9), (1.9, 8), (3.5, 8), (3.9, 8)]:
        told.append(patience(cost))
    assert told == [False, False, False, False, True]
