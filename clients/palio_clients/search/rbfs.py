"""Recursive best-first search: the best path first, as A* does it, in memory that is linear in its length.

Korf, "Linear-space best-first search", Artificial Intelligence 62 (1993). The search goes down the best path for as
long as no other one looks better; then it forgets what is below, remembers only how good that turned out to be, and
turns to the other.
"""

from collections.abc import Callable
from contextlib import suppress
from math import inf

from palio_clients.search.a_star import Plan, Remaining, S, Successors
from palio_clients.search.linear_space import LinearSpace, Stopped


def rbfs(
    start: S,
    successors: Successors[S],
    remaining: Remaining[S],
    *,
    max_expanded: int = 1_000_000,
    stop: Callable[[], bool] = lambda: False,
) -> Plan:
    """Find the cheapest path, each step costing 1, from `start` to a state where `remaining` is 0.

    `successors` and `remaining` as in `a_star`; `remaining` must be admissible. A path never comes back to a state that
    it has left, so the search ends on every finite graph. Of equals the first one is followed.

    Returns a Plan; a state that is expanded again counts again. It is not complete where `max_expanded` or `stop` ended
    the search: then its moves lead to the most promising state so far. Where there is no path, likewise.
    """
    space = LinearSpace(start, successors, remaining, max_expanded, stop)
    left = remaining(start)
    with suppress(Stopped):
        if left < inf:
            _within(space, inf, start, left, left)
    return space.plan()


def _within(space: LinearSpace[S], bound: float, state: S, left: float, value: float) -> float:
    """Follow the best way on from `state` for as long as its value is within `bound`; the value it turns out to have.

    A value is what the whole way costs at least. That of `state`, from which `left` remains by the estimate, is more
    than the estimate says where `state` was looked at before and forgotten: then the ways on inherit it.
    """
    space.enter(left)
    if space.solved:
        return value
    steps = len(space.path)  # after the next move
    inherited = value if value > steps - 1 + left else 0
    ways = []
    for number, (move, after) in enumerate(space.successors(state)):
        if after not in space.path:
            rest = space.remaining(after)
            ways.append((max(steps + rest, inherited), number, rest, move, after))
    while ways:
        ways.sort(key=lambda way: way[:2])
        value, number, rest, move, after = ways[0]
        if value > bound or value == inf:
            return value
        rival = ways[1][0] if len(ways) > 1 else inf
        space.path[after] = move
        value = _within(space, min(bound, rival), after, rest, value)
        if space.solved:
            return value  # and leave the path as it is
        del space.path[after]
        ways[0] = (value, number, rest, move, after)
    return inf
