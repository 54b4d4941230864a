"""The evaluation of the strong search, in hundredths of a pawn.

Pawns and their advance; pawns side by side, which guard the squares ahead of them; and a little for the turn. The ideas
are those of Lorentz and Horey, "Programming Breakthrough", CG (2013); the numbers are our own, from games of the search
against itself. Pawns that guard one another get no bonus: it made the search weaker by far.
"""

from itertools import product
from typing import Any

import numpy as np

from palio_clients.games.breakthrough.kernels.workspace import captures
from palio_clients.kernels.bits import ONE, ZERO, highest, lowest, popcount
from palio_clients.kernels.jit import Int, Record, Truth, Word, kernel
from palio_rules.games.breakthrough import BLACK, WHITE, Board

PAWN = 100
AT_HOME = 20  # a pawn that has not moved guards the goal
ADVANCE = 90  # of a pawn about to arrive, with the square of its advance
BESIDE, TURN = 6, 10


def lay_out(space: Any, board: Board) -> None:
    """Put the value of each side's pawn on each square into the workspace."""
    last = board.rows - 1
    for square in range(board.rows * board.cols):
        for seat in (BLACK, WHITE):
            come = square // board.cols if seat == BLACK else last - square // board.cols
            space["worth"][seat][square] = PAWN + (round(ADVANCE * (come / last) ** 2) if come else AT_HOME)


@kernel
def balance(space: Record, own: Word, enemy: Word, turn: Int) -> Int:
    """Return the value of all pawns of `turn`, less that of the others; a search then updates it by `gain`."""
    value = np.int64(0)
    while own != ZERO:
        value += space.worth[turn, lowest(own)]
        own &= own - ONE
    while enemy != ZERO:
        value -= space.worth[1 - turn, lowest(enemy)]
        enemy &= enemy - ONE
    return value


@kernel
def gain(space: Record, enemy: Word, turn: Int, square: Int, to: Int) -> Int:
    """Return what a step of `turn` from `square` to the square `to` adds to its balance."""
    taken = space.worth[1 - turn, to] if (enemy >> np.uint64(to)) & ONE else 0
    return space.worth[turn, to] - space.worth[turn, square] + taken


@kernel
def evaluate(space: Record, own: Word, enemy: Word, balance: Int) -> Int:
    """Evaluate for the side to move, if no side has won."""
    return TURN + balance + BESIDE * (pairs(space, own) - pairs(space, enemy))


@kernel
def pairs(space: Record, pawns: Word) -> Int:
    """Return how many pawns have another one beside them, on their right."""
    return popcount(pawns & ~space.right & (pawns >> ONE))


# The winner of the race: a pawn that cannot be stopped decides the game long before it arrives.
#
# A runner goes straight ahead. A hunter some rows ahead of it and some columns aside comes one row nearer with each
# step of either pawn, and up to one column with each of its own. So it stops the runner only from within a cone. A
# runner wins if no enemy is within its cone, none of its own pawns is in its way, and it arrives before any enemy
# could. Sound, but not complete: a runner may be helped by its friends, or go aside.

RUNNER, HUNTER = 0, 1  # the side to move


def hunters(board: Board, seat: int, turn: int, square: int) -> int:
    """Return the squares from which an enemy pawn may stop the straight run of `seat` from `square`, as bits."""
    row, col = divmod(square, board.cols)
    cone = 0
    for other_row, other_col in product(range(board.rows), range(board.cols)):
        ahead = other_row - row if seat == BLACK else row - other_row
        if ahead > 0 and abs(other_col - col) <= (ahead + turn) // 2:
            cone |= board.bit(other_row, other_col)
    return cone


def lay_out_race(space: Any, board: Board) -> None:
    """Put the tables of `race` into the workspace."""
    for square in range(board.rows * board.cols):
        row, col = divmod(square, board.cols)
        space["row_of"][square] = row
        column = sum(board.bit(each, col) for each in range(board.rows))
        below = board.bit(row, col) - 1
        space["path"][BLACK][square] = column & ~below & ~board.bit(row, col)
        space["path"][WHITE][square] = column & below
        for seat, turn in product((BLACK, WHITE), (RUNNER, HUNTER)):
            space["hunters"][seat][turn][square] = hunters(board, seat, turn, square)


@kernel
def race(space: Record, own: Word, enemy: Word, turn: Int) -> Int:
    """Return the plies in which the side to move surely wins (positive) or loses (negative); 0 if unknown."""
    ours, theirs = nearest(space, own, turn), nearest(space, enemy, 1 - turn)
    if ours == 1:
        return 1  # at least a diagonal step is free: its own pawns cannot be there yet
    if theirs == 1 and not parries(space, own, enemy, turn):
        return -2
    if ours <= theirs:
        distance = runs(space, own, enemy, turn, np.int64(RUNNER), theirs)
        return 2 * distance - 1 if distance else 0
    return -2 * runs(space, enemy, own, 1 - turn, np.int64(HUNTER), ours - 1)


@kernel
def nearest(space: Record, pawns: Word, turn: Int) -> Int:
    """Return the rows between the foremost pawn of `turn` and its goal."""
    if turn == 0:
        return space.rows - 1 - space.row_of[63 - highest(pawns)]
    return space.row_of[lowest(pawns)]


@kernel
def parries(space: Record, own: Word, enemy: Word, turn: Int) -> Truth:
    """Return whether the only enemy pawn that is one step from its goal can be captured."""
    threats = enemy & space.ahead[1 - turn]
    return popcount(threats) == 1 and hits(space, own, threats, turn)


@kernel
def hits(space: Record, own: Word, victims: Word, turn: Int) -> Truth:
    left, right = captures(space, own, victims, turn)
    return (left | right) != ZERO


@kernel
def runs(space: Record, own: Word, enemy: Word, turn: Int, to_move: Int, furthest: Int) -> Int:
    """Return the distance of a pawn of `turn`, `furthest` at most, that cannot be stopped; 0 if there is none."""
    rest = own
    while rest != ZERO:
        at = lowest(rest) if turn == 1 else 63 - highest(rest)  # the foremost first
        rest ^= ONE << np.uint64(at)
        row = space.row_of[at]
        distance = row if turn == 1 else space.rows - 1 - row
        if distance > furthest:
            return 0
        if not (space.hunters[turn, to_move, at] & enemy) and not (space.path[turn, at] & own):
            return distance
    return 0
