"""The compiled board of Go is a twin of the rules: the same legal moves, stones and score in random games."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.go.kernels import legal_boards
from palio_clients.games.go.kernels.workspace import (
    STRIDE,
    difference,
    is_legal,
    lay_out,
    move_of,
    play,
    point_of,
    workspace,
)
from palio_rules.boards.go import PASS
from palio_rules.errors import IllegalMove
from palio_rules.games.go import Go, GoOptions

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all
RULES = Go()


def may(state, move):
    """Return True if the rules allow a move, or forbid it only because of a cycle longer than a ko."""
    try:
        state.check(move)
    except IllegalMove as error:
        unchanged = "unchanged" in str(error)  # a suicide of one stone
        return error.code == "superko" and not unchanged and move != state.board.names.get(state.ko)
    return True


def stones(board, size):
    cells = board["colour"].reshape(STRIDE, STRIDE)[1 : size + 1, 1 : size + 1]
    return ["".join(".XO"[cell] for cell in row) for row in cells]


def compare(size, seed, *, suicide):
    choose, boards = random.Random(seed), workspace()
    state = RULES.start(GoOptions(size=size, suicide=suicide, komi=0))
    lay_out(boards, state)
    board = boards[0]
    while state.to_move is not None:
        assert stones(board, size) == state.rows()
        assert int(difference(board)) == state.margin()
        empties = [int(point) for point in board["empties"][: board["empty"]]]
        assert {move_of(state.board, point) for point in empties} == {
            name for name, bit in state.board.bits.items() if not (state.black | state.white) & bit
        }
        for point in empties:
            move = move_of(state.board, point)
            assert is_legal(board, point, state.turn + 1) == may(state, move), (move, str(state))
        moves = state.legal_moves()
        move = choose.choice(moves[:-1]) if len(moves) > 1 and choose.random() < 0.95 else PASS
        after = state.play(move)
        taken = play(board, point_of(state.board, move), state.turn + 1)
        if not suicide:
            assert taken == after.captures[state.turn] - state.captures[state.turn]
        state = after


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(size=st.integers(1, 6), seed=st.integers(0, 2**32), suicide=st.booleans())
def test_a_random_game_is_the_same_by_the_rules_and_compiled(size, seed, suicide):
    compare(size, seed, suicide=suicide)


@pytest.mark.parametrize("size", [9, 19])
def test_a_random_game_on_a_large_board_is_the_same(size):
    compare(size, seed=size, suicide=False)


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 57), (3, 12675), (4, 24318165)])
def test_as_many_boards_are_legal_as_tromp_and_farneback_counted(size, count):
    """OEIS A094777."""
    assert legal_boards(size) == count
