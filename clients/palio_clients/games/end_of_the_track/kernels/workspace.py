"""The board of End of the Track for kernels: the workspace, moves as small numbers, and their functions.

Squares are those of the rules, 0 to 55. The twelve pieces stand in the workspace, where a search makes and unmakes
moves; the blocks of both sides are also words. A move is `(piece + 1) * 64 + square`: a block 0 to 4 or the ball, 5,
and its destination; 0 is no move. Turn 0 is White, who goes up.
"""

from itertools import takewhile
from typing import Any

import numpy as np

from palio_clients.kernels.bits import ONE, ZERO, first_of, highest, lowest, popcount
from palio_clients.kernels.jit import Array, Int, Record, Truth, Word, kernel
from palio_rules.boards import end_of_track as rules
from palio_rules.games.end_of_track import LONGEST, Move

BLOCKS, BALL, SIDE, SQUARES, ROWS = 5, 5, 6, 56, 8
DEEPEST = 96  # plies from the root that fit
WIDEST = 40  # moves of one side: four blocks of eight, and a pass to each
MOVES = 448
MARKS = 4096  # hashes of past positions, see `history`

WORKSPACE = np.dtype(
    [
        ("pieces", np.int64, (2 * SIDE,)),
        ("between", np.uint64, (SQUARES, SQUARES)),
        ("knight", np.uint64, (SQUARES,)),
        ("row_of", np.int64, (SQUARES,)),
        ("goal", np.uint64, (2,)),  # each side's far row
        ("distance", np.int64, (SQUARES, SQUARES)),  # in knight's moves, see `planning`
        ("reach", np.float64),  # weights of the readable evaluation
        ("block", np.float64),
        ("left", np.int64),  # plies from the root until the game is drawn
        ("known", np.int64),  # positions in `past`
        ("past", np.uint64, (LONGEST + DEEPEST + 2, 2)),
        ("marks", np.uint16, (MARKS,)),
        ("repeated", np.int64),  # 1: a position of the game occurred twice, so no table can be trusted
        ("game", np.int64),  # positions in `past` that were before the root
        ("nodes", np.int64),
        ("limit", np.int64),  # nodes at most, 0 for no limit
        ("clever", np.int64),  # 1: with wins and threats detected without search, and reductions; 0: plain
        ("age", np.int64),
        ("line", np.uint16, (DEEPEST + 1, DEEPEST + 1)),  # principal variations by ply, each ending in 0
        ("killers", np.uint16, (DEEPEST + 1, 2)),
        ("history", np.int32, (2, MOVES)),
        ("stack", np.int64, (DEEPEST + 1, WIDEST)),  # moves by ply, each with its merit
    ],
    align=True,
)


def workspace() -> Any:
    """Return an array of one record, with the tables of the board."""
    made = np.zeros(1, WORKSPACE)
    space, all_bits = made[0], (1 << 64) - 1
    for square in range(SQUARES):
        space["between"][square] = [word & all_bits for word in rules.BETWEEN[square]]
        space["knight"][square] = sum(1 << to for to in rules.KNIGHT[square])
        space["row_of"][square] = square // rules.COLS
    row = (1 << rules.COLS) - 1
    space["goal"] = row << SQUARES - rules.COLS, row
    return made


def set_up(space: Any, pieces: tuple[int, ...], turn: int) -> tuple[np.uint64, np.uint64]:
    """Place the pieces; return the blocks of the side to move, and those of the other."""
    space["pieces"] = pieces
    words = [sum(1 << at for at in pieces[first : first + BLOCKS]) for first in (0, SIDE)]
    return np.uint64(words[turn]), np.uint64(words[1 - turn])


def line_of(numbers: Any) -> tuple[Move, ...]:
    """Return a line of moves, up to the first 0."""
    return tuple(Move(number // 64 - 1, number % 64) for number in takewhile(bool, map(int, numbers)))


@kernel
def passes(space: Record, own: Word, enemy: Word, ball: Int) -> Word:
    """Return the squares that the ball of the blocks `own` can reach by passes, without its own square."""
    rest = own & ~(ONE << np.uint64(ball))
    reached, wave = ZERO, ONE << np.uint64(ball)
    while wave and rest:
        holder = lowest(wave)
        wave &= wave - ONE
        others = rest
        while others != ZERO:
            block = lowest(others)
            others &= others - ONE
            if (space.between[holder, block] & enemy) == ZERO:
                bit = ONE << np.uint64(block)
                reached |= bit
                wave |= bit
                rest ^= bit
    return reached


@kernel
def collect(space: Record, own: Word, enemy: Word, turn: Int, moves: Array) -> Int:
    """List the legal moves in the order of the rules; return their number."""
    count, free, first = 0, ~(own | enemy), SIDE * turn
    ball = space.pieces[first + BALL]
    for piece in range(BLOCKS):
        at = space.pieces[first + piece]
        targets = space.knight[at] & free if at != ball else ZERO
        while targets != ZERO:
            moves[count] = (piece + 1) << 6 | lowest(targets)
            targets &= targets - ONE
            count += 1
    targets = passes(space, own, enemy, ball)
    while targets != ZERO:
        moves[count] = (BALL + 1) << 6 | lowest(targets)
        targets &= targets - ONE
        count += 1
    return count


@kernel
def mobility(space: Record, own: Word, enemy: Word, turn: Int) -> Int:
    """Return the number of moves, without listing them."""
    free, ball = ~(own | enemy), space.pieces[SIDE * turn + BALL]
    count, blocks = popcount(passes(space, own, enemy, ball)), own & ~(ONE << np.uint64(ball))
    while blocks != ZERO:
        count += popcount(space.knight[lowest(blocks)] & free)
        blocks &= blocks - ONE
    return count


@kernel
def moved(space: Record, own: Word, turn: Int, move: Int) -> Word:
    """Move a piece of `turn`, whose blocks were `own`; return its blocks now."""
    index, to = SIDE * turn + (move >> 6) - 1, move & 63
    at = space.pieces[index]
    space.pieces[index] = to
    if (move >> 6) - 1 == BALL:
        return own
    return own ^ (ONE << np.uint64(at) | ONE << np.uint64(to))


@kernel
def arrives(space: Record, turn: Int, move: Int) -> Truth:
    """Return whether a move carries the ball to its goal."""
    return (move >> 6) - 1 == BALL and ((space.goal[turn] >> np.uint64(move & 63)) & ONE) != ZERO


@kernel
def standing(space: Record, turn: Int, move: Int) -> Int:
    """Return the square where the piece of `move` stands."""
    return space.pieces[SIDE * turn + (move >> 6) - 1]


@kernel
def put_back(space: Record, turn: Int, move: Int, at: Int) -> None:
    space.pieces[SIDE * turn + (move >> 6) - 1] = at


@kernel
def advance(space: Record, own: Word, enemy: Word, turn: Int) -> tuple[Int, Int]:
    """Return the rows that the ball could gain by the end of a turn, and those that all blocks have gained together."""
    ball = space.pieces[SIDE * turn + BALL]
    reached = passes(space, own, enemy, ball) | ONE << np.uint64(ball)
    rows, blocks = np.int64(0), own
    while blocks != ZERO:
        rows += space.row_of[lowest(blocks)]
        blocks ^= first_of(blocks)
    if turn == 0:
        return space.row_of[63 - highest(reached)], rows
    return ROWS - 1 - space.row_of[lowest(reached)], BLOCKS * (ROWS - 1) - rows
