"""Max^n: in a game for several, each seat takes what is best for itself.

Luckhardt and Irani, "An algorithmic solution of n-person games", AAAI (1986).
"""

from typing import Any, NamedTuple

from palio_clients.search.game_tree import Best, Evaluate, Stop, Stopped, never, worth
from palio_clients.search.ordering import AS_LISTED, Order


class Line(NamedTuple):
    scores: tuple[float, ...]  # one a seat
    nodes: int
    pv: tuple[Any, ...]


def max_n(
    state: Any, depth: int, evaluate: Evaluate, *, seats: int, order: Order = AS_LISTED, stop: Stop = never
) -> Best:
    """Search all of the tree, `depth` plies deep, for an equilibrium: nobody does better by another move of its own.

    A leaf has a score for each seat, and the seat to move takes the branch with the highest one of its own. Of
    branches that are equal for the mover, which may be very different for the others, the first counts. With two
    seats and a zero-sum `evaluate` this is `minimax`, move, score and nodes. `state` must not be over, and `depth` be
    at least 1.

    Returns a Best, its score that of the seat to move. Raises Stopped when `stop`, asked at each node, returns True.
    """

    def visit(state: Any, depth: int, ply: int) -> Line:
        if stop():
            raise Stopped
        if (outcome := state.outcome()) is not None:
            return Line(tuple(worth(outcome, seat, ply) for seat in range(seats)), 1, ())
        if depth == 0:
            return Line(tuple(evaluate(state, seat) for seat in range(seats)), 1, ())
        best, nodes, mover = None, 1, state.to_move
        for move in order(state):
            reply = visit(state.play(move), depth - 1, ply + 1)
            nodes += reply.nodes
            if best is None or reply.scores[mover] > best.scores[mover]:
                best = Line(reply.scores, nodes, (move, *reply.pv))
        assert best is not None, "a game that is not over has a move"
        return best._replace(nodes=nodes)

    found = visit(state, depth, 0)
    return Best(found.pv[0], found.scores[state.to_move], depth, found.nodes, found.pv)
