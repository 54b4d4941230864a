"""Alpha-beta in negamax form: once a move is refuted, it does not matter how badly.

Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975), procedure F2; fail-soft as in
Fishburn, "Another optimization of alpha-beta search", SIGART Newsletter 84 (1983).
"""

from math import inf
from typing import Any

from palio_clients.search.game_tree import Best, Evaluate, Stop, Stopped, leaf, never, worth
from palio_clients.search.ordering import AS_LISTED, Order
from palio_clients.search.transposition import Table


def alpha_beta(
    state: Any,
    depth: int,
    evaluate: Evaluate,
    *,
    order: Order = AS_LISTED,
    table: Table | None = None,
    stop: Stop = never,
    alpha: float = -inf,
    beta: float = inf,
) -> Best:
    """Search a duel `depth` plies deep for the move with the best worst case, for the seat to move.

    The score is exact inside (alpha, beta), an upper bound on the true one at or below alpha, a lower bound at or
    above beta. With the window wide open, as by default, it is minimax's whatever `order` and `table` are, and with
    neither of them the move is, too. A node is cut off where its score reaches beta.

    Turns must alternate and `evaluate` be zero-sum. `state` must not be over, and `depth` be at least 1. A `table` may
    serve many searches of one game with the same `evaluate`. Nodes, leaves, ties: see `game_tree`.

    Returns a Best. Raises Stopped when `stop`, asked at each node, returns True.
    """

    def visit(state: Any, seat: int, depth: int, ply: int, alpha: float, beta: float) -> Best:
        if stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return leaf(worth(outcome, seat, ply))
        if depth == 0:
            return leaf(evaluate(state, seat))
        if table is not None and (known := table.answer(state, depth, ply, alpha, beta)) is not None:
            return known
        best, nodes = Best(None, -inf, depth, 1, ()), 1
        for move in order(state, table.hint(state) if table is not None else None):
            reply = visit(state.play(move), 1 - seat, depth - 1, ply + 1, -beta, -max(alpha, best.score))
            nodes += reply.nodes
            if -reply.score > best.score:
                best = Best(move, -reply.score, depth, nodes, (move, *reply.pv))
            if best.score >= beta:
                order.cut(state, move, depth)
                break
        best = best._replace(nodes=nodes)
        if table is not None:
            table.keep(state, ply, alpha, beta, best)
        return best

    return visit(state, state.to_move, depth, 0, alpha, beta)
