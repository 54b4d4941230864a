"""Iterative deepening: search one ply, then two, then three, and always have an answer.

Slate and Atkin, "CHESS 4.5: the Northwestern University chess program", in: Chess Skill in Man and Machine (1977).

This is the one place that knows of a deadline. The searches ask `stop` and know nothing of clocks.
"""

from collections.abc import Callable, Iterator
from itertools import count
from math import inf

from palio_clients.search.game_tree import WIN, Best, Stop, Stopped, never

Search = Callable[[int, Stop], Best]  # a search of one position: to a depth, until it is stopped


def deepening(search: Search, stop: Stop = never, *, max_depth: int = 64, max_nodes: float = inf) -> Iterator[Best]:
    """Search to depth 1, 2, 3 and so on.

    `search(depth, stop)` is one search to one depth, which raises Stopped when `stop` returns True. It ends after
    `max_depth` plies, when `stop` returns True, when a next node would be one more than `max_nodes`, or where a win or
    a loss is certain. Depth 1 is searched whatever the limits are, so there is always one result.

    Returns an iterator of Best, one for each depth that was searched to its end; its nodes are those of all depths so
    far.

        for best in deepening(lambda depth, stop: alpha_beta(state, depth, evaluate, stop=stop), clock.expired): ...
    """
    nodes = 0
    for depth in range(1, max_depth + 1):
        try:
            best = search(depth, never if depth == 1 else _limited(stop, max_nodes - nodes))
        except Stopped:
            return
        nodes += best.nodes
        yield best._replace(nodes=nodes)
        if abs(best.score) > WIN / 2 or nodes >= max_nodes or stop():
            return


def _limited(stop: Stop, nodes: float) -> Stop:
    """As `stop`, and after so many nodes: a search asks at each of them."""
    visits = count(1)
    return lambda: next(visits) > nodes or stop()
