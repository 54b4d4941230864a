"""Searches of any landscape: one valley has one floor."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tour_instances import Bits, seeds

from palio_clients.search.local_search import hill_climbing, late_acceptance, random_restarts, simulated_annealing
from palio_clients.search.tours import Steps


@given(st.integers(0, 2**16 - 1), seeds)
def test_on_a_landscape_with_one_valley_every_search_finds_its_floor(hidden, seed):
    landscape, random = Bits(hidden, 16), Random(seed)
    climbed = hill_climbing(0, landscape)
    assert climbed == (hidden, 0, hidden.bit_count() + 1)  # one bit a step, and one look more
    assert random_restarts(0, landscape, random, stop=Steps(40)).state == hidden
    assert late_acceptance(0, landscape, random, stop=Steps(2000), memory=5).state == hidden
    assert simulated_annealing(0, landscape, random, steps=2000, hot=1, cold=0.01).state == hidden
