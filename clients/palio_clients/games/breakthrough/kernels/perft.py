"""Counting what can be played: the twin of counting with the rules, and the measure of move generators."""

import numpy as np

from palio_clients.games.breakthrough.kernels.workspace import fan_of, landing, ways, words_of, workspace
from palio_clients.kernels.bits import ONE, ZERO, lowest, popcount
from palio_clients.kernels.jit import Int, Record, Word, kernel
from palio_rules.games.breakthrough import Position


def perft(state: Position, depth: int) -> int:
    """How many games of `depth` more plies there are. The last ply is counted in bulk, without playing its moves."""
    if depth == 0:
        return 1
    if state.to_move is None:
        return 0
    return int(_perft(workspace(state.board), *words_of(state), state.turn, depth))


@kernel
def _perft(spaces: Record, own: Word, enemy: Word, turn: Int, depth: Int) -> Int:
    return _count(spaces[0], own, enemy, turn, depth)


@kernel
def _count(space: Record, own: Word, enemy: Word, turn: Int, depth: Int) -> Int:
    left, straight, right = ways(space, own, enemy, turn)
    if depth == 1:
        return popcount(left) + popcount(straight) + popcount(right)
    leaves = 0
    movers = left | straight | right
    while movers != ZERO:
        square = np.uint64(lowest(movers))
        movers &= movers - ONE
        pawn, fan = ONE << square, fan_of(left, straight, right, square)
        while fan != ZERO:
            to = landing(space, square, lowest(fan), turn)
            fan &= fan - ONE
            if (to & space.goal[turn]) == ZERO and to != enemy:
                leaves += _count(space, enemy & ~to, own ^ (pawn | to), 1 - turn, depth - 1)
    return leaves
