"""What an improver takes and gives: when to stop, and the best that it has found.

Stopping criteria as small callables: Wouda, Lan and Kool, "PyVRP: a high-performance VRP solver package", INFORMS
Journal on Computing 36 (2024).
"""

import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

S = TypeVar("S")
Stop = Callable[[float], bool]  # asked before each step with the cost of the best so far; True ends the search


class Improved(NamedTuple, Generic[S]):
    """The best state found, which costs no more than the first one did."""

    state: S
    cost: float
    steps: int


def never(_best_cost: float) -> bool:
    return False


class Steps:
    """Stops after so many steps; of all searches that ask it together."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self, best_cost: float) -> bool:
        self.left -= 1
        return self.left < 0


class Patience:
    """Stops when the best has not become better for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._best: float | None = None
        self._since = time.monotonic()

    def __call__(self, best_cost: float) -> bool:
        now = time.monotonic()
        if self._best is None or best_cost < self._best:
            self._best, self._since = best_cost, now
        return now - self._since >= self._seconds
