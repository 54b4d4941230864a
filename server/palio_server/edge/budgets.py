"""Rate limits: a token bucket for each key, such as an address or a name.

A rate limit stores one number, the time at which it is full again (Turner's leaky bucket as a meter, in the form of
ATM's "virtual scheduling", ITU-T I.371); full limits are dropped from memory. When there is no room for more, new keys
share one limit until there is room: an attacker with many addresses uses no further memory, and gets no more than one
address's worth for all of the others.
"""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

KEPT = 10_000  # limits that are in use at once; about a megabyte
LOOKS = 8  # limits that a new one may look at to find a place: full ones are dropped
MET = 20  # keys whose last refusals are kept for operators


class Refusals(NamedTuple):
    """A key that met its limit: how often in a row of kept keys, and for how many seconds it has not been refused."""

    key: str
    times: int
    ago_s: float


class Budgets:
    """`rate` units a second for each key, and `burst` at once. Within any `t` seconds: `burst + rate * t` at most."""

    def __init__(self, rate: float, burst: float, now: Callable[[], float], *, kept: int = KEPT) -> None:
        self.rate, self.burst, self._now, self._kept = rate, burst, now, kept
        self._depth = burst / rate  # seconds in which an empty limit fills
        self._full_at: dict[str, float] = {}  # of limits that may not be full
        self._others_full_at = float("-inf")  # of the one that all other keys share
        self._met: dict[str, tuple[int, float]] = {}  # by key, how often it was refused, and when last; newest last

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, key: str, cost: float = 1.0) -> float:
        """Take `cost` and return 0.0 if `key` can pay; otherwise return the seconds until it could. Raises ValueError
        beyond the burst.
        """
        if cost > self.burst:
            raise ValueError(f"a budget of {self.burst:g} never pays {cost:g}")
        now = self._now()
        full_at = max(now, self._of(key, now)) + cost / self.rate
        if (wait := full_at - now - self._depth) > 1e-9:  # tolerance for rounding of floats
            self._note(key, now)
            return wait
        self._put(key, full_at)
        return 0.0

    def wait(self, key: str, cost: float = 1.0) -> float:
        """Return in how many seconds `key` could pay; nothing is taken."""
        now = self._now()
        wait = max(0.0, max(now, self._of(key, now)) + cost / self.rate - now - self._depth)
        if wait:
            self._note(key, now)
        return wait

    def met(self) -> list[Refusals]:
        """Return the keys that were refused, the last one first; at most MET."""
        now = self._now()
        return [Refusals(key, times, now - at) for key, (times, at) in reversed(self._met.items())]

    def _note(self, key: str, now: float) -> None:
        """Note that `key` is refused."""
        times, _ = self._met.pop(key, (0, now))
        self._met[key] = times + 1, now
        if len(self._met) > MET:
            del self._met[next(iter(self._met))]

    def give(self, key: str, amount: float = 1.0) -> None:
        """Give back what was taken, at most until the limit is full."""
        if key in self._full_at:
            self._full_at[key] -= amount / self.rate

    def _of(self, key: str, now: float) -> float:
        """Return when the limit of `key` is full; a key that has just got a place begins with the
        shared limit's value.
        """
        found = self._full_at.get(key)
        if found is None and self._has_room(now):
            return self._others_full_at
        return self._others_full_at if found is None else found

    def _put(self, key: str, full_at: float) -> None:
        if key in self._full_at or len(self._full_at) < self._kept:
            self._full_at[key] = full_at
        else:
            self._others_full_at = full_at

    def _has_room(self, now: float) -> bool:
        """Drop full limits, a few at a time, if there is no room."""
        kept = self._full_at
        if len(kept) >= self._kept:
            for key in [key for key, _ in zip(kept, range(LOOKS), strict=False)]:
                full_at = kept.pop(key)
                if full_at > now:
                    kept[key] = full_at  # move to the end, to be looked at last
        return len(kept) < self._kept


# The error that a limit has been reached, for every transport.


class TooMuch(ValueError):
    """`code` for programs, the message for people, and the seconds to wait before the next attempt."""

    def __init__(self, code: str, reason: str, retry_s: float) -> None:
        self.code, self.retry_s = code, max(1, ceil(retry_s))
        super().__init__(f"{reason}; try again in {self.retry_s} s")

    @property
    def retry_ms(self) -> int:
        return self.retry_s * 1000
