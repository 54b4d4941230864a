"""The board of dominoes for kernels: the workspace with its masks, and words as sets of squares.

Square (row, col) is bit `row * cols + col`, as in the rules, but a kernel's word has the squares that are *free*. Words
have 64, 128 or 256 bits (see `kernels.wide_words`); each kernel is compiled for the widths that are used. A move is the
square of its top or left half.

A **way** is a direction: 0 down the columns, where Vertical places dominoes, 1 along the rows.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio_clients.kernels.jit import Int, Record, Word, kernel
from palio_clients.kernels.wide_words import PARTS, kind_of, loaded, nothing_like, parts, size
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
        ("unused", np.uint64),  # bits of a word that are not squares
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("age", np.int64),  # of table entries of this search
        # of the position at each ply
        ("free", np.uint64, (DEEPEST, PARTS)),
        ("rest", np.uint64, (DEEPEST, PARTS)),  # untried moves
        ("window", np.float64, (DEEPEST, 2)),
        ("best", np.float64, (DEEPEST,)),
        ("line", np.uint8, (DEEPEST, DEEPEST)),  # principal variations
        ("length", np.int64, (DEEPEST,)),
        ("balance", np.int64, (DEEPEST,)),
        ("begin", np.int64, (DEEPEST + 1,)),  # the start of its moves on the stack
        ("end", np.int64, (DEEPEST,)),
        ("since", np.int64, (DEEPEST,)),  # nodes counted before it
        ("child", np.uint64, (STACK, PARTS)),  # the stack: the free squares after a move
        ("child_balance", np.int64, (STACK,)),
        ("value", np.int64, (STACK,)),  # its estimate for the side that has moved
        ("merit", np.int64, (STACK,)),  # the greatest is tried first
        ("move", np.int64, (STACK,)),
        ("edge", np.int64, (2, 256)),  # merit of a move for its nearness to the edges
        ("chosen", np.int64),
        ("history", np.int64, (2, 256)),
        ("guaranteed", np.int8, (2, 2, 16, 16, 32)),  # see `bounds`
    ],
    align=True,
)


def workspace(board: Board) -> Any:
    """Return an array of one record, with the masks of this board."""
    made = np.zeros(1, WORKSPACE)
    space, bits = made[0], kind_of(board.rows * board.cols)
    first_col = sum(1 << row * board.cols for row in range(board.rows))
    space["step"] = board.cols, 1
    space["next"] = parts(board.full >> board.cols), parts(board.left_of_another)
    space["last"] = parts(board.full & ~((1 << board.cols) - 1)), parts(board.full & ~first_col)
    space["squares"], space["unused"] = board.rows * board.cols, bits - board.rows * board.cols
    return made


def free_in(state: Position) -> Any:
    """Return the free squares in parts."""
    return np.array(parts(state.board.full & ~state.filled), np.uint64)


def line_of(board: Board, squares: Any) -> tuple[Move, ...]:
    return tuple(Move(*divmod(int(square), board.cols)) for square in squares)


@kernel
def ways(space: Record, like: Word) -> tuple[Any, Any]:
    """Return the constants of each way for the functions below, in words of the type of `like`."""
    down = space.step[0], loaded(like, space.next[0]), loaded(like, space.last[0])
    along = space.step[1], loaded(like, space.next[1]), loaded(like, space.last[1])
    return down, along


@kernel
def before(cells: Word, way: Any) -> Word:
    """Return the squares whose next one is in `cells`."""
    return (cells >> way[0]) & way[1]


@kernel
def after(cells: Word, way: Any) -> Word:
    """Return the squares next to those in `cells`."""
    return (cells << way[0]) & way[2]


@kernel
def places(free: Word, way: Any) -> Word:
    """Return the squares where a domino can begin."""
    return free & before(free, way)


@kernel
def played(free: Word, place: Word, way: Any) -> Word:
    return free & ~(place | (place << way[0]))


# Bounds for the last move: how many moves a side can guarantee itself, and how many the other can have at most.
#
# The idea, and safe and vulnerable places, are Bullock's, "Domineering: solving large combinatorial search spaces",
# ICGA Journal 25 (2002); the guarantees, and how they are found, are our own. For a side and its opponent:
#
# - A **safe** domino lies on squares that the opponent cannot cover, so that move cannot be prevented.
# - A **box** is two by two free squares, one half of which, a domino, the opponent can cover from the other half only.
#   The first to play there has it: the side gets two moves, one of them safe then; the opponent leaves it none.
# - Further dominoes that do not overlap: **double** if one move of the opponent may hit two of them, or one and a box,
#   else **single**.
#
# A number of boxes, singles and doubles is a small game of its own, in which the side takes one of them in a turn, and
# the opponent spoils one box, one single, or two doubles; or half of a box, which is a single then, together with half
# of another box that touches it, or with a double. `guarantees` solves this game: a lower bound of the side's moves on
# the board, because it may keep to that plan.
#
# The opponent has at most all the dominoes that fit into its runs of free squares. Every move of the plan takes two
# squares out of its runs, or one if it is a **half** one, and two squares cost it a move; but of an **odd** run, where
# one square was idle, the first one is free. The side wins if it is sure of more moves than the opponent can have; when
# the opponent moves first, an equal number is enough.

FIRST, SECOND = 0, 1  # whether the side itself moves next
BOXES, SINGLES, DOUBLES = 15, 15, 31  # at most that are counted


@cache
def guarantees() -> NDArray[np.int8]:
    """Return the moves a side gets out of so many boxes, singles and doubles, when it moves first and when second.

    Two tables: without boxes that touch, and with some.
    """
    known = np.zeros((2, 2, BOXES + 1, SINGLES + 1, DOUBLES + 1), np.int8)
    for touching, boxes, doubles, singles in np.ndindex(2, BOXES + 1, DOUBLES + 1, SINGLES + 1):
        left, (first, second) = (boxes, singles, doubles), known[touching]
        second[left] = min((first[less] for less in _spoilt(*left, touching)), default=0)
        first[left] = max((gain + second[less] for gain, less in _taken(*left)), default=0)
    return known


def _taken(boxes: int, singles: int, doubles: int) -> list[tuple[int, tuple[int, int, int]]]:
    """Return the side's options: its gain, and the rest."""
    ways = [(2, (boxes - 1, singles, doubles)), (1, (boxes, singles - 1, doubles)), (1, (boxes, singles, doubles - 1))]
    return [(gain, less) for gain, less in ways if min(less) >= 0]


def _spoilt(boxes: int, singles: int, doubles: int, touching: int) -> list[tuple[int, int, int]]:
    """Return the opponent's options: the rest after each. A single above the maximum count is dropped."""
    ways = [
        (boxes - 1, singles, doubles),
        (boxes - 1, min(singles + 1, SINGLES), doubles - 1),
        (boxes, singles - 1, doubles),
        (boxes, singles, doubles - 1),
        (boxes, singles, doubles - 2),
    ]
    if touching:
        ways.append((boxes - 2, min(singles + 2, SINGLES), doubles))
    return [less for less in ways if min(less) >= 0]


@kernel
def halves(cells: Word, way: Any) -> Word:
    """Return the first, third, fifth ... square of each run of `cells` along a way.

    By doubling, as in Kogge and Stone, IEEE Transactions on Computers 22 (1973): runs have at most 16 squares.
    """
    step, two = way[0], way[0] + way[0]
    behind = after(cells, way)
    found, run = cells & ~behind, cells & behind
    run = run & after(run, way)  # squares at the end of at least three
    found = found | ((found << two) & run)
    run = run & (run << two)
    found = found | ((found << (two + two)) & run)
    run = run & (run << (two + two))
    return found | ((found << (step << np.uint64(3))) & run)


@kernel
def packed(cells: Word, way: Any) -> Word:
    """Return the second square of each of as many dominoes as can lie on `cells`."""
    return after(halves(cells, way), way) & cells


@kernel
def coverable(free: Word, way: Any) -> Word:
    """Return the squares that some domino can cover."""
    return free & (before(free, way) | after(free, way))


@kernel
def most(free: Word, way: Any) -> Int:
    """Return how many dominoes can be placed without any move of the other side."""
    return size(packed(free, way))


@kernel
def plan(free: Word, own: Any, other: Any) -> tuple[Int, Int, Int, Int, Int, Int, Int]:
    """Return a side's plan: how many safe dominoes, boxes, singles and doubles there are that do not overlap.

    Then whether boxes touch; how many half ones there are, and odd runs of the opponent that are met.
    """
    contested = coverable(free, other)
    safe = packed(free & ~contested, own)
    rest = free & ~(safe | before(safe, own))
    # boxes without a square before their first half, then those without one after their second half
    closed = free & ~after(free, other)
    pairs = rest & before(rest, own)
    one = halves(pairs & before(pairs, other) & closed & before(closed, own), own)
    left_half = one | after(one, own)
    right_half = after(left_half, other)
    rest = rest & ~(left_half | right_half)
    closed = free & ~before(free, other)
    pairs = rest & before(rest, own)
    two = halves(pairs & before(pairs & closed & before(closed, own), other), own)
    more = two | after(two, own)
    touching = np.int64(after(right_half, other) & more != nothing_like(free))
    boxes = left_half | right_half | more | after(more, other)
    # the rest
    seconds = packed(rest & ~boxes, own)
    cells = seconds | before(seconds, own)
    beside = cells | boxes
    hit = cells & (before(beside, other) | after(beside, other))
    doubles = size(seconds & (hit | after(hit, own)))
    half = size(seconds & ~(contested & after(contested, own)))
    return size(safe), size(one) + size(two), size(seconds) - doubles, doubles, touching, half, odd(free, beside, other)


@kernel
def odd(free: Word, marks: Word, way: Any) -> Int:
    """Return how many runs of three, five ... squares have one of `marks` at a place with pairs on either side."""
    two = way[0] + way[0]
    behind, firsts = after(free, way), halves(free, way)
    ends = firsts & behind & ~before(free, way)
    met = firsts & marks
    run = free & behind
    run = run & after(run, way)
    met = met | ((met << two) & run)
    run = run & (run << two)
    met = met | ((met << (two + two)) & run)
    run = run & (run << (two + two))
    met = met | ((met << (way[0] << np.uint64(3))) & run)
    return size(ends & met)


@kernel
def surplus(space: Record, found: tuple[Int, Int, Int, Int, Int, Int, Int], first: Int, hope: Int) -> Int:
    """Return by how many moves the plan `found` beats the opponent's maximum, `hope`."""
    safe, boxes, singles, doubles, touching, half, odd_runs = found
    left = min(boxes, BOXES), min(singles, SINGLES), min(doubles, DOUBLES)
    taken = np.int64(space.guaranteed[touching, first, left[0], left[1], left[2]])
    squares = 2 * taken - min(taken, half) - odd_runs
    return safe + taken - hope + max(np.int64(0), (squares + 1) >> 1)


@kernel
def settle(free: Word, down: Any, along: Any) -> tuple[Word, Int]:
    """Remove the settled parts: squares that cannot be covered, and stretches where only one side can ever move.

    Returns the rest, and how many more moves Vertical has than Horizontal in the removed parts.
    """
    upright, flat = coverable(free, down), coverable(free, along)
    left, balance = upright | flat, np.int64(0)
    none = nothing_like(free)
    alone = upright & ~flat
    if alone != none:
        alone = alone & ~reached(flat, upright, down)
        balance += most(alone, down)
        left = left & ~alone
    alone = flat & ~upright
    if alone != none:
        alone = alone & ~reached(upright, flat, along)
        balance -= most(alone, along)
        left = left & ~alone
    return left, balance


@kernel
def reached(some: Word, cells: Word, way: Any) -> Word:
    """Return the squares of the runs of `cells` along a way that contain one of `some`."""
    found, grown = some & cells, nothing_like(cells)
    while found != grown:
        grown = found
        found = found | (cells & (before(found, way) | after(found, way)))
    return found
