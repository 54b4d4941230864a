"""Negamax: minimax for those who see that your loss is my gain, and write one half of it.

Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975), procedure F0.
"""

from math import inf
from typing import Any

from palio_clients.search.game_tree import Best, Evaluate, Stop, Stopped, leaf, never, worth
from palio_clients.search.ordering import AS_LISTED, Order


def negamax(state: Any, depth: int, evaluate: Evaluate, *, order: Order = AS_LISTED, stop: Stop = never) -> Best:
    """Search a duel for what `minimax` finds: the same move, score and nodes.

    Each score is from the view of the seat to move, the negative of the other's. So turns must alternate and `evaluate`
    be zero-sum. `state` must not be over, and `depth` be at least 1.

    Returns a Best. Raises Stopped when `stop`, asked at each node, returns True.
    """

    def visit(state: Any, seat: int, depth: int, ply: int) -> Best:
        if stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return leaf(worth(outcome, seat, ply))
        if depth == 0:
            return leaf(evaluate(state, seat))
        best, nodes = Best(None, -inf, depth, 1, ()), 1
        for move in order(state):
            reply = visit(state.play(move), 1 - seat, depth - 1, ply + 1)
            nodes += reply.nodes
            if -reply.score > best.score:
                best = Best(move, -reply.score, depth, nodes, (move, *reply.pv))
        return best._replace(nodes=nodes)

    return visit(state, state.to_move, depth, 0)
