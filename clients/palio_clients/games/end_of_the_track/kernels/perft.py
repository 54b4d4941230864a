"""Counting what can be played: the twin of counting with the rules, draws included."""

import numpy as np

from palio_clients.games.end_of_the_track.kernels.past import drawn, pop, push, remember, words_of
from palio_clients.games.end_of_the_track.kernels.workspace import (
    arrives,
    collect,
    mobility,
    moved,
    put_back,
    set_up,
    standing,
    workspace,
)
from palio_clients.kernels.jit import Array, Int, Record, Word, kernel
from palio_rules.games.end_of_track import Position


def perft(state: Position, depth: int) -> int:
    """How many games of `depth` more plies there are. The last ply is counted in bulk, without playing its moves."""
    if depth == 0:
        return 1
    if state.to_move is None:
        return 0
    spaces = workspace()
    remember(spaces[0], state)
    return int(_perft(spaces, *set_up(spaces[0], state.pieces, state.turn), state.turn, depth))


@kernel
def _perft(spaces: Array, own: Word, enemy: Word, turn: Int, depth: Int) -> Int:
    return _count(spaces[0], own, enemy, turn, depth, np.int64(0))


@kernel
def _count(space: Record, own: Word, enemy: Word, turn: Int, depth: Int, ply: Int) -> Int:
    if depth == 1:
        return mobility(space, own, enemy, turn)
    leaves, moves = np.int64(0), space.stack[ply]
    white, black = words_of(space, own, enemy, turn)
    push(space, white, black)
    for number in range(collect(space, own, enemy, turn, moves)):
        move = moves[number]
        if arrives(space, turn, move):
            continue
        at = standing(space, turn, move)
        mine = moved(space, own, turn, move)
        if not drawn(space, enemy, mine, 1 - turn, ply + 1):
            leaves += _count(space, enemy, mine, 1 - turn, depth - 1, ply + 1)
        put_back(space, turn, move, at)
    pop(space)
    return leaves
