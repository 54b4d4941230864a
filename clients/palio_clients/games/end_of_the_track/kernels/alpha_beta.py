"""The twin of the readable alpha-beta with the readable evaluation: the same value, nodes, move and line, compiled.

`search.alpha_beta` without order and table, over `games.end_of_the_track.evaluation`. Draws are those of the rules: the
third occurrence of a position, in the game or in the search, and the last ply.
"""

from math import inf

import numpy as np

from palio_clients.games.end_of_the_track.evaluation import BLOCK, REACH
from palio_clients.games.end_of_the_track.kernels.history import drawn, pop, push, remember, words_of
from palio_clients.games.end_of_the_track.kernels.workspace import (
    DEEPEST,
    advance,
    arrives,
    collect,
    line_of,
    moved,
    put_back,
    set_up,
    standing,
    workspace,
)
from palio_clients.kernels.bits import raised
from palio_clients.kernels.jit import Array, Flag, Int, Real, Record, Word, kernel, stoppable
from palio_clients.kernels.table import adopt
from palio_clients.search.game_tree import Best, Stop, never
from palio_rules.games.end_of_track import Position

WIN = 1_000_000.0  # as in `game_tree`


def alpha_beta(state: Position, depth: int, *, stop: Stop = never, alpha: float = -inf, beta: float = inf) -> Best:
    """Search `depth` plies deep, at most 96; see the original for its contract. Raises Stopped."""
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth must be from 1 to {DEEPEST}, got {depth}")
    spaces = workspace()
    space = spaces[0]
    space["reach"], space["block"] = REACH, BLOCK
    remember(space, state)
    own, enemy = set_up(space, state.pieces, state.turn)
    with stoppable(stop) as flag:
        score = _search(spaces, flag, own, enemy, state.turn, depth, alpha, beta)
    line = line_of(space["line"][0])
    return Best(line[0], score, depth, int(space["nodes"]), line)


@kernel
def _search(spaces: Array, flag: Flag, own: Word, enemy: Word, turn: Int, depth: Int, alpha: Real, beta: Real) -> Real:
    return _visit(spaces[0], flag, own, enemy, turn, depth, np.int64(0), alpha, beta)


@kernel
def _visit(
    space: Record, flag: Flag, own: Word, enemy: Word, turn: Int, depth: Int, ply: Int, alpha: Real, beta: Real
) -> Real:
    """Search a position where the game continues and depth is left.

    `own` are the blocks of `turn`, `enemy` the others.
    """
    space.nodes += 1
    best, moves = -np.inf, space.stack[ply]
    white, black = words_of(space, own, enemy, turn)
    push(space, white, black)
    for number in range(collect(space, own, enemy, turn, moves)):
        move = moves[number]
        at = standing(space, turn, move)
        mine = moved(space, own, turn, move)
        space.line[ply + 1, 0] = 0
        if arrives(space, turn, move):
            space.nodes += 1
            score = WIN - (ply + 1)
        elif drawn(space, enemy, mine, 1 - turn, ply + 1):
            space.nodes += 1
            score = 0.0
        elif depth == 1:
            space.nodes += 1
            score = _evaluate(space, mine, enemy, turn)
        else:
            score = -_visit(space, flag, enemy, mine, 1 - turn, depth - 1, ply + 1, -beta, -max(alpha, best))
            if raised(flag):
                return best
        put_back(space, turn, move, at)
        if score > best:
            best = score
            adopt(space, ply, move)
            if best >= beta:
                break
    pop(space)
    return best


@kernel
def _evaluate(space: Record, own: Word, enemy: Word, turn: Int) -> Real:
    """Evaluate for `turn`, in the order of the original's sums."""
    reach, blocks = advance(space, own, enemy, turn)
    their_reach, their_blocks = advance(space, enemy, own, 1 - turn)
    return (space.reach * reach + space.block * blocks) - (space.reach * their_reach + space.block * their_blocks)
