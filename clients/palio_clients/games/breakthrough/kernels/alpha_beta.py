"""The twin of the readable alpha-beta with the readable evaluation: the same value, nodes, move and line, compiled.

`palio_clients.search.minimax` without order and table, over `palio_clients.games.breakthrough.evaluation`.
"""

from math import inf
from typing import Any

import numpy as np

from palio_clients.games.breakthrough.evaluation import STEP
from palio_clients.games.breakthrough.kernels.workspace import (
    DEEPEST,
    fan_of,
    landing,
    line_of,
    numbered,
    ways,
    words_of,
    workspace,
)
from palio_clients.kernels.bits import ONE, ZERO, lowest, popcount, raised
from palio_clients.kernels.jit import Flag, Int, Real, Record, Word, kernel, stoppable
from palio_clients.kernels.table import adopt
from palio_clients.search.game_tree import Best, Stop, never
from palio_rules.games.breakthrough import Position

WIN = 1_000_000.0  # as in `game_tree`


def alpha_beta(state: Position, depth: int, *, stop: Stop = never, alpha: float = -inf, beta: float = inf) -> Best:
    """Search `depth` plies deep, at most 96; see the original for its contract. Raises Stopped."""
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth must be from 1 to {DEEPEST}, got {depth}")
    spaces = workspace(state.board)
    spaces["weight"] = [STEP * row**1.5 for row in range(8)]
    with stoppable(stop) as flag:
        score = _search(spaces, flag, *words_of(state), state.turn, depth, alpha, beta)
    line = line_of(state, spaces[0]["line"][0])
    return Best(line[0], score, depth, int(spaces[0]["nodes"]), line)


@kernel
def _search(spaces: Any, flag: Flag, own: Word, enemy: Word, turn: Int, depth: Int, alpha: Real, beta: Real) -> Real:
    return _visit(spaces[0], flag, own, enemy, turn, depth, np.int64(0), alpha, beta)


@kernel
def _visit(
    space: Record, flag: Flag, own: Word, enemy: Word, turn: Int, depth: Int, ply: Int, alpha: Real, beta: Real
) -> Real:
    """Search a position where the game continues and depth is left.

    Own pawns are those of `turn`, enemy the other's.
    """
    if depth == 1:
        return _last(space, own, enemy, turn, ply, beta)
    best, nodes = -np.inf, 1
    left, straight, right = ways(space, own, enemy, turn)
    movers = left | straight | right
    while movers != ZERO and best < beta:
        square = np.uint64(lowest(movers))
        movers &= movers - ONE
        pawn, fan = ONE << square, fan_of(left, straight, right, square)
        while fan != ZERO and best < beta:
            side = lowest(fan)
            fan &= fan - ONE
            to = landing(space, square, side, turn)
            if (to & space.goal[turn]) != ZERO or to == enemy:
                nodes += 1
                space.line[ply + 1, 0] = 0
                score = WIN - (ply + 1)
            else:
                mine, theirs = own ^ (pawn | to), enemy & ~to
                score = -_visit(space, flag, theirs, mine, 1 - turn, depth - 1, ply + 1, -beta, -max(alpha, best))
                if raised(flag):
                    return best
            if score > best:
                best = score
                adopt(space, ply, numbered(square, side))
    space.nodes += nodes
    return best


@kernel
def _last(space: Record, own: Word, enemy: Word, turn: Int, ply: Int, beta: Real) -> Real:
    """Search a position with one ply left, as most nodes have: all children are leaves.

    The evaluation counts pawns by rows, so all quiet moves out of one row have the same value, and so do all captures.
    """
    best, nodes, chosen = -np.inf, 1, 0
    left, straight, right = ways(space, own, enemy, turn)
    movers, row_end = left | straight | right, np.uint64(0)
    quiet = taking = np.nan
    while movers != ZERO and best < beta:
        square = np.uint64(lowest(movers))
        movers &= movers - ONE
        while square >= row_end:
            row_end += space.cols
            quiet = taking = np.nan  # not known for this row
        pawn, fan = ONE << square, fan_of(left, straight, right, square)
        while fan != ZERO and best < beta:
            side = lowest(fan)
            fan &= fan - ONE
            to = landing(space, square, side, turn)
            nodes += 1
            if (to & space.goal[turn]) != ZERO or to == enemy:
                score = WIN - (ply + 1)
            elif (to & enemy) != ZERO:
                if np.isnan(taking):
                    taking = _evaluate(space, own ^ (pawn | to), enemy ^ to, turn)
                score = taking
            else:
                if np.isnan(quiet):
                    quiet = _evaluate(space, own ^ (pawn | to), enemy, turn)
                score = quiet
            if score > best:
                best, chosen = score, numbered(square, side)
    space.nodes += nodes
    space.line[ply, 0] = chosen
    space.line[ply, 1] = 0
    return best


@kernel
def _evaluate(space: Record, own: Word, enemy: Word, turn: Int) -> Real:
    """Evaluate for `turn`, in the order of the original's sums; without a winner, the outer rows add nothing."""
    black, white = (own, enemy) if turn == 0 else (enemy, own)
    value = np.float64(popcount(black) - popcount(white))
    last, shift = space.rows - 1, space.cols
    for row in range(1, last):
        value += space.weight[row] * popcount((black >> shift) & space.row)
        value -= space.weight[last - row] * popcount((white >> shift) & space.row)
        shift += space.cols
    return value if turn == 0 else -value
