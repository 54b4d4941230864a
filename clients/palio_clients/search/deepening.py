"""Iterative deepening: search one ply, then two, then three, and always have an answer.

Slate and Atkin, "CHESS 4.5: the Northwestern University chess program", in: Chess Skill in Man and Machine (1977).
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from palio_clients.search.alpha_beta import WIN, Best, Evaluate, Stopped, alpha_beta


class Deeper(NamedTuple):
    depth: int
    best: Best  # its nodes are those of all depths so far


def deepening(state: Any, evaluate: Evaluate, stop: Callable[[], bool], max_depth: int = 64) -> Iterator[Deeper]:
    """Yield the result of every depth that was searched to its end; ends when `stop` says so or a win is proven.

    Depth 1 is searched whatever `stop` says, so there is always one result.
    """
    nodes = 0
    for depth in range(1, max_depth + 1):
        try:
            best = alpha_beta(state, depth, evaluate, stop=stop if depth > 1 else lambda: False)
        except Stopped:
            return
        nodes += best.nodes
        yield Deeper(depth, best._replace(nodes=nodes))
        if abs(best.score) > WIN / 2 or stop():
            return
