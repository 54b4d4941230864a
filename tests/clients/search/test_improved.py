"""Every local search keeps one contract: never worse than the start, stopped at once, the same under a seed."""

from functools import partial
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tour_instances import instances, seeds

from palio_clients.games.tsp.landscape import TourLandscape
from palio_clients.search.local_search import hill_climbing, late_acceptance, random_restarts, simulated_annealing
from palio_clients.search.tours import Patience, Steps, Tours, iterated_local_search, length_of, never, or_opt, two_opt


def anneal(start, landscape, random, stop=never):
    return simulated_annealing(start, landscape, random, steps=200, hot=20, cold=0.1, stop=stop)


def on_a_landscape(search):
    """A search of any landscape, as one of tours that is calls the distances."""
    return lambda start, distance, random, stop: search(start, TourLandscape(Tours(distance)), random, stop=stop)


IMPROVERS = {
    "hill climbing": on_a_landscape(lambda start, landscape, random, stop: hill_climbing(start, landscape, stop=stop)),
    "random restarts": on_a_landscape(random_restarts),
    "late acceptance": on_a_landscape(partial(late_acceptance, memory=20)),
    "simulated annealing": on_a_landscape(anneal),
    "2-opt": lambda start, distance, random, stop: two_opt(start, distance, stop=stop),
    "Or-opt": lambda start, distance, random, stop: or_opt(start, distance, stop=stop),
    "double bridges": lambda start, distance, random, stop: iterated_local_search(
        start, Tours(distance), random, stop=stop
    ),
}


@pytest.mark.parametrize("improver", IMPROVERS)
@settings(max_examples=settings().max_examples // 3)
@given(instances(), seeds, st.integers(0, 60))
def test_an_improver_gives_a_tour_that_is_never_worse_and_tells_its_length(improver, instance, seed, steps):
    distance, start = instance
    found = IMPROVERS[improver](start, distance, Random(seed), Steps(steps))
    assert sorted(found.state) == sorted(start)
    assert found.cost == pytest.approx(length_of(found.state, distance))
    assert found.cost <= length_of(start, distance) + 1e-6


@pytest.mark.parametrize("improver", IMPROVERS)
@settings(max_examples=settings().max_examples // 3)
@given(instances(), seeds, st.integers(0, 30))
def test_an_improver_stops_when_it_is_told_to(improver, instance, seed, steps):
    distance, start = instance
    asked = []

    def stop(cost):
        asked.append(cost)
        return len(asked) > steps

    found = IMPROVERS[improver](start, distance, Random(seed), stop)
    assert len(asked) <= steps + 2  # a search that is one of several may be calls, and then the whole
    assert found.steps <= steps
    assert all(later <= sooner + 1e-6 for sooner, later in pairwise(asked))
    assert found.cost <= asked[-1] + 1e-6


@pytest.mark.parametrize("improver", IMPROVERS)
@settings(max_examples=settings().max_examples // 3)
@given(instances(), seeds)
def test_the_same_seed_takes_the_same_way(improver, instance, seed):
    distance, start = instance
    first, second = (IMPROVERS[improver](start, distance, Random(seed), Steps(40)) for _ in range(2))
    assert first == second


def test_patience_ends_when_nothing_has_become_better_for_a_while(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    patience = Patience(2)
    calls = []
    for now[0], cost in [(0, 9), (1.5, 9), (1.9, 8), (3.5, 8), (3.9, 8)]:
        calls.append(patience(cost))
    assert calls == [False, False, False, False, True]
