"""What a search in linear space remembers: the path on which it is, and the most promising one that it has been on."""

from collections.abc import Callable
from math import inf
from typing import Any, Generic

from palio_clients.search.a_star import Plan, Remaining, S, Successors


class Stopped(Exception):
    """The limit is reached, or `stop` has said so."""


class LinearSpace(Generic[S]):
    """`path` has the states on the way to here, each with the move that led to it; `solved`: this is a goal."""

    def __init__(
        self, start: S, successors: Successors[S], remaining: Remaining[S], max_expanded: int, stop: Callable[[], bool]
    ) -> None:
        self.path: dict[S, Any] = {start: None}
        self.solved = False
        self.successors, self.remaining = successors, remaining
        self._nearest: tuple[Any, ...] = ()
        self._least = inf
        self._expanded = 0
        self._most, self._stop = max_expanded, stop

    def enter(self, left: float) -> None:
        """Take note of the state at the end of `path`, from which `left` remains.

        If that is a goal, `solved` is set; if not, its successors are looked at next. Raises Stopped.
        """
        if left < self._least:
            self._nearest, self._least = self._moves(), left
        self.solved = left == 0
        if self.solved:
            return
        if self._expanded >= self._most or self._stop():
            raise Stopped
        self._expanded += 1

    def plan(self) -> Plan:
        """The way to the goal, or to the most promising state so far."""
        return Plan(self._moves() if self.solved else self._nearest, self.solved, self._expanded)

    def _moves(self) -> tuple[Any, ...]:
        return tuple(self.path.values())[1:]
