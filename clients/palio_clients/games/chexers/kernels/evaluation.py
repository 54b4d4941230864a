"""The readable evaluation of `palio_clients.games.chexers.evaluation`, compiled: the same sums in the same order."""

import numpy as np

from palio_clients.games.chexers.kernels.workspace import FOUR, GONE, THREE, opposite, shifted
from palio_clients.kernels.bits import ZERO, popcount
from palio_clients.kernels.jit import Int, Real, Record, Word, kernel

WIN = 1_000_000.0  # as in `game_tree`
EXITED, PIECE, SPARE, STEP, EXPOSED = range(5)  # weights


@kernel
def evaluate(space: Record, ply: Int, seat: Int) -> Real:
    """Return a seat's progress, less the mean of the other active seats; 0 for a seat that is out."""
    if space.exits[ply, seat] == GONE:
        return 0.0
    exposed, total, own = attacked(space, ply), 0.0, 0.0
    for each in range(THREE):
        if space.exits[ply, each] != GONE:
            came = progress(space, ply, each, exposed)
            total += came
            if each == seat:
                own = came
    playing = space.playing
    return (own - total / playing) * (playing / (playing - 1))


@kernel
def progress(space: Record, ply: Int, seat: Int, exposed: Word) -> Real:
    pieces, exits, weight = space.pieces[ply, seat], space.exits[ply, seat], space.weight
    count, needed, left = popcount(pieces), FOUR - exits, np.int64(0)
    missing = needed
    for row in range(7):
        here = min(missing, popcount(pieces & space.row[seat, row]))
        left += row * here
        missing -= here
    near = min(count, needed)
    value = weight[EXITED] * exits + weight[PIECE] * near - weight[STEP] * left + weight[SPARE] * (count - near)
    return value - weight[EXPOSED] * popcount(exposed & pieces)


@kernel
def attacked(space: Record, ply: Int) -> Word:
    """Return the hexes whose piece another side could jump, if it were its turn."""
    taken = space.pieces[ply, 0] | space.pieces[ply, 1] | space.pieces[ply, 2]
    free, found = space.board & ~taken, ZERO
    for seat in range(THREE):
        if space.exits[ply, seat] != GONE:
            own = space.pieces[ply, seat]
            for direction in range(6):
                found |= shifted(own, direction) & (taken & ~own) & shifted(free, opposite(direction))
    return found


@kernel
def drawn_worth(space: Record, seat: Int, ply: Int) -> Real:
    """Return the value of a draw for a seat: 0, unless a seat that is out has lost by it."""
    share = 1.0 / space.playing
    total = 0.0
    for each in range(THREE):
        total += 0.0 if space.exits[ply, each] == GONE else share
    own = 0.0 if space.exits[ply, seat] == GONE else share
    return (THREE * own - total) / (THREE - 1) * (WIN - ply)


@kernel
def won_worth(winner: Int, seat: Int, ply: Int) -> Real:
    """Return the value of a win of `winner` for a seat."""
    own = 1.0 if winner == seat else 0.0
    return (THREE * own - 1.0) / (THREE - 1) * (WIN - ply)
