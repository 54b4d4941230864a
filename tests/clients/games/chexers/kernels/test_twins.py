"""Chexers' compiled twins are twins: what they find and what they visit is the readable ones' to the last bit."""

import pytest
from chexers_positions import positions, shuffled, somewhere
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.chexers.evaluation import evaluate
from palio_clients.games.chexers.kernels import max_n, paranoid
from palio_clients.games.chexers.kernels.workspace import cells_in
from palio_clients.search import max_n as readable_max_n
from palio_clients.search import paranoid as readable_paranoid
from palio_clients.search.game_tree import Stopped
from palio_rules.games.chexers import Position, word_of

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all


@settings(deadline=None, max_examples=150)
@given(positions, st.integers(1, 3))
def test_paranoid_finds_move_score_line_and_nodes_of_the_readable_one(state, depth):
    assert paranoid(state, depth) == readable_paranoid(state, depth, evaluate)


@settings(deadline=None, max_examples=100)
@given(positions, st.integers(1, 2))
def test_max_n_finds_move_score_line_and_nodes_of_the_readable_one(state, depth):
    assert max_n(state, depth) == readable_max_n(state, depth, evaluate, seats=3)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 1000), st.integers(1, 3))
def test_both_are_twins_before_a_fourth_repetition(seed, depth):
    state = shuffled(seed, 8)
    assert paranoid(state, depth + 1) == readable_paranoid(state, depth + 1, evaluate)
    assert max_n(state, depth) == readable_max_n(state, depth, evaluate, seats=3)


def test_the_positions_above_have_all_that_is_rare_in_them():
    near, drawn, passes, thrown = 0, 0, 0, 0
    for seed in range(200):
        state = shuffled(seed, 8)
        words = state.history.split()
        near += any(words.count(word) == 3 for word in words)
        drawn += any(state.play(move).outcome() is not None for move in state.legal_moves())
        other = somewhere(seed, 120, 40, 0.03)
        thrown += -1 in other.exits
        passes += next(other.legal_moves()).kind == "PASS"
    assert min(near, drawn, passes, thrown) > 1


def test_both_are_twins_at_the_start_some_plies_deeper():
    assert paranoid(Position.of(), 5) == readable_paranoid(Position.of(), 5, evaluate)
    assert max_n(Position.of(), 4) == readable_max_n(Position.of(), 4, evaluate, seats=3)


@given(positions)
def test_a_word_of_the_history_is_read_as_it_was_written(state):
    assert cells_in(word_of(state.cells, state.turn)) == (state.cells, state.turn)


@pytest.mark.parametrize("search", [paranoid, max_n])
def test_a_search_that_would_take_years_is_stopped_while_other_threads_run(search):
    looks = []

    def stop():
        looks.append(None)
        return len(looks) > 20

    with pytest.raises(Stopped):
        search(Position.of(), 40, stop=stop)
    assert len(looks) == 21, "the kernel held the interpreter's lock"


@pytest.mark.parametrize("search", [paranoid, max_n])
@pytest.mark.parametrize("depth", [0, 65])
def test_a_depth_that_there_is_no_room_for_is_refused(search, depth):
    with pytest.raises(ValueError, match=f"from 1 to 64, got {depth}"):
        search(Position.of(), depth)
