"""Breakthrough's compiled tree search: deterministic, fair in its random games, and it finds what there is to find."""

from math import sqrt
from random import Random

import numpy as np
import pytest
from breakthrough_positions import first, positions, wins
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.breakthrough.kernels import mcts
from palio_clients.kernels.bits import below, nth_of, scrambled
from palio_clients.search import mcts as readable_mcts
from palio_clients.search.mcts import Playout

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all


def mixed(seed):
    return np.uint64(scrambled(np.uint64(seed)))


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_a_seed_finds_the_same_again(seed):
    assert mcts(first(6, 6), nodes=2000, seed=seed) == mcts(first(6, 6), nodes=2000, seed=seed)


def test_other_seeds_play_other_games():
    assert len({mcts(first(6, 6), nodes=500, seed=seed).score for seed in range(8)}) > 1


@settings(deadline=None)
@given(positions(), st.integers(1, 300), st.integers(0, 9))
def test_each_simulation_counts_and_the_line_can_be_played(state, nodes, seed):
    best = mcts(state, nodes=nodes, seed=seed)
    assert best.nodes == nodes
    assert best.move == best.pv[0]
    assert 0 <= best.score <= 1
    for move in best.pv:
        state.check(move)
        state = state.play(move)


@settings(deadline=None, max_examples=30)
@given(positions((4, 3)))
def test_with_time_enough_it_finds_the_win_that_looking_at_everything_finds(state):
    best = mcts(state, nodes=30_000)
    assert wins(state) is not wins(state.play(best.move)) or not wins(state)
    assert (best.score > 0.5) is wins(state)


def test_its_expectation_is_that_of_the_readable_search():
    state = first(6, 6)
    ours = [mcts(state, nodes=400, seed=seed).score for seed in range(40)]
    random = Playout(2, lambda _state, _seat: 0.0)
    theirs = [readable_mcts(state, random, random=Random(seed), nodes=400).score for seed in range(4)]
    assert abs(np.mean(ours) - np.mean(theirs)) < 0.06


def test_without_exploration_it_is_greedier():
    shares = [mcts(first(6, 6), nodes=3000, exploration=c).depth for c in (0.2, sqrt(2))]
    assert shares[0] > shares[1]


def test_there_is_an_answer_even_if_there_is_no_time_at_all():
    best = mcts(first(8, 8), nodes=1_000_000, stop=lambda: True)
    assert best.nodes == 1
    first(8, 8).check(best.move)


def test_it_ends_soon_after_its_stop_says_so():
    looks = []

    def stop():
        looks.append(None)
        return len(looks) > 20

    assert 1 <= mcts(first(8, 8), nodes=10**9, stop=stop).nodes < 10**9


@given(st.integers(1, 168), st.integers(0, 2**64 - 1))
def test_a_random_number_is_below_its_limit(limit, seed):
    assert 0 <= below(mixed(seed), limit) < limit


def test_random_numbers_are_even():
    counts = np.bincount([below(mixed(seed), 7) for seed in range(70_000)], minlength=7)
    assert abs(counts - 10_000).max() < 400  # four standard deviations


@given(st.integers(1, 2**64 - 1), st.data())
def test_the_nth_bit_is_the_nth_bit(word, data):
    bits = [1 << at for at in range(64) if word >> at & 1]
    number = data.draw(st.integers(0, len(bits) - 1))
    assert int(nth_of(np.uint64(word), number)) == bits[number]
