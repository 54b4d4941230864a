"""The search for play while no winner is proven: alpha-beta to a depth, over the moves of the proof search.

Moves are listed as for a proof, so that a decision by the bounds is found at once; else the value is the possible moves
of a side and its safe ones, less the opponent's. It keeps its own stack, as `alpha_beta` does.
"""

import numpy as np

from palio_clients.games.dominoes.kernels.proof import KEPT, OPEN, ROOM, SETTLED, WON, key, pick, visit
from palio_clients.games.dominoes.kernels.workspace import DEEPEST, ways
from palio_clients.kernels.bits import ZERO, raised
from palio_clients.kernels.jit import Array, Flag, Int, Record, Word, kernel
from palio_clients.kernels.table import WIN, answers, keep, move_in, recall, score_in
from palio_clients.kernels.wide_words import loaded, parts_in

INFINITE = np.int64(2 * WIN)
HINT = 10**12
NO_MOVE = 0xFFFF
ROOT_BITS = 3  # bits by which merits of the history exceed those of the order


@kernel
def search(  # noqa: C901, PLR0912 - with a stack of its own it is one loop
    spaces: Array, proofs: Array, table: Array, flag: Flag, free: Word, turn: Int, depth: Int
) -> Int:
    """Return the score of a position whose side to move can move; `chosen` is the best move, or SETTLED."""
    space = spaces[0]
    down, along = ways(space, free)
    ply, balance, best = np.int64(0), np.int64(0), -INFINITE
    alpha, beta = -INFINITE, INFINITE
    space.begin[0], space.chosen = 0, SETTLED
    found = visit(space, proofs, free, balance, turn, ply, down, along)
    if found == WON:
        return np.int64(WIN - 1)
    add_root_merits(space, turn)
    space.since[0] = NO_MOVE
    while True:
        if raised(flag):
            return best
        if best >= beta or space.begin[ply] == space.end[ply]:  # done with this position
            best = max(best, ply - WIN)
            if ply:
                remember(space, table, loaded(free, space.free[ply]), turn, depth - ply, ply, alpha, beta, best)
            if ply == 0:
                return best
            score = -best
            ply, turn = ply - 1, 1 - turn
            alpha, beta = np.int64(space.window[ply, 0]), np.int64(space.window[ply, 1])
            best = np.int64(space.best[ply])
            at = space.begin[ply] - 1
        else:
            at = pick(space, ply)
            if ply + 1 >= depth or ply + 2 >= DEEPEST:
                score = space.value[at]
            else:
                child, balance = loaded(free, space.child[at]), space.child_balance[at]
                floor = max(alpha, best)
                entry = asked(table, child, balance, 1 - turn)
                if answers(entry, depth - ply - 1, ply + 1, -beta, -floor, False):
                    score = -score_in(entry, ply + 1)
                else:
                    space.begin[ply + 1] = space.end[ply]
                    found = visit(space, proofs, child, balance, 1 - turn, ply + 1, down, along)
                    if space.limit and space.nodes > space.limit:
                        flag[0] = 1
                    if found == OPEN:
                        prefer(space, ply + 1, move_in(entry) if entry != ZERO else np.int64(NO_MOVE))
                        space.window[ply, 0], space.window[ply, 1], space.best[ply] = alpha, beta, best
                        alpha, beta, best = -beta, -floor, -INFINITE
                        ply, turn = ply + 1, 1 - turn
                        space.since[ply] = NO_MOVE
                        continue
                    score = np.int64(ply + 2 - WIN)
        if score > best:
            best = score
            space.since[ply] = space.move[at]
            if ply == 0:
                space.chosen = space.move[at]


@kernel
def add_root_merits(space: Record, turn: Int) -> None:
    """Add the merits that `add_root_merits` set for moves at the root."""
    for at in range(space.begin[0], space.end[0]):
        space.merit[at] += space.history[turn, space.move[at]] << ROOT_BITS


@kernel
def prefer(space: Record, ply: Int, move: Int) -> None:
    for at in range(space.begin[ply], space.end[ply]):
        if space.move[at] == move:
            space.merit[at] += HINT


@kernel
def asked(table: Array, free: Word, balance: Int, turn: Int) -> Word:
    if parts_in(free) > KEPT or balance < -ROOM or balance >= ROOM:
        return ZERO
    a, b = key(free, balance, turn)
    return recall(table, a, b)


@kernel
def remember(
    space: Record, table: Array, free: Word, turn: Int, depth: Int, ply: Int, alpha: Int, beta: Int, score: Int
) -> None:
    balance = space.balance[ply]
    if parts_in(free) > KEPT or balance < -ROOM or balance >= ROOM:
        return
    a, b = key(free, balance, turn)
    keep(table, a, b, space.since[ply] & NO_MOVE, depth, ply, alpha, beta, score, space.age)
