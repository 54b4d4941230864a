"""Breakthrough's board for kernels: the workspace with its masks, moves as small numbers, and their functions.

Square (row, col) is bit `row * cols + col`, as in the rules, so that a position's words are used unchanged. A move is
`square * 4 + side`: the square that is left, and side 1 for left, 2 for straight, 3 for right as the rules list them; 0
is no move. Turn 0 is Black, who moves to higher bits, turn 1 White.
"""

from itertools import takewhile
from typing import Any

import numpy as np

from palio_clients.kernels.bits import ONE, ZERO, lowest, popcount
from palio_clients.kernels.jit import Int, Record, Truth, Word, kernel
from palio_rules.games.breakthrough import BLACK, Board, Move, Position

LEFT, STRAIGHT, RIGHT = 1, 2, 3
SQUARES = 64
TWO = np.uint64(2)
DEEPEST = 96  # plies from the root that fit
LONGEST = SQUARES * 7  # plies of a game: each pawn takes seven steps at most
WIDEST = SQUARES * 3  # moves of one side
MOVES = SQUARES * 4

WORKSPACE = np.dtype(
    [
        ("rows", np.int64),
        ("cols", np.uint64),
        ("row", np.uint64),  # one full row, the top one
        ("left", np.uint64),  # the leftmost column
        ("right", np.uint64),
        ("goal", np.uint64, (2,)),  # each side's far row
        ("ahead", np.uint64, (2,)),  # the row before it
        ("weight", np.float64, (8,)),  # of a pawn so many rows from home, in the readable evaluation
        ("worth", np.int64, (2, SQUARES)),  # of each side's pawn on each square in the strong evaluation, in hundredths
        ("row_of", np.int64, (SQUARES,)),
        ("path", np.uint64, (2, SQUARES)),  # a side's column from a square to its goal
        ("hunters", np.uint64, (2, 2, SQUARES)),  # see `race`
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("clever", np.int64),  # 1: with quiescence, races and reductions; 0: plain
        ("age", np.int64),  # of table entries of this search
        ("line", np.uint8, (DEEPEST + 1, DEEPEST + 1)),  # principal variations by ply, each ending in 0
        ("killers", np.uint8, (DEEPEST + 1, 2)),
        ("history", np.int32, (2, MOVES)),
        ("stack", np.int64, (DEEPEST + 1, WIDEST)),  # moves by ply, each with its merit
    ],
    align=True,
)


def workspace(board: Board) -> Any:
    """Return an array of one record, with the masks of this board."""
    made = np.zeros(1, WORKSPACE)
    space, far = made[0], (board.rows - 1) * board.cols
    space["rows"], space["cols"], space["row"] = board.rows, board.cols, board.row
    space["left"] = sum(1 << shift for shift in board.shifts)
    space["right"] = sum(1 << shift + board.cols - 1 for shift in board.shifts)
    space["goal"] = board.goal
    space["ahead"] = board.row << far - board.cols, board.row << board.cols
    return made


def words_of(state: Position) -> tuple[np.uint64, np.uint64]:
    """Return the pawns of the side to move, and those of the other."""
    own, enemy = (state.white, state.black) if state.turn else (state.black, state.white)
    return np.uint64(own), np.uint64(enemy)


def move_of(board: Board, number: int, turn: int) -> Move:
    row, col = divmod(number // 4, board.cols)
    return Move((row, col), (row + (1 if turn == BLACK else -1), col + number % 4 - STRAIGHT))


def line_of(state: Position, numbers: Any) -> tuple[Move, ...]:
    """Return a line of moves from `state`, up to the first 0."""
    played = enumerate(takewhile(bool, map(int, numbers)), state.turn)
    return tuple(move_of(state.board, number, ply % 2) for ply, number in played)


@kernel
def ways(space: Record, own: Word, enemy: Word, turn: Int) -> tuple[Word, Word, Word]:
    """Return the pawns that can go left, straight and right: three words."""
    cols, taken = space.cols, own | enemy
    if turn == 0:
        left, straight, right = own >> (cols - ONE), taken >> cols, own >> (cols + ONE)
    else:
        left, straight, right = own << (cols + ONE), taken << cols, own << (cols - ONE)
    return own & ~(left | space.left), own & ~straight, own & ~(right | space.right)


@kernel
def landing(space: Record, square: Word, bit: Int, turn: Int) -> Word:
    """Return the destination of the pawn on `square` by the step that is this bit of its fan."""
    left = square + space.cols if turn == 0 else square - space.cols  # less one, which may be off the board
    return ONE << (left + np.uint64(bit) - ONE)


@kernel
def captures(space: Record, own: Word, enemy: Word, turn: Int) -> tuple[Word, Word]:
    """Return the pawns that can capture to the left and to the right."""
    cols = space.cols
    if turn == 0:
        return own & ~space.left & (enemy >> (cols - ONE)), own & ~space.right & (enemy >> (cols + ONE))
    return own & ~space.left & (enemy << (cols + ONE)), own & ~space.right & (enemy << (cols - ONE))


@kernel
def source(number: Int) -> Word:
    return ONE << np.uint64(number >> 2)


@kernel
def target(space: Record, number: Int, turn: Int) -> Word:
    return landing(space, np.uint64(number >> 2), (number & 3) - 1, turn)


@kernel
def fan_of(left: Word, straight: Word, right: Word, square: Word) -> Word:
    """Return which of its three steps the pawn on `square` can take: bits 0, 1 and 2."""
    return ((left >> square) & ONE) | (((straight >> square) & ONE) << ONE) | (((right >> square) & ONE) << TWO)


@kernel
def numbered(square: Word, bit: Int) -> Int:
    """Return the move that is this bit of the pawn's fan."""
    return np.int64(square) * 4 + bit + 1


@kernel
def won(space: Record, own: Word, enemy: Word, turn: Int) -> Truth:
    """Return whether the side `turn`, which has just moved, has won."""
    return (own & space.goal[turn]) != ZERO or enemy == ZERO


# Counting of playable games: the twin of counting with the rules, and the benchmark of move generators.


def perft(state: Position, depth: int) -> int:
    """Return how many games of `depth` more plies there are. The last ply is counted without playing its moves."""
    if depth == 0:
        return 1
    if state.to_move is None:
        return 0
    return int(_perft(workspace(state.board), *words_of(state), state.turn, depth))


@kernel
def _perft(spaces: Record, own: Word, enemy: Word, turn: Int, depth: Int) -> Int:
    return _count(spaces[0], own, enemy, turn, depth)


@kernel
def _count(space: Record, own: Word, enemy: Word, turn: Int, depth: Int) -> Int:
    left, straight, right = ways(space, own, enemy, turn)
    if depth == 1:
        return popcount(left) + popcount(straight) + popcount(right)
    leaves = 0
    movers = left | straight | right
    while movers != ZERO:
        square = np.uint64(lowest(movers))
        movers &= movers - ONE
        pawn, fan = ONE << square, fan_of(left, straight, right, square)
        while fan != ZERO:
            to = landing(space, square, lowest(fan), turn)
            fan &= fan - ONE
            if (to & space.goal[turn]) == ZERO and to != enemy:
                leaves += _count(space, enemy & ~to, own ^ (pawn | to), 1 - turn, depth - 1)
    return leaves
