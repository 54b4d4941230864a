"""Breakthrough's compiled twins are twins: what they find and what they visit is the readable ones' to the last bit."""

import threading
import time
from math import inf

import pytest
from breakthrough_positions import first, positions
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.breakthrough.evaluation import evaluate
from palio_clients.games.breakthrough.kernels import alpha_beta, perft
from palio_clients.search import alpha_beta as readable_alpha_beta
from palio_clients.search.game_tree import Stopped


def counted(state, depth):
    """Perft by the rules."""
    if depth == 0:
        return 1
    return sum(counted(state.play(move), depth - 1) for move in state.legal_moves())


@given(positions(), st.integers(0, 3))
def test_perft_counts_what_the_rules_list(state, depth):
    assert perft(state, depth) == counted(state, depth)


@given(positions())
def test_perft_of_a_decided_game_is_nothing(state):
    for move in state.legal_moves():
        after = state.play(move)
        assert (perft(after, 1) == 0) is (after.outcome() is not None)


@pytest.mark.parametrize(
    ("side", "counts"), [(6, (1, 16, 256, 4308, 71478, 1248290, 21470998)), (8, (1, 22, 484, 11132, 256036, 6182818))]
)
def test_perft_from_the_start_is_the_published_one(side, counts):
    assert tuple(perft(first(side, side), depth) for depth in range(len(counts))) == counts


@pytest.mark.slow
@settings(deadline=None)
@given(positions(), st.integers(1, 3))
def test_alpha_beta_finds_move_score_line_and_nodes_of_the_readable_one(state, depth):
    assert alpha_beta(state, depth) == readable_alpha_beta(state, depth, evaluate)


@settings(deadline=None, max_examples=20)
@given(positions((4, 3), (5, 4)), st.integers(4, 6))
def test_alpha_beta_is_the_twin_where_games_end_within_the_search(state, depth):
    assert alpha_beta(state, depth) == readable_alpha_beta(state, depth, evaluate)


@settings(deadline=None)
@given(positions(), st.floats(-3, 3), st.floats(0.1, 3))
def test_alpha_beta_is_the_twin_within_any_window(state, alpha, width):
    window = {"alpha": alpha, "beta": alpha + width}
    assert alpha_beta(state, 3, **window) == readable_alpha_beta(state, 3, evaluate, **window)


def test_alpha_beta_is_the_twin_at_the_start_some_plies_deeper():
    assert alpha_beta(first(6, 6), 5) == readable_alpha_beta(first(6, 6), 5, evaluate)
    assert alpha_beta(first(8, 8), 4) == readable_alpha_beta(first(8, 8), 4, evaluate)


def test_a_search_that_is_stopped_at_once_raises():
    with pytest.raises(Stopped):
        alpha_beta(first(8, 8), 40, stop=lambda: True)


def test_a_search_that_would_take_years_is_stopped_while_other_threads_run():
    turns, begun = [], time.monotonic()

    def stop():
        turns.append(threading.get_ident())
        return len(turns) > 20 or time.monotonic() > begun + 60

    with pytest.raises(Stopped):
        alpha_beta(first(8, 8), 40, stop=stop)
    assert len(turns) == 21, "the kernel held the interpreter's lock"
    assert turns[-1] != threading.get_ident()


@pytest.mark.parametrize("depth", [0, -1, 97])
def test_a_depth_that_there_is_no_room_for_is_refused(depth):
    with pytest.raises(ValueError, match=f"from 1 to 96, got {depth}"):
        alpha_beta(first(6, 6), depth)


def test_an_open_window_is_the_default():
    assert alpha_beta(first(6, 6), 2) == alpha_beta(first(6, 6), 2, alpha=-inf, beta=inf)
