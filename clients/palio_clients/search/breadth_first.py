"""Breadth-first search: all states one step away, then two, then three; the first path found is a shortest one.

Moore, "The shortest path through a maze", Proceedings of an International Symposium on the Theory of Switching (1959).
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, TypeVar

S = TypeVar("S", bound=Hashable)


class Route(NamedTuple):
    """What a search for a shortest path returns: its moves from the start, and what it took."""

    moves: tuple[Any, ...]
    expanded: int  # states whose successors were generated


def breadth_first(
    start: S, successors: Callable[[S], Iterable[tuple[Any, S]]], is_goal: Callable[[S], bool]
) -> Route | None:
    """Find a path with the fewest steps from `start` to a state for which `is_goal` is true.

    `successors(state)` gives pairs (move, state after it). All states seen stay in memory.

    Returns a Route, of equals the first one found; None if no goal can be reached.
    """
    came_from: dict[S, tuple[Any, S] | None] = {start: None}
    frontier, expanded = deque([start]), 0
    if is_goal(start):
        return Route((), 0)
    while frontier:
        state = frontier.popleft()
        expanded += 1
        for move, after in successors(state):
            if after not in came_from:
                came_from[after] = (move, state)
                if is_goal(after):
                    return Route(tuple(reversed(way_back(came_from, after))), expanded)
                frontier.append(after)
    return None


def way_back(came_from: dict[S, tuple[Any, S] | None], state: S) -> list[Any]:
    """The moves from `state` back to where a search began, the last one first."""
    moves = []
    while (step := came_from[state]) is not None:
        move, state = step
        moves.append(move)
    return moves
