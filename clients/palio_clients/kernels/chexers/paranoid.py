"""The twin of the readable paranoid search with the readable evaluation: the same value, nodes, move and line.

`palio_clients.search.paranoid` without order, over `palio_clients.knowledge.chexers`, with all that the rules know:
draws by repetition and by length, passes, and seats that were thrown out.
"""

import numpy as np

from palio_clients.kernels.alarm import watched
from palio_clients.kernels.bits import raised
from palio_clients.kernels.chexers.board import (
    DEEPEST,
    NO_MOVE,
    adopt,
    collect,
    drawn,
    line_of,
    play,
    set_up,
    winner_of,
    workspace,
)
from palio_clients.kernels.chexers.evaluation import drawn_worth, evaluate, won_worth
from palio_clients.kernels.jit import Array, Flag, Int, Real, Record, kernel
from palio_clients.search.game_tree import Best, Stop, Stopped, never
from palio_rules.games.chexers import Position


def paranoid(state: Position, depth: int, *, stop: Stop = never) -> Best:
    """Search `depth` plies deep, at most 64; see the original for what is promised. Raises Stopped."""
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth must be from 1 to {DEEPEST}, got {depth}")
    spaces = workspace()
    set_up(spaces, state)
    with watched(stop) as flag:
        score = _search(spaces, flag, depth)
        if flag[0]:
            raise Stopped
    line = line_of(spaces[0]["line"][0])
    return Best(line[0], score, depth, int(spaces[0]["nodes"]), line)


@kernel
def _search(spaces: Array, flag: Flag, depth: Int) -> Real:
    return _visit(spaces[0], flag, depth, np.int64(0), -np.inf, np.inf)


@kernel
def _visit(space: Record, flag: Flag, depth: Int, ply: Int, alpha: Real, beta: Real) -> Real:
    """A position as the seat at the root sees it."""
    space.nodes += 1
    space.line[ply, 0] = NO_MOVE
    winner = winner_of(space, ply)
    if winner >= 0:
        return won_worth(winner, space.root, ply)
    if drawn(space, ply):
        return drawn_worth(space, space.root, ply)
    if depth == 0:
        return evaluate(space, ply, space.root)
    greatest = space.turn[ply] == space.root
    best = -np.inf if greatest else np.inf
    for number in range(collect(space, ply)):
        move = space.moves[ply, number]
        play(space, ply, move)
        low, high = (max(alpha, best), beta) if greatest else (alpha, min(beta, best))
        score = _visit(space, flag, depth - 1, ply + 1, low, high)
        if raised(flag):
            return best
        if (score > best) if greatest else (score < best):
            best = score
            adopt(space, ply, move)
        if (best >= beta) if greatest else (best <= alpha):
            break
    return best
