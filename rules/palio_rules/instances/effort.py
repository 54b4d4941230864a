"""The limit on the work of a search for instances. Work is counted, not timed: results are the same on every machine.

A caller searches in `with within(effort):`, and calls `effort.stop()` when the instances are no longer needed. A search
calls `spend` now and then. Without an effort there is no limit, except the search's own.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from palio_rules.errors import BadOption

FORESEEN = 0.2  # share of an effort that is spent before the rest is predicted
SURELY = 2.0  # times the effort


class TooMuchWork(BadOption):
    """The error after an effort is used up."""


class SearchCancelled(Exception):
    """The error after `Effort.stop`: the instances are no longer needed."""


class Effort:
    """A limit for several searches together: `most` positions, or None for no limit. Any thread may stop it."""

    def __init__(self, most: int | None = None) -> None:
        self.most, self.spent = most, 0
        self._stopped = False

    def stop(self) -> None:
        """Make the search end at its next `spend`."""
        self._stopped = True

    def spend(self, positions: int) -> None:
        """Count searched positions. Raises SearchCancelled after `stop`, TooMuchWork when the effort is used up."""
        if self._stopped:
            raise SearchCancelled("nobody waits for the instances any more")
        self.spent += positions
        if self.most is not None and self.spent > self.most:
            raise TooMuchWork(
                f"the search is given up after {self.most:,} positions; ask for fewer or easier ones, or give the "
                "instance itself"
            )

    def check_progress(self, found: int, wanted: int) -> None:
        """Raise TooMuchWork if the limit is clearly too low for all `wanted` instances, of which `found` exist."""
        if self.most is None or self.spent < self.most * FORESEEN:
            return
        if self.spent * wanted > self.most * found * SURELY:
            raise TooMuchWork(
                f"the first {found} took {self.spent:,} positions to find, all {wanted} would take many more than the "
                f"{self.most:,} that there are for them; ask for fewer or easier ones, or give the instance itself"
            )


_current: ContextVar[Effort] = ContextVar("effort", default=Effort())  # noqa: B039 - without a limit it only counts


@contextmanager
def within(effort: Effort) -> Iterator[None]:
    """Limit searches in this context, and in threads that `asyncio.to_thread` starts from it, by `effort`."""
    token = _current.set(effort)
    try:
        yield
    finally:
        _current.reset(token)


def spend(positions: int) -> None:
    """Count positions that a search has visited; see `Effort.spend`."""
    _current.get().spend(positions)


def check_progress(found: int, wanted: int) -> None:
    """Report, after each search of a series, how many instances are found; see `Effort.check_progress`."""
    _current.get().check_progress(found, wanted)
