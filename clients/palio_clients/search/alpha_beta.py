"""Alpha-beta search in negamax form.

Knuth and Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6 (1975), procedure F2 (fail-soft).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

WIN = 1_000_000.0  # beyond any evaluation; a win after n plies scores WIN - n, so that the quicker one is preferred

Evaluate = Callable[[Any, int], float]  # (state, seat) -> how good the state is for the seat; negated for the other


class Best(NamedTuple):
    score: float  # for the seat to move
    nodes: int
    line: tuple[Any, ...]  # the principal variation; empty at a leaf


class Stopped(Exception):
    """`stop` has said so; what was searched so far is worth nothing."""


def never() -> bool:
    return False


def alpha_beta(
    state: Any,
    depth: int,
    evaluate: Evaluate,
    *,
    stop: Callable[[], bool] = never,
    ply: int = 0,
    alpha: float = -2 * WIN,
    beta: float = 2 * WIN,
) -> Best:
    """Search `depth` plies of a duel for the line with the best worst case, for the seat to move.

    The score is exact inside (alpha, beta), an upper bound at or below alpha, a lower bound at or above beta. Moves
    are tried in the game's order, the first of equals wins. Raises Stopped once `stop`, asked at each inner node,
    says so. `state` must not be over; `ply` is its distance from the root.
    """
    if stop():
        raise Stopped
    seat, best = state.to_move, Best(-2 * WIN, 1, ())
    for move in state.legal_moves():
        after = state.play(move)
        outcome = after.outcome()
        if outcome is not None:
            decided = outcome.scores[seat] - outcome.scores[1 - seat]
            reply = Best(-decided * (WIN - ply - 1), 1, ())
        elif depth <= 1:
            reply = Best(evaluate(after, 1 - seat), 1, ())
        else:
            window = {"alpha": -beta, "beta": -max(alpha, best.score)}
            reply = alpha_beta(after, depth - 1, evaluate, stop=stop, ply=ply + 1, **window)
        best = best._replace(nodes=best.nodes + reply.nodes)
        if -reply.score > best.score:
            best = Best(-reply.score, best.nodes, (move, *reply.line))
        if best.score >= beta:
            break
    return best
