"""The limits of a solver, and its progress: progress bars read it, and Ctrl-C ends it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf

UNREACHED = 1 << 62  # nodes; more would not fit into a kernel's int64


def _nothing() -> int:
    return 0


class Budget:
    """Limits of time and nodes, for one position. Solvers check it; any thread may `cancel` it."""

    def __init__(self, seconds: float = inf, nodes: float = inf, above: "Budget | None" = None) -> None:
        self.began = time.monotonic()
        self.until = self.began + seconds
        self.limit = nodes
        self.cancelled = False
        self._stage = ""
        self._spent, self._live, self._above = 0, _nothing, above

    @property
    def nodes(self) -> int:
        """Return the positions searched so far."""
        return self._spent + self._live()

    @property
    def stage(self) -> str:
        """Return the current attempt, in a word or two."""
        return self._stage

    @stage.setter
    def stage(self, text: str) -> None:
        self._stage = text
        if self._above is not None:
            self._above.stage = text

    def spend(self, nodes: int) -> None:
        """Count positions that were searched."""
        self._spent += nodes
        if self._above is not None:
            self._above.spend(nodes)

    def stop(self) -> bool:
        """Return whether it is used up."""
        return (
            self.cancelled
            or self._spent >= self.limit
            or time.monotonic() >= self.until
            or (self._above is not None and self._above.stop())
        )

    def tick(self) -> bool:
        """Count one position; return whether it is used up."""
        self.spend(1)
        return self.stop()

    def cancel(self) -> None:
        self.cancelled = True

    def seconds(self) -> float:
        """Return the seconds since the beginning."""
        return time.monotonic() - self.began

    def left(self) -> float:
        """Return the nodes that may still be searched."""
        return max(0, self.limit - self._spent)

    def most(self) -> int:
        """Return the nodes for compiled searches: a whole number, 0 for no limit, or for an unreachable one."""
        left = self.left()
        return max(1, int(left)) if left < UNREACHED else 0

    def share(self, part: float, nodes: float = inf) -> "Budget":
        """Return a part of the rest, with at most so many nodes; its use counts for the whole, too."""
        seconds = part * (self.until - time.monotonic())
        return Budget(seconds, min(nodes, part * self.left()), self)

    @contextmanager
    def counting(self, live: Callable[[], int]) -> Iterator[None]:
        """Count the nodes of a running compiled search, which `live` returns."""
        if self._above is not None:
            with self._above.counting(live):
                yield
            return
        self._live = live
        try:
            yield
        finally:
            self._live = _nothing

    def used(self) -> float:
        """Return the used share of the limits, from 0 to 1; 0 without limits."""
        time_used = self.seconds() / (self.until - self.began) if self.until < inf else 0.0
        return min(1.0, max(time_used, self.nodes / self.limit if self.limit < inf else 0.0))
