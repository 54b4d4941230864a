"""Monte Carlo tree search compiled: UCT as in `palio_clients.search.mcts`, one random game to its end a simulation.

It shares the algorithm with the readable one, but not the random numbers: a seed is only reproducible here.
"""

from math import sqrt

import numpy as np

from palio_clients.games.breakthrough.kernels.workspace import (
    LONGEST,
    WIDEST,
    fan_of,
    landing,
    line_of,
    numbered,
    source,
    target,
    ways,
    won,
    words_of,
    workspace,
)
from palio_clients.kernels.bits import ONE, STEP, ZERO, below, lowest, nth_of, popcount, raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Real, Record, Word, kernel, stop_flag
from palio_clients.search.game_tree import Best, Stop, never
from palio_rules.games.breakthrough import Position

ROOM = 32  # free nodes needed for each simulation: more than the children of a usual position
MOST_NODES = 1 << 22  # in the tree, 64 MiB

NODE = np.dtype(
    [
        ("first", np.int32),  # the index of its first child; children are adjacent, in random order
        ("visits", np.int32),
        ("wins", np.int32),  # of the side that moved here
        ("move", np.uint8),
        ("children", np.uint8),
        ("tried", np.uint8),  # the number of visited children
        ("grown", np.uint8),  # whether the children exist
    ],
    align=True,
)


def mcts(state: Position, *, nodes: int, seed: int = 0, exploration: float = sqrt(2), stop: Stop = never) -> Best:
    """Play `nodes` simulations, or as many as there is time for, but at least one; see the original for the result.

    `state` must not be over. A full tree is still searched, but does not grow.
    """
    spaces, path = workspace(state.board), np.zeros(LONGEST + 1, np.int64)
    tree = np.zeros(min(MOST_NODES, nodes * ROOM + 2 * WIDEST), NODE)
    with stop_flag(stop) as flag:
        deepest = _simulate(spaces, tree, path, flag, *words_of(state), state.turn, nodes, np.uint64(seed), exploration)
    chosen = _main_line(tree, path)
    line = line_of(state, [*tree["move"][path[1 : chosen + 1]], 0])
    best = tree[path[1]]
    return Best(line[0], float(best["wins"] / best["visits"]), int(deepest), int(tree[0]["visits"]), line)


@kernel
def _simulate(
    spaces: Array,
    tree: Array,
    path: Array,
    flag: Flag,
    own: Word,
    enemy: Word,
    turn: Int,
    simulations: Int,
    seed: Word,
    exploration: Real,
) -> Int:
    """Grow the tree, whose first element is the root; return its depth."""
    space, random, used, deepest = spaces[0], scrambled(seed), np.int64(1), np.int64(0)
    for _ in range(simulations):
        if raised(flag) and tree[0].visits:
            break
        mine, theirs, side, at, depth = own, enemy, turn, np.int64(0), np.int64(0)
        path[0] = at
        over = False
        while not over and (depth == 0 or tree[at].visits):
            if not tree[at].grown:
                if used + WIDEST > len(tree):
                    break
                random += STEP
                used = _grow(space, tree, at, used, mine, theirs, side, scrambled(random))
            at = _promising(tree, at, exploration)
            move = np.int64(tree[at].move)
            pawn, to = source(move), target(space, move, side)
            mine, theirs = theirs & ~to, mine ^ (pawn | to)
            side = 1 - side
            over = won(space, theirs, mine, 1 - side)
            depth += 1
            path[depth] = at
        random += STEP
        winner = 1 - side if over else _playout(space, mine, theirs, side, scrambled(random))
        deepest = max(deepest, depth)
        for step in range(depth + 1):
            node = tree[path[step]]
            node.visits += 1
            node.wins += (winner == turn) == (step & 1 == 1)
    return deepest


@kernel
def _grow(space: Record, tree: Array, at: Int, used: Int, own: Word, enemy: Word, turn: Int, random: Word) -> Int:
    """Add the children of the node `at`, in random order; return how many nodes are then used."""
    end = used
    left, straight, right = ways(space, own, enemy, turn)
    movers = left | straight | right
    while movers != ZERO:
        square = np.uint64(lowest(movers))
        movers &= movers - ONE
        fan = fan_of(left, straight, right, square)
        while fan != ZERO:
            tree[end].move = numbered(square, lowest(fan))
            fan &= fan - ONE
            random += STEP
            other = used + below(scrambled(random), end + 1 - used)
            tree[end].move, tree[other].move = tree[other].move, tree[end].move
            end += 1
    tree[at].first, tree[at].children, tree[at].grown = used, end - used, 1
    return end


@kernel
def _promising(tree: Array, at: Int, exploration: Real) -> Int:
    """Return an unvisited child, or else that with the highest upper confidence bound; the first of equals."""
    node = tree[at]
    first = np.int64(node.first)
    if node.tried < node.children:
        node.tried += 1
        return first + np.int64(node.tried) - 1
    wide, best, chosen = exploration * np.sqrt(np.log(np.float64(node.visits))), -1.0, first
    for child in range(first, first + np.int64(node.children)):
        visits = np.float64(tree[child].visits)
        bound = tree[child].wins / visits + wide / np.sqrt(visits)
        if bound > best:
            best, chosen = bound, np.int64(child)
    return chosen


@kernel
def _playout(space: Record, own: Word, enemy: Word, turn: Int, random: Word) -> Int:
    """Play random moves to the end, all equally likely; return the winner."""
    while True:
        left, straight, right = ways(space, own, enemy, turn)
        lefts, straights = popcount(left), popcount(straight)
        random += STEP
        number = below(scrambled(random), lefts + straights + popcount(right))
        if number < lefts:
            pawn, bit = nth_of(left, number), 0
        elif number < lefts + straights:
            pawn, bit = nth_of(straight, number - lefts), 1
        else:
            pawn, bit = nth_of(right, number - lefts - straights), 2
        to = landing(space, np.uint64(lowest(pawn)), bit, turn)
        if (to & space.goal[turn]) != ZERO or to == enemy:
            return turn
        own, enemy, turn = enemy & ~to, own ^ (pawn | to), 1 - turn


@kernel
def _main_line(tree: Array, path: Array) -> Int:
    """Follow the most visited children, the first of equals; return their number; `path` has them from 1 on."""
    at, depth = np.int64(0), np.int64(0)
    while tree[at].tried:
        first = np.int64(tree[at].first)
        at = first
        for child in range(first, first + np.int64(tree[path[depth]].tried)):
            if tree[child].visits > tree[at].visits:
                at = np.int64(child)
        depth += 1
        path[depth] = at
    return depth
