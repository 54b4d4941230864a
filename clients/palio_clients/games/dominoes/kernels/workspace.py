"""The board of dominoes for kernels: the workspace with its masks, and words as sets of squares.

Square (row, col) is bit `row * cols + col`, as in the rules, but a kernel's word has the squares that are *free*. Words
have 64, 128 or 256 bits (see `kernels.words`); each kernel is compiled for those widths that it is called with. A move
is the square of its top or left half.

A **way** is a direction to look along: 0 down the columns, where Vertical places dominoes, 1 along the rows.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palio_clients.kernels.jit import Int, Record, Word, kernel
from palio_clients.kernels.words import PARTS, kind_of, loaded, nothing_like, parts, size
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


# Who is sure to have the last move: how many moves a side can guarantee itself, and how many the other can hope for.
#
# The idea, and safe and vulnerable places, are Bullock's, "Domineering: solving large combinatorial search spaces",
# ICGA Journal 25 (2002); what is guaranteed, and how it is found, are our own. For a side and its opponent:
#
# - A **safe** domino lies on squares that the opponent cannot cover: nobody can take that move away.
# - A **box** is two by two free squares, one half of which, a domino, the opponent can cover from the other half only.
#   Whoever is first there has it: the side gets two moves, one of them safe then; the opponent leaves it none.
# - Further dominoes that do not overlap: **double** if one move of the opponent may hit two of them, or one and a box,
#   else **single**.
#
# So many boxes, singles and doubles are a small game of its own, in which the side takes one of them in a turn, and the
# opponent spoils one box, one single, or two doubles; or half of a box, which is a single then, together with half of
# another box that touches it, or with a double. `guarantees` plays it through: a lower bound on what the side can have
# on the board, because it may keep to that plan.
#
# The opponent can hope for all the dominoes that fit into its runs of free squares. Every move of the plan takes two
# squares out of its runs, or one if it is a **half** one, and two squares cost it a move; but of an **odd** run, where
# one square was idle, the first one is free. The side wins if it is sure of more moves than the opponent can have; when
# the opponent moves first, as many will do.

FIRST, SECOND = 0, 1  # whether the side itself moves next
BOXES, SINGLES, DOUBLES = 15, 15, 31  # at most that are counted


@cache
def guarantees() -> NDArray[np.int8]:
    """The moves a side gets out of so many boxes, singles and doubles, when it moves first and when second.

    Twice: where no two boxes touch, and where some do.
    """
    known = np.zeros((2, 2, BOXES + 1, SINGLES + 1, DOUBLES + 1), np.int8)
    for touching, boxes, doubles, singles in np.ndindex(2, BOXES + 1, DOUBLES + 1, SINGLES + 1):
        left, (first, second) = (boxes, singles, doubles), known[touching]
        second[left] = min((first[less] for less in _spoilt(*left, touching)), default=0)
        first[left] = max((gain + second[less] for gain, less in _taken(*left)), default=0)
    return known


def _taken(boxes: int, singles: int, doubles: int) -> list[tuple[int, tuple[int, int, int]]]:
    """What the side can do: its gain, and what is left."""
    ways = [(2, (boxes - 1, singles, doubles)), (1, (boxes, singles - 1, doubles)), (1, (boxes, singles, doubles - 1))]
    return [(gain, less) for gain, less in ways if min(less) >= 0]


def _spoilt(boxes: int, singles: int, doubles: int, touching: int) -> list[tuple[int, int, int]]:
    """What the opponent can leave. A single too many to be counted is none."""
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
    """The first, third, fifth ... square of each run of `cells` along a way.

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
    """The second square of each of as many dominoes as can lie on `cells`."""
    return after(halves(cells, way), way) & cells


@kernel
def coverable(free: Word, way: Any) -> Word:
    """The squares that some domino can cover."""
    return free & (before(free, way) | after(free, way))


@kernel
def most(free: Word, way: Any) -> Int:
    """How many dominoes can be placed, if nobody else does anything."""
    return size(packed(free, way))


@kernel
def plan(free: Word, own: Any, other: Any) -> tuple[Int, Int, Int, Int, Int, Int, Int]:
    """What a side can count on: how many safe dominoes, boxes, singles and doubles there are that do not overlap.

    Then whether boxes touch; how many half ones there are, and odd runs of the opponent that are met.
    """
    contested = coverable(free, other)
    safe = packed(free & ~contested, own)
    rest = free & ~(safe | before(safe, own))
    # boxes whose first half has nothing before it, then those whose second half has nothing behind it
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
    # what is left
    seconds = packed(rest & ~boxes, own)
    cells = seconds | before(seconds, own)
    beside = cells | boxes
    hit = cells & (before(beside, other) | after(beside, other))
    doubles = size(seconds & (hit | after(hit, own)))
    half = size(seconds & ~(contested & after(contested, own)))
    return size(safe), size(one) + size(two), size(seconds) - doubles, doubles, touching, half, odd(free, beside, other)


@kernel
def odd(free: Word, marks: Word, way: Any) -> Int:
    """How many runs of three, five ... squares have one of `marks` on a place where it leaves pairs on either side."""
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
    """By how many moves the plan that was `found` beats all that the opponent can have, who hopes for `hope`."""
    safe, boxes, singles, doubles, touching, half, odd_runs = found
    left = min(boxes, BOXES), min(singles, SINGLES), min(doubles, DOUBLES)
    taken = np.int64(space.guaranteed[touching, first, left[0], left[1], left[2]])
    squares = 2 * taken - min(taken, half) - odd_runs
    return safe + taken - hope + max(np.int64(0), (squares + 1) >> 1)


@kernel
def settle(free: Word, down: Any, along: Any) -> tuple[Word, Int]:
    """Take away what is settled: squares that nobody can cover, and stretches where only one side can ever move.

    Returns what is left, and how many more moves Vertical has than Horizontal in what was taken.
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
    """Those squares of the runs of `cells` along a way that have one of `some` in them."""
    found, grown = some & cells, nothing_like(cells)
    while found != grown:
        grown = found
        found = found | (cells & (before(found, way) | after(found, way)))
    return found
