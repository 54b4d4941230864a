"""The arrival times of messages, independent of how busy the event loop is.

A message is read when the loop gets round to it. Bytes that come while the loop works wait in the kernel, and their
sender must not pay for that. So a message counts as having come when the loop last looked at its sockets before it read
them: bytes that had been there then would have been read then. That time is known from earlier messages and from a
timer that ticks while matches are played. After a long gap the kernel is asked, which knows more exactly when the last
bytes came over TCP.
"""

import asyncio
import time
from collections.abc import Callable

TICK_S = 0.005  # finer would cost more: waking a process takes some 30 microseconds
LATE_S = 0.010  # two ticks so far apart show that other work has kept the loop away from its sockets
NEXT_S = 0.002  # from the last message of one turn of the loop to its next look, if it did nothing else


class Arrivals:
    """The times at which the event loop has looked at its sockets. One object for all messages of a loop."""

    def __init__(self) -> None:
        self._matches = 0
        self._bound: asyncio.AbstractEventLoop | None = None
        self._now: Callable[[], float] = time.monotonic
        self._turn_time: Callable[[], float] = time.monotonic
        self._turn = self._looked = self._heard = 0.0
        self._ticked = self._before = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def now(self) -> float:
        """Return the event loop's monotonic seconds, with the finest resolution available."""
        if self._bound is None:
            self._bind()
        return self._now()

    def begin(self) -> None:
        """Start the timer for a match: its bots' time counts from now on."""
        self._matches += 1
        if self._matches == 1:
            self._bind()
            self._tick()

    def end(self) -> None:
        """End the timer for a match that is over."""
        self._matches -= 1
        if self._matches == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def of(self, silent_s: Callable[[], float | None] | None = None) -> float:
        """Return when the message came that is being read now: never too late, and as exact as is known.

        `silent_s` returns how many seconds ago its sender's last bytes reached this machine, None if that is unknown.
        """
        now, turn = self.now(), self._turn_time()
        if turn != self._turn:  # uvloop reads the clock after each look at its sockets, other loops at each call
            self._looked = self._turn if turn - self._heard < NEXT_S else turn
            self._turn = turn
        self._heard = now
        if now - self._ticked > LATE_S:
            return self._late(now, self._ticked, silent_s)
        if self._ticked - self._before > LATE_S:  # the timer was served first, and has just noticed
            return self._late(now, self._before, silent_s)
        return self._looked

    def _late(self, now: float, since: float, silent_s: Callable[[], float | None] | None) -> float:
        """Return the arrival time if the loop may not have looked since `since`; the sender must not
        pay for the delay.
        """
        if self._timer is None:  # no match is played: the timer is off
            return self._looked
        silent = None if silent_s is None else silent_s()
        return min(self._looked, since if silent is None else max(since, now - silent))

    def _bind(self) -> None:
        loop = self._bound = asyncio.get_running_loop()
        self._turn_time = loop.time
        # uvloop's time stands still within a turn and is rounded to milliseconds; on the same scale this one is exact
        self._now = time.monotonic if type(loop).__module__.startswith("uvloop") else loop.time
        self._turn = self._looked = self._turn_time()
        self._ticked = self._before = self._heard = self._now()

    def _tick(self) -> None:
        assert self._bound is not None
        self._before, self._ticked = self._ticked, self._now()
        self._timer = self._bound.call_later(TICK_S, self._tick)
