"""End of the Track's compiled twins are twins, draws by repetition and by length included."""

import pytest
from end_of_track_positions import positions, repeated, somewhere
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.end_of_the_track.evaluation import evaluate
from palio_clients.games.end_of_the_track.kernels import alpha_beta, perft
from palio_clients.games.end_of_the_track.kernels.history import LETTERS
from palio_clients.search import alpha_beta as readable_alpha_beta
from palio_clients.search.game_tree import Stopped
from palio_rules.boards.end_of_track import SQUARES, word_of
from palio_rules.games.end_of_track import START, Position

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all


def counted(state, depth):
    """Perft by the rules."""
    if depth == 0:
        return 1
    return sum(counted(state.play(move), depth - 1) for move in state.legal_moves())


@settings(deadline=None, max_examples=40)
@given(positions, st.integers(0, 2))
def test_perft_counts_what_the_rules_list(state, depth):
    assert perft(state, depth) == counted(state, depth)


def test_perft_from_the_start_is_the_published_one():
    assert [perft(Position.of(START), depth) for depth in range(1, 5)] == [18, 324, 6264, 121004]


@pytest.mark.parametrize("steps", range(4))
def test_perft_sees_the_draw_by_repetition(steps):
    state = repeated(3, 0, 2, steps)
    assert state.outcome() is None
    assert perft(state, 3) == counted(state, 3)
    assert perft(state, 3) < perft(Position.of(state.pieces, state.turn), 3)


@settings(deadline=None, max_examples=60)
@given(positions, st.integers(1, 3))
def test_alpha_beta_finds_move_score_line_and_nodes_of_the_readable_one(state, depth):
    assert alpha_beta(state, depth) == readable_alpha_beta(state, depth, evaluate)


@settings(deadline=None, max_examples=25)
@given(positions, st.floats(-9, 9), st.floats(0.1, 9))
def test_alpha_beta_is_the_twin_within_any_window(state, alpha, width):
    window = {"alpha": alpha, "beta": alpha + width}
    assert alpha_beta(state, 2, **window) == readable_alpha_beta(state, 2, evaluate, **window)


@pytest.mark.parametrize("steps", range(4))
def test_alpha_beta_is_the_twin_where_repetitions_are_near(steps):
    state = repeated(5, 2, 2, steps)
    assert alpha_beta(state, 4) == readable_alpha_beta(state, 4, evaluate)


@pytest.mark.parametrize("left", range(1, 5))
def test_alpha_beta_is_the_twin_where_the_last_ply_is_near(left):
    state = somewhere(8, 6, 6 + left)
    assert alpha_beta(state, 4) == readable_alpha_beta(state, 4, evaluate)


def test_words_of_the_history_that_no_position_has_are_no_positions():
    pieces, turn = START, 0
    word = word_of(pieces, turn)
    disguised = f"w{word[2]}{word[1]}{word[3:]}"  # the same blocks, not sorted: the rules never find it
    doubled = f"wAA{word[3:]}"
    history = f"{disguised} {disguised} {doubled}"
    state = Position.of((0, 2, 3, 4, 5, 3, *START[6:]), 1, 40, 300, history)
    assert alpha_beta(state, 2) == readable_alpha_beta(state, 2, evaluate)


def test_letters_are_those_of_the_rules():
    for square in range(SQUARES - 5):
        blocks = tuple(range(square, square + 5))
        assert word_of((*blocks, square, *blocks, square), 0)[1] == LETTERS[square]
    assert len(LETTERS) == SQUARES


def test_a_search_that_is_stopped_raises():
    looks = []

    def stop():
        looks.append(None)
        return len(looks) > 20

    with pytest.raises(Stopped):
        alpha_beta(Position.of(START), 40, stop=stop)
    assert len(looks) == 21


@pytest.mark.parametrize("depth", [0, 97])
def test_a_depth_that_there_is_no_room_for_is_refused(depth):
    with pytest.raises(ValueError, match=f"from 1 to 96, got {depth}"):
        alpha_beta(Position.of(START), depth)
