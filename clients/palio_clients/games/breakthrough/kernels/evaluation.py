"""What the strong search thinks of a position, in hundredths of a pawn.

Pawns and their advance; pawns side by side, which hold the squares ahead of them; and a little for the turn. The ideas
are those of Lorentz and Horey, "Programming Breakthrough", CG (2013); the numbers are our own, from games of the search
against itself. There is nothing for pawns that guard one another: it made the search weaker by far.
"""

from typing import Any

import numpy as np

from palio_clients.kernels.bits import ONE, ZERO, lowest, popcount
from palio_clients.kernels.jit import Int, Record, Word, kernel
from palio_rules.games.breakthrough import BLACK, WHITE, Board

PAWN = 100
AT_HOME = 20  # a pawn that has not moved guards the goal
ADVANCE = 90  # of a pawn about to arrive, with the square of the way that it has come
BESIDE, TURN = 6, 10


def lay_out(space: Any, board: Board) -> None:
    """Put the worth of each side's pawn on each square into the workspace."""
    last = board.rows - 1
    for square in range(board.rows * board.cols):
        for seat in (BLACK, WHITE):
            come = square // board.cols if seat == BLACK else last - square // board.cols
            space["worth"][seat][square] = PAWN + (round(ADVANCE * (come / last) ** 2) if come else AT_HOME)


@kernel
def balance(space: Record, own: Word, enemy: Word, turn: Int) -> Int:
    """The worth of all pawns of `turn`, less that of the others; a search then keeps it up to date by `gain`."""
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
    """What a step of `turn` from `square` to the square `to` adds to its balance."""
    taken = space.worth[1 - turn, to] if (enemy >> np.uint64(to)) & ONE else 0
    return space.worth[turn, to] - space.worth[turn, square] + taken


@kernel
def evaluate(space: Record, own: Word, enemy: Word, balance: Int) -> Int:
    """For the side to move; nobody has won."""
    return TURN + balance + BESIDE * (pairs(space, own) - pairs(space, enemy))


@kernel
def pairs(space: Record, pawns: Word) -> Int:
    """How many pawns have another one beside them, on their right."""
    return popcount(pawns & ~space.right & (pawns >> ONE))
