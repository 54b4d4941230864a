"""The board of dominoes for kernels: the workspace with its masks, and words as sets of squares.

Square (row, col) is bit `row * cols + col`, as in the rules, but a kernel's word has the squares that are *free*. Words
have 64, 128 or 256 bits (see `kernels.words`); each kernel is compiled for those widths that it is called with. A move
is the square of its top or left half.

A **way** is a direction to look along: 0 down the columns, where Vertical places dominoes, 1 along the rows.
"""

from typing import Any

import numpy as np

from palio_clients.kernels.jit import Record, Word, kernel
from palio_clients.kernels.words import PARTS, kind_of, loaded, parts
from palio_rules.games.dominoes import MAX_SIDE, Board, Move, Position

DEEPEST = MAX_SIDE * MAX_SIDE // 2 + 1  # plies of the longest game, and one
WIDEST = MAX_SIDE * (MAX_SIDE - 1)  # moves of one side
STACK = DEEPEST * WIDEST // 2  # moves of all plies: with each two plies there are fewer

WORKSPACE = np.dtype(
    [
        ("step", np.uint64, (2,)),  # to the next square of a way
        ("next", np.uint64, (2, PARTS)),  # the squares that have a next one on the board
        ("last", np.uint64, (2, PARTS)),  # the squares that have one before them
        ("squares", np.int64),
        ("unused", np.uint64),  # bits of a word that are no squares
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("age", np.int64),  # of entries of the table that this search makes
        # of the position at each ply
        ("free", np.uint64, (DEEPEST, PARTS)),
        ("rest", np.uint64, (DEEPEST, PARTS)),  # moves that have not been tried
        ("window", np.float64, (DEEPEST, 2)),
        ("best", np.float64, (DEEPEST,)),
        ("line", np.uint8, (DEEPEST, DEEPEST)),  # principal variations
        ("length", np.int64, (DEEPEST,)),
        ("balance", np.int64, (DEEPEST,)),
        ("begin", np.int64, (DEEPEST + 1,)),  # where its moves lie on the stack
        ("end", np.int64, (DEEPEST,)),
        ("since", np.int64, (DEEPEST,)),  # nodes counted before it
        ("child", np.uint64, (STACK, PARTS)),  # the stack: what is free after a move
        ("child_balance", np.int64, (STACK,)),
        ("value", np.int64, (STACK,)),  # what it looks like for the side that has moved
        ("merit", np.int64, (STACK,)),  # the greatest is tried first
        ("move", np.int64, (STACK,)),
        ("edge", np.int64, (2, 256)),  # merit of a move for being near the edges
        ("chosen", np.int64),
        ("history", np.int64, (2, 256)),
        ("guaranteed", np.int8, (2, 2, 16, 16, 32)),  # see `bounds`
    ],
    align=True,
)


def workspace(board: Board) -> Any:
    """An array of one record, with the masks of this board."""
    made = np.zeros(1, WORKSPACE)
    space, bits = made[0], kind_of(board.rows * board.cols)
    first_col = sum(1 << row * board.cols for row in range(board.rows))
    space["step"] = board.cols, 1
    space["next"] = parts(board.full >> board.cols), parts(board.left_of_another)
    space["last"] = parts(board.full & ~((1 << board.cols) - 1)), parts(board.full & ~first_col)
    space["squares"], space["unused"] = board.rows * board.cols, bits - board.rows * board.cols
    return made


def free_in(state: Position) -> Any:
    """The free squares in parts."""
    return np.array(parts(state.board.full & ~state.filled), np.uint64)


def line_of(board: Board, squares: Any) -> tuple[Move, ...]:
    return tuple(Move(*divmod(int(square), board.cols)) for square in squares)


@kernel
def ways(space: Record, like: Word) -> tuple[Any, Any]:
    """What the functions below need of each way, in words of the type of `like`."""
    down = space.step[0], loaded(like, space.next[0]), loaded(like, space.last[0])
    along = space.step[1], loaded(like, space.next[1]), loaded(like, space.last[1])
    return down, along


@kernel
def before(cells: Word, way: Any) -> Word:
    """The squares whose next one is in `cells`."""
    return (cells >> way[0]) & way[1]


@kernel
def after(cells: Word, way: Any) -> Word:
    """The squares next to those in `cells`."""
    return (cells << way[0]) & way[2]


@kernel
def places(free: Word, way: Any) -> Word:
    """The squares where a domino can begin."""
    return free & before(free, way)


@kernel
def played(free: Word, place: Word, way: Any) -> Word:
    return free & ~(place | (place << way[0]))
