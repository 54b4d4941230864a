"""IDA*: depth first within a bound on the whole way, and with the next larger bound if that was too little.

Korf, "Depth-first iterative-deepening: an optimal admissible tree search", Artificial Intelligence 27 (1985). It
remembers one path and no more: memory is linear in the length of the plan, where that of A* grows with all it has seen.
The price is that a state is looked at once for every way that leads to it.
"""

from collections.abc import Callable
from contextlib import suppress
from math import inf

from palio_clients.search.a_star import Plan, Remaining, S, Successors
from palio_clients.search.linear_space import LinearSpace, Stopped


def ida_star(
    start: S,
    successors: Successors[S],
    remaining: Remaining[S],
    *,
    max_expanded: int = 1_000_000,
    stop: Callable[[], bool] = lambda: False,
) -> Plan:
    """Find the cheapest path, each step costing 1, from `start` to a state where `remaining` is 0.

    `successors` and `remaining` as in `a_star`; `remaining` must be admissible. Each bound is the least estimate that
    exceeded the one before. A path never comes back to a state that it has left, so the search ends on every finite
    graph.

    Returns a Plan; a state that is expanded again counts again. It is not complete where `max_expanded` or `stop` ended
    the search: then its moves lead to the most promising state so far. Where there is no path, likewise.
    """
    space = LinearSpace(start, successors, remaining, max_expanded, stop)
    bound = remaining(start)
    with suppress(Stopped):
        while bound < inf and not space.solved:
            bound = _within(space, bound, start, 0)
    return space.plan()


def _within(space: LinearSpace[S], bound: float, state: S, steps: int) -> float:
    """Try all ways on from `state` whose estimate is within `bound`; the least estimate that exceeded it."""
    left = space.remaining(state)
    if steps + left > bound:
        return steps + left
    space.enter(left)
    if space.solved:
        return bound
    beyond = inf
    for move, after in space.successors(state):
        if after not in space.path:
            space.path[after] = move
            beyond = min(beyond, _within(space, bound, after, steps + 1))
            if space.solved:
                break  # and leave the path as it is
            del space.path[after]
    return beyond
