"""Bidirectional search: from both ends towards the middle, where two small searches meet instead of one large.

Pohl, "Bi-directional search", Machine Intelligence 6 (1971). Lengths are tried one after the other, as in Korf,
"Depth-first iterative-deepening: an optimal admissible tree search", Artificial Intelligence 27 (1985), so that
every state on the way can be asked whether a way of exactly this length may lead through it. Where that question is
answered well, most ways of the right length are good ones: a short depth-first dive from the start finds one at once.
"""

from collections.abc import Collection, Iterable
from itertools import count
from typing import Any, Generic

from palio_clients.search.breadth_first import Route, way_back
from palio_clients.search.dive import Dive, Neighbours, Perhaps, S


def bidirectional(
    start: S,
    goals: Collection[S],
    successors: Neighbours[S],
    predecessors: Neighbours[S],
    *,
    may_end: Perhaps[S] = lambda _state, _steps: True,
    may_begin: Perhaps[S] = lambda _state, _steps: True,
    longest: int | None = None,
) -> Route | None:
    """Find a path with the fewest steps from `start` to one of `goals`.

    `successors(state)` gives pairs (move, state after it), `predecessors(state)` pairs (move, state before it).
    `may_end(state, n)` may be False only if no goal can be reached from `state` in exactly n steps, `may_begin(state,
    n)` only if `state` cannot be reached from `start` in exactly n steps; both prune.

    Returns a Route; None if there is no path of up to `longest` steps. Where there is no path at all and no `longest`,
    the search ends only if one side runs out of states.
    """
    expanded = 0
    for length in count() if longest is None else range(longest + 1):
        if not may_end(start, length):
            continue
        dive = Dive(goals, successors, may_end)
        if dive.finds(start, length):
            return Route(tuple(reversed(dive.moves)), expanded + dive.expanded)
        expanded += dive.expanded
        ahead = _Wave([start], successors, may_end)
        behind = _Wave([goal for goal in goals if may_begin(goal, length)], predecessors, may_begin)
        while ahead.front and behind.front and ahead.depth + behind.depth < length:
            wave = min(ahead, behind, key=lambda wave: len(wave.front))
            expanded += len(wave.front)
            wave.grow(length - wave.depth - 1)
            if not wave.front and not wave.ruled_out:
                return None  # all that can be reached from this end has been seen, and the other end was not there
        met = set(behind.front)
        meeting = next((state for state in ahead.front if state in met), None)
        if meeting is not None:
            there, back = way_back(ahead.came_from, meeting), way_back(behind.came_from, meeting)
            return Route((*reversed(there), *back), expanded)
    return None


class _Wave(Generic[S]):
    """The states that are `depth` steps from one end and no fewer, and how they were reached from there."""

    def __init__(self, ends: Iterable[S], neighbours: Neighbours[S], perhaps: Perhaps[S]) -> None:
        self.came_from: dict[S, tuple[Any, S] | None] = dict.fromkeys(ends)
        self.front = list(self.came_from)
        self.depth = 0
        self.ruled_out = False  # whether `perhaps` has kept any state away
        self._neighbours, self._perhaps = neighbours, perhaps

    def grow(self, left: int) -> None:
        """Take one step more, to those states only that may be `left` steps from the other end."""
        front, self.front = self.front, []
        self.depth += 1
        for state in front:
            for move, beyond in self._neighbours(state):
                if beyond in self.came_from:
                    continue
                if self._perhaps(beyond, left):
                    self.came_from[beyond] = (move, state)
                    self.front.append(beyond)
                else:
                    self.ruled_out = True
