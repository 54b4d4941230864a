"""The twins of the readable paranoid search and max^n with the readable evaluation: same value, nodes, move and line.

`search.paranoid` and `search.max_n` without order, over `games.chexers.evaluation`, with all that the rules know: draws
by repetition and by length, passes, and seats that have forfeited.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from palio_clients.games.chexers.kernels.evaluation import drawn_worth, evaluate, won_worth
from palio_clients.games.chexers.kernels.workspace import (
    DEEPEST,
    NO_MOVE,
    THREE,
    adopt,
    collect,
    drawn,
    line_of,
    play,
    set_up,
    winner_of,
    workspace,
)
from palio_clients.kernels.alarm import stoppable
from palio_clients.kernels.bits import raised
from palio_clients.kernels.jit import Array, Flag, Int, Real, Record, kernel
from palio_clients.search.game_tree import Best, Stop, never
from palio_rules.games.chexers import Position


def paranoid(state: Position, depth: int, *, stop: Stop = never) -> Best:
    """Search `depth` plies deep, at most 64; see the original for what is promised. Raises Stopped."""
    spaces, score = _searched(_certainty, state, depth, stop)
    return _best(spaces, depth, score)


def max_n(state: Position, depth: int, *, stop: Stop = never) -> Best:
    """Search `depth` plies deep, at most 64; see the original for what is promised. Raises Stopped."""
    spaces, _ = _searched(_expectations, state, depth, stop)
    return _best(spaces, depth, float(spaces[0]["scores"][0][state.turn]))


def _searched(search: Callable[..., Any], state: Position, depth: int, stop: Stop) -> tuple[Any, Any]:
    """The workspace after a search, and what that has returned."""
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth must be from 1 to {DEEPEST}, got {depth}")
    spaces = workspace()
    set_up(spaces, state)
    with stoppable(stop) as flag:
        return spaces, search(spaces, flag, depth)


def _best(spaces: Any, depth: int, score: float) -> Best:
    line = line_of(spaces[0]["line"][0])
    return Best(line[0], score, depth, int(spaces[0]["nodes"]), line)


@kernel
def _certainty(spaces: Array, flag: Flag, depth: Int) -> Real:
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


@kernel
def _expectations(spaces: Array, flag: Flag, depth: Int) -> None:
    _expect(spaces[0], flag, depth, np.int64(0))


@kernel
def _expect(space: Record, flag: Flag, depth: Int, ply: Int) -> None:
    """Put into `scores` of this ply what each seat can expect."""
    space.nodes += 1
    space.line[ply, 0] = NO_MOVE
    if settled(space, depth, ply):
        return
    mover, better = space.turn[ply], False
    for number in range(collect(space, ply)):
        move = space.moves[ply, number]
        play(space, ply, move)
        _expect(space, flag, depth - 1, ply + 1)
        if raised(flag):
            return
        if not better or space.scores[ply + 1, mover] > space.scores[ply, mover]:
            better = True
            for seat in range(THREE):
                space.scores[ply, seat] = space.scores[ply + 1, seat]
            adopt(space, ply, move)


@kernel
def settled(space: Record, depth: Int, ply: Int) -> bool:
    """Whether this is a leaf; then its scores are there."""
    winner = winner_of(space, ply)
    ended = winner < 0 and drawn(space, ply)
    if winner < 0 and not ended and depth:
        return False
    for seat in range(THREE):
        if winner >= 0:
            space.scores[ply, seat] = won_worth(winner, seat, ply)
        elif ended:
            space.scores[ply, seat] = drawn_worth(space, seat, ply)
        else:
            space.scores[ply, seat] = evaluate(space, ply, seat)
    return True
