"""What a local search takes and returns: a landscape, when to stop, and the best that it has found.

Stopping criteria as small callables: Wouda, Lan and Kool, "PyVRP: a high-performance VRP solver package", INFORMS
Journal on Computing 36 (2024).
"""

import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Generic, NamedTuple, Protocol, TypeVar

S = TypeVar("S")
C = TypeVar("C")
Stop = Callable[[float], bool]  # asked before each step with the cost of the best so far; True ends the search


class Landscape(Protocol[S, C]):
    """What a local search walks on: states, each a complete solution, and the small changes that lead to others.

    Its methods return values and change nothing.
    """

    def cost(self, state: S) -> float:
        """What the state costs; less is better."""

    def somewhere(self, random: Random) -> S:
        """A state at random."""

    def changes(self, state: S) -> Iterator[tuple[float, C]]:
        """All small changes, each with the cost that it adds; negative if it makes the state better."""

    def change(self, state: S, random: Random) -> tuple[float, C]:
        """One change at random, with the cost that it adds."""

    def changed(self, state: S, change: C) -> S:
        """The state after `change`."""


class Improved(NamedTuple, Generic[S]):
    """What a local search returns: the best state, which costs no more than the first one did, and what it took."""

    state: S
    cost: float
    steps: int


def never(_best_cost: float) -> bool:
    return False


class Steps:
    """A `stop` that returns True after `most` calls; several searches that share it share these, too."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self, best_cost: float) -> bool:
        self.left -= 1
        return self.left < 0


class Patience:
    """A `stop` that returns True when the best cost has not become less for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._best: float | None = None
        self._since = time.monotonic()

    def __call__(self, best_cost: float) -> bool:
        now = time.monotonic()
        if self._best is None or best_cost < self._best:
            self._best, self._since = best_cost, now
        return now - self._since >= self._seconds
