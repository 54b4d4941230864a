"""A dive: depth first to a way of exactly so many steps, which gives up soon.

Depth-limited search, Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Uninformed Search Strategies".
Where one can tell well which states may lie on a way of that length, most tries are good ones, and a dive finds a way
in no time; where one cannot, it costs no more than its limit, and a thorough search has to follow.
"""

from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Any, Generic, TypeVar

S = TypeVar("S", bound=Hashable)
Neighbours = Callable[[S], Iterable[tuple[Any, S]]]
Perhaps = Callable[[S, int], bool]

MOST = 500  # states that a dive may look at: a few milliseconds


class Dive(Generic[S]):
    """`finds(state, left)` says whether it has found a way of `left` steps from `state` to one of `goals`.

    Its `moves` are the way then, the last one first; `expanded` counts the states it has looked at. `may_end(state, n)`
    may be False only if no goal can be reached from `state` in exactly n steps. A state that is a goal before the last
    step does not count: shorter ways have been ruled out before.
    """

    def __init__(self, goals: Collection[S], successors: Neighbours[S], may_end: Perhaps[S]) -> None:
        self.moves: list[Any] = []
        self.expanded = 0
        self._goals, self._successors, self._may_end = goals, successors, may_end
        self._failed: set[tuple[S, int]] = set()

    def finds(self, state: S, left: int) -> bool:
        if left == 0:
            return state in self._goals
        self.expanded += 1
        for move, after in self._successors(state):
            if (after, left) in self._failed or not self._may_end(after, left - 1):
                continue
            if self.expanded >= MOST:
                return False
            if self.finds(after, left - 1):
                self.moves.append(move)
                return True
            self._failed.add((after, left))
        return False
