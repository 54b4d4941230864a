"""The twin of the readable max^n with the readable evaluation: the same value, nodes, move and line.

`palio_clients.search.max_n` without order, over `palio_clients.knowledge.chexers`, with all that the rules know: draws,
passes, and seats that were thrown out.
"""

import numpy as np

from palio_clients.kernels.alarm import watched
from palio_clients.kernels.bits import raised
from palio_clients.kernels.chexers.board import (
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
from palio_clients.kernels.chexers.evaluation import drawn_worth, evaluate, won_worth
from palio_clients.kernels.jit import Array, Flag, Int, Record, kernel
from palio_clients.search.game_tree import Best, Stop, Stopped, never
from palio_rules.games.chexers import Position


def max_n(state: Position, depth: int, *, stop: Stop = never) -> Best:
    """Search `depth` plies deep, at most 64; see the original for what is promised. Raises Stopped."""
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth must be from 1 to {DEEPEST}, got {depth}")
    spaces = workspace()
    set_up(spaces, state)
    with watched(stop) as flag:
        _search(spaces, flag, depth)
        if flag[0]:
            raise Stopped
    line = line_of(spaces[0]["line"][0])
    return Best(line[0], float(spaces[0]["scores"][0][state.turn]), depth, int(spaces[0]["nodes"]), line)


@kernel
def _search(spaces: Array, flag: Flag, depth: Int) -> None:
    _visit(spaces[0], flag, depth, np.int64(0))


@kernel
def _visit(space: Record, flag: Flag, depth: Int, ply: Int) -> None:
    """Put into `scores` of this ply what each seat can expect."""
    space.nodes += 1
    space.line[ply, 0] = NO_MOVE
    if settled(space, depth, ply):
        return
    mover, better = space.turn[ply], False
    for number in range(collect(space, ply)):
        move = space.moves[ply, number]
        play(space, ply, move)
        _visit(space, flag, depth - 1, ply + 1)
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
