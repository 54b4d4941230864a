"""Alpha-beta in minimax form: as `alpha_beta`, with MAX and MIN in turn.

Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Optimal Decisions in Games": ALPHA-BETA-SEARCH.
"""

from dataclasses import dataclass
from math import inf
from typing import Any

from palio_clients.search.game_tree import Best, Evaluate, Stop, Stopped, leaf, never, worth
from palio_clients.search.ordering import AS_LISTED, Order


def alpha_beta_minimax(
    state: Any,
    depth: int,
    evaluate: Evaluate,
    *,
    order: Order = AS_LISTED,
    stop: Stop = never,
    alpha: float = -inf,
    beta: float = inf,
) -> Best:
    """Search `depth` plies deep for the move with the best worst case: node for node what `alpha_beta` does in a duel.

    MAX is the seat to move at the root, everybody else is MIN; all scores, alpha and beta are from the view of MAX. So
    turns need not alternate, there may be more than two seats, and `evaluate` is asked for one seat only. A node of
    MAX is cut off where its score reaches beta, one of MIN where it reaches alpha.

    Returns a Best. Raises Stopped when `stop`, asked at each node, returns True.
    """
    return _AlphaBeta(state.to_move, evaluate, order, stop).value(state, depth, 0, alpha, beta)


@dataclass(frozen=True, slots=True)
class _AlphaBeta:
    seat: int
    evaluate: Evaluate
    order: Order
    stop: Stop

    def value(self, state: Any, depth: int, ply: int, alpha: float, beta: float) -> Best:
        if self.stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return leaf(worth(outcome, self.seat, ply))
        if depth == 0:
            return leaf(self.evaluate(state, self.seat))
        side = self.max_value if state.to_move == self.seat else self.min_value
        return side(state, depth, ply, alpha, beta)

    def max_value(self, state: Any, depth: int, ply: int, alpha: float, beta: float) -> Best:
        best, nodes = Best(None, -inf, depth, 1, ()), 1
        for move in self.order(state):
            reply = self.value(state.play(move), depth - 1, ply + 1, max(alpha, best.score), beta)
            nodes += reply.nodes
            if reply.score > best.score:
                best = Best(move, reply.score, depth, nodes, (move, *reply.pv))
            if best.score >= beta:
                self.order.cut(state, move, depth)
                break
        return best._replace(nodes=nodes)

    def min_value(self, state: Any, depth: int, ply: int, alpha: float, beta: float) -> Best:
        best, nodes = Best(None, inf, depth, 1, ()), 1
        for move in self.order(state):
            reply = self.value(state.play(move), depth - 1, ply + 1, alpha, min(beta, best.score))
            nodes += reply.nodes
            if reply.score < best.score:
                best = Best(move, reply.score, depth, nodes, (move, *reply.pv))
            if best.score <= alpha:
                self.order.cut(state, move, depth)
                break
        return best._replace(nodes=nodes)
