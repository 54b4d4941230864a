"""Minimax: I take the best for me, you take the worst for me.

Shannon, "Programming a computer for playing chess", Philosophical Magazine 41 (1950); Russell and Norvig, "Artificial
Intelligence: A Modern Approach", "Optimal Decisions in Games": MINIMAX-SEARCH.
"""

from operator import gt, lt
from typing import Any

from palio_clients.search.game_tree import Best, Evaluate, Stop, Stopped, leaf, never, worth
from palio_clients.search.ordering import AS_LISTED, Order


def minimax(state: Any, depth: int, evaluate: Evaluate, *, order: Order = AS_LISTED, stop: Stop = never) -> Best:
    """Search all of the tree, `depth` plies deep, for the move with the best worst case.

    MAX is the seat to move at the root, everybody else is MIN. `evaluate(state, seat)` scores a leaf. `state` must not
    be over, and `depth` be at least 1. Nodes, leaves, ties: see `game_tree`.

    Returns a Best, its score from the view of MAX. Raises Stopped when `stop`, asked at each node, returns True.
    """
    seat = state.to_move

    def visit(state: Any, depth: int, ply: int) -> Best:
        if stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return leaf(worth(outcome, seat, ply))
        if depth == 0:
            return leaf(evaluate(state, seat))
        better = gt if state.to_move == seat else lt
        best, nodes = None, 1
        for move in order(state):
            reply = visit(state.play(move), depth - 1, ply + 1)
            nodes += reply.nodes
            if best is None or better(reply.score, best.score):
                best = Best(move, reply.score, depth, nodes, (move, *reply.pv))
        assert best is not None, "a game that is not over has a move"
        return best._replace(nodes=nodes)

    return visit(state, depth, 0)
