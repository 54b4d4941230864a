"""A*: the cheapest path first, guided by an estimate of what remains.

Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths", IEEE Transactions on
Systems Science and Cybernetics 4 (1968). With a weight above 1: Pohl, "Heuristic search viewed as path finding in a
graph", Artificial Intelligence 1 (1970).
"""

from collections.abc import Callable, Hashable, Iterable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar

S = TypeVar("S", bound=Hashable)
Successors = Callable[[S], Iterable[tuple[Any, S]]]
Remaining = Callable[[S], float]


class Problem(NamedTuple, Generic[S]):
    """What a search for a plan takes: a start, its successors, and an estimate.

    `remaining(state)` is an estimate of the steps to a goal. It is 0 at the goals and nowhere else, infinite only where
    no goal can be reached. It is admissible if it never exceeds the truth, consistent if a step lessens it by 1 at
    most; the second implies the first.
    """

    start: S
    successors: Successors[S]  # each move, and the state after it
    remaining: Remaining[S]


class Plan(NamedTuple):
    """What a search for a path returns: the moves from the start, each costing 1, and how sure they are."""

    moves: tuple[Any, ...]
    complete: bool  # False: the limit was reached first; the moves lead to the most promising state that was seen
    expanded: int  # states whose successors were generated
    at_least: float = 0.0  # no path is cheaper, if `remaining` is consistent; infinite: there is none


def a_star(
    start: S,
    successors: Successors[S],
    remaining: Remaining[S],
    *,
    weight: float = 1.0,
    max_expanded: int = 10_000,
    stop: Callable[[], bool] = lambda: False,
) -> Plan:
    """Find the cheapest path, each step costing 1, from `start` to a state where `remaining` is 0.

    `successors(state)` gives pairs (move, state after it), `remaining(state)` estimates the steps to a goal. The path
    is optimal if `remaining` is admissible (never above the truth) and `weight` is 1; with a larger weight it is at
    most so many times longer. A state whose `remaining` is infinite is never expanded. Of equals the one with less
    remaining is expanded first, then the older one.

    Returns a Plan. It is not complete where `max_expanded` states were expanded or `stop`, asked before each of them,
    has returned True: then its moves lead to the most promising state so far.
    """
    order = count()
    least = remaining(start)
    frontier = [(weight * least, least, next(order), 0, start)]
    cost = {start: 0}
    came_from: dict[S, tuple[S, Any]] = {}
    nearest, expanded = start, 0
    while frontier and expanded < max_expanded and not stop():
        _, left, _, steps, state = heappop(frontier)
        if steps > cost[state]:
            continue  # a shorter way here was found after this entry was made
        if left == 0:
            return Plan(_path(came_from, state), complete=True, expanded=expanded, at_least=steps / weight)
        expanded += 1
        for move, after in successors(state):
            if cost.get(after, steps + 2) > steps + 1 and (left := remaining(after)) < inf:
                cost[after] = steps + 1
                came_from[after] = (state, move)
                if left < least:
                    nearest, least = after, left
                heappush(frontier, (steps + 1 + weight * left, left, next(order), steps + 1, after))
    at_least = frontier[0][0] / weight if frontier else inf
    return Plan(_path(came_from, nearest), complete=False, expanded=expanded, at_least=at_least)


def _path(came_from: dict[S, tuple[S, Any]], state: S) -> tuple[Any, ...]:
    moves: list[Any] = []
    while state in came_from:
        state, move = came_from[state]
        moves.append(move)
    return tuple(reversed(moves))
