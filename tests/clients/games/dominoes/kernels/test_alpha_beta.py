"""Dominoes' compiled twins are twins: what they find and what they visit is the readable ones' to the last bit."""

from math import inf

import pytest
from dominoes_positions import WIDE, empty, positions
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.games.dominoes.kernels import alpha_beta, counted_alpha_beta
from palio_clients.search import alpha_beta as readable_alpha_beta
from palio_clients.search.game_tree import Stopped
from palio_clients.search.minimax import CountedAlphaBeta

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all


def counted(state, limit):
    """The readable search that counts leaves."""
    moves = CountedAlphaBeta(
        lambda state, _root: ((move, state.play(move)) for move in state.legal_moves()),
        lambda leaf: evaluate(leaf, state.turn),
    )
    return moves.search(state, limit)


@settings(deadline=None)
@given(positions(), st.integers(1, 4))
def test_alpha_beta_finds_move_score_line_and_nodes_of_the_readable_one(state, depth):
    assume(state.to_move is not None)
    assert alpha_beta(state, depth) == readable_alpha_beta(state, depth, evaluate)


@settings(deadline=None, max_examples=30)
@given(positions((6, 7), (8, 8), (4, 16)), st.integers(1, 3))
def test_alpha_beta_is_the_twin_on_boards_of_up_to_64_squares(state, depth):
    assume(state.to_move is not None)
    assert alpha_beta(state, depth) == readable_alpha_beta(state, depth, evaluate)


@settings(deadline=None, max_examples=20)
@given(positions(*WIDE), st.integers(1, 2))
def test_alpha_beta_is_the_twin_on_boards_wider_than_a_word(state, depth):
    assume(state.to_move is not None)
    assert alpha_beta(state, depth) == readable_alpha_beta(state, depth, evaluate)


@settings(deadline=None)
@given(positions(), st.integers(-4, 4), st.integers(1, 5))
def test_alpha_beta_is_the_twin_within_any_window(state, alpha, width):
    assume(state.to_move is not None)
    window = {"alpha": float(alpha), "beta": float(alpha + width)}
    assert alpha_beta(state, 3, **window) == readable_alpha_beta(state, 3, evaluate, **window)


@settings(deadline=None)
@given(positions(), st.integers(0, 4))
def test_counting_leaves_finds_move_value_and_leaves_of_the_readable_one(state, limit):
    assert counted_alpha_beta(state, limit) == counted(state, limit)


def test_alpha_beta_is_the_twin_at_the_start_some_plies_deeper():
    assert alpha_beta(empty(8, 8), 4) == readable_alpha_beta(empty(8, 8), 4, evaluate)
    assert alpha_beta(empty(4, 4), 16) == readable_alpha_beta(empty(4, 4), 16, evaluate)


def test_an_open_window_is_the_default():
    assert alpha_beta(empty(6, 6), 2) == alpha_beta(empty(6, 6), 2, alpha=-inf, beta=inf)


@pytest.mark.parametrize("side", [8, 10])
def test_a_search_that_would_take_years_is_stopped_while_other_threads_run(side):
    looks = []

    def stop():
        looks.append(None)
        return len(looks) > 20

    with pytest.raises(Stopped):
        alpha_beta(empty(side, side), 30, stop=stop)
    assert len(looks) == 21, "the kernel held the interpreter's lock"


@pytest.mark.parametrize("depth", [0, -1])
def test_a_search_of_no_depth_is_refused(depth):
    with pytest.raises(ValueError, match=f"at least 1, got {depth}"):
        alpha_beta(empty(6, 6), depth)
