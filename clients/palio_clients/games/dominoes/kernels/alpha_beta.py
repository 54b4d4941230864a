"""The twin of the readable alpha-beta with the readable evaluation: the same value, nodes, move and line, compiled.

`palio_clients.search.minimax` without order and table, over `palio_clients.games.dominoes.evaluation`; and of
`counted_alpha_beta` over the same, which treats the end of a game as any other leaf, and counts leaves.

It keeps its own stack instead of calling itself, because a recursive kernel can be compiled for one width only.
"""

from math import inf
from typing import Any

import numpy as np

from palio_clients.games.dominoes.evaluation import evaluate
from palio_clients.games.dominoes.kernels.workspace import free_in, line_of, places, played, ways, workspace
from palio_clients.kernels.bits import ZERO, raised
from palio_clients.kernels.jit import Array, Flag, Int, Real, Truth, Word, kernel, stoppable
from palio_clients.kernels.wide_words import (
    first,
    kind_of,
    loaded,
    lowest_of,
    nothing_like,
    size,
    stored,
    wide128,
    wide256,
)
from palio_clients.search.game_tree import Best, Stop, never
from palio_clients.search.minimax import Found
from palio_rules.games.dominoes import Position

WIN = 1_000_000.0  # as in `game_tree`


def alpha_beta(state: Position, depth: int, *, stop: Stop = never, alpha: float = -inf, beta: float = inf) -> Best:
    """Search `depth` plies deep; see the original for its contract. Raises Stopped."""
    if depth < 1:
        raise ValueError(f"depth must be at least 1, got {depth}")
    space, score = _searched(state, depth, False, stop, alpha, beta)
    line = line_of(state.board, space["line"][0][: space["length"][0]])
    return Best(line[0], score, depth, int(space["nodes"]), line)


def counted_alpha_beta(state: Position, limit: int, *, stop: Stop = never) -> Found:
    """Search `limit` plies deep and count leaves; see the original. Raises Stopped."""
    if limit < 1 or state.to_move is None:
        return Found(None, evaluate(state, state.turn), 1)
    space, score = _searched(state, limit, True, stop, -inf, inf)
    return Found(line_of(state.board, space["line"][0][:1])[0], score, int(space["nodes"]))


def _searched(state: Position, depth: int, counted: bool, stop: Stop, alpha: float, beta: float) -> tuple[Any, float]:
    """Return the workspace after a search, and its score."""
    spaces = workspace(state.board)
    search = {64: _search64, 128: _search128, 256: _search256}[kind_of(state.board.rows * state.board.cols)]
    with stoppable(stop) as flag:
        score = search(spaces, flag, free_in(state), state.turn, depth, counted, alpha, beta)
    return spaces[0], score


@kernel
def _search64(
    spaces: Array, flag: Flag, free: Array, turn: Int, depth: Int, counted: Truth, alpha: Real, beta: Real
) -> Real:
    return _search(spaces, flag, loaded(ZERO, free), turn, depth, counted, alpha, beta)


@kernel
def _search128(
    spaces: Array, flag: Flag, free: Array, turn: Int, depth: Int, counted: Truth, alpha: Real, beta: Real
) -> Real:
    return _search(spaces, flag, loaded(wide128(), free), turn, depth, counted, alpha, beta)


@kernel
def _search256(
    spaces: Array, flag: Flag, free: Array, turn: Int, depth: Int, counted: Truth, alpha: Real, beta: Real
) -> Real:
    return _search(spaces, flag, loaded(wide256(), free), turn, depth, counted, alpha, beta)


@kernel
def _search(
    spaces: Array, flag: Flag, free: Word, turn: Int, depth: Int, counted: Truth, alpha: Real, beta: Real
) -> Real:
    """Search a position where the side to move can move, and depth is left."""
    space, none = spaces[0], nothing_like(free)
    down, along = ways(space, free)
    ply = np.int64(0)
    own, other = (down, along) if turn == 0 else (along, down)
    rest, best, nodes = places(free, own), -np.inf, 0 if counted else 1
    while True:
        if rest == none or best >= beta:  # done with this position: back to its parent
            if ply == 0:
                space.nodes = nodes
                return best
            score = -best
            ply -= 1
            own, other = other, own
            free, rest = loaded(free, space.free[ply]), loaded(free, space.rest[ply])
            alpha, beta, best = space.window[ply, 0], space.window[ply, 1], space.best[ply]
            place = loaded(free, space.child[ply])
        else:
            if raised(flag):
                return best
            place = lowest_of(rest)
            rest = rest ^ place
            child = played(free, place, own)
            replies = places(child, other)
            space.length[ply + 1] = 0
            if replies != none and ply + 1 < depth:
                stored(free, space.free[ply])
                stored(rest, space.rest[ply])
                stored(place, space.child[ply])
                space.window[ply, 0], space.window[ply, 1], space.best[ply] = alpha, beta, best
                alpha, beta = -beta, -max(alpha, best)
                ply += 1
                own, other = other, own
                free, rest, best = child, replies, -np.inf
                nodes += 0 if counted else 1
                continue
            nodes += 1
            if replies == none and not counted:
                score = WIN - (ply + 1)
            else:
                score = np.float64(size(places(child, own)) - size(replies))
        if score > best:
            best = score
            space.line[ply, 0] = first(place)
            length = space.length[ply + 1]
            for at in range(length):
                space.line[ply, at + 1] = space.line[ply + 1, at]
            space.length[ply] = length + 1
