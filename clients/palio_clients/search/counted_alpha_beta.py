"""Alpha-beta as the textbook prints it, with max and min taking turns, and a count of the leaves it visits.

Russell and Norvig, "Artificial Intelligence: A Modern Approach", "Optimal Decisions in Games": ALPHA-BETA-SEARCH.

`alpha_beta_minimax` is the same algorithm; this one knows no rules but `successors`, and counts leaves, not nodes.
"""

from collections.abc import Callable, Iterable
from math import inf
from typing import Any, Generic, NamedTuple, TypeVar

S = TypeVar("S")


class Found(NamedTuple):
    """What the search returns."""

    move: Any | None  # None at a leaf
    value: float  # from the view of the player at the root
    leaves: int


class CountedAlphaBeta(Generic[S]):
    """A search with its rules: `successors(state, is_root_player)` and `value(state)` for the player at the root.

    A leaf is a state at the limit, or one where the side to move has no successors. Successors are tried in order,
    the first of equals wins, and a branch is cut where its value reaches a bound.
    """

    def __init__(self, successors: Callable[[S, bool], Iterable[tuple[Any, S]]], value: Callable[[S], float]) -> None:
        self._successors, self._value = successors, value

    def search(self, state: S, limit: int) -> Found:
        """The best move within `limit` plies, its value, and how many leaves were visited."""
        return self._max(state, limit, -inf, inf)

    def _max(self, state: S, limit: int, alpha: float, beta: float) -> Found:
        best, leaves = Found(None, -inf, 0), 0
        for move, after in self._successors(state, True) if limit > 0 else ():
            reply = self._min(after, limit - 1, alpha, beta)
            leaves += reply.leaves
            if reply.value > best.value:
                best = Found(move, reply.value, leaves)
                alpha = max(alpha, best.value)
            if best.value >= beta:
                break
        return best._replace(leaves=leaves) if leaves else Found(None, self._value(state), 1)

    def _min(self, state: S, limit: int, alpha: float, beta: float) -> Found:
        best, leaves = Found(None, inf, 0), 0
        for move, after in self._successors(state, False) if limit > 0 else ():
            reply = self._max(after, limit - 1, alpha, beta)
            leaves += reply.leaves
            if reply.value < best.value:
                best = Found(move, reply.value, leaves)
                beta = min(beta, best.value)
            if best.value <= alpha:
                break
        return best._replace(leaves=leaves) if leaves else Found(None, self._value(state), 1)
