"""Accounts of what the server spends on reading one bot's program, beyond its answers; and when it is read again.

A program decides how much there is to read of it: on its connections, on stdout and stderr, and at the socket where it
connects. Reading takes the server's time, which is its opponents' where they share a core. So that time is counted,
in one account for all that is read of the program, as a bucket that leaks (ITU-T I.371). When it is full nothing is
read until enough has leaked: the program waits in its `write`, and the bytes wait in the kernel, where they cost
nothing. The program's own turn is its own time: its connections are read then, however full the bucket is, and its
output a little faster. An answer that is awaited costs nothing.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

RATE, RATE_IN_TURN = 0.01, 0.05  # of a core: what reading a program may take while others think, and in its turn
BURST_S = 0.010  # so much at once
MOST_S = 0.020  # remembered, so that a program is read again after a second
TURN_S = 0.002  # given with each turn
READ_S = 0.00003  # of every read, for the work of event loop and kernel that is not measured


class Source(Protocol):
    """Something that is read of a program."""

    in_turn: bool  # True: it brings the answers, and is read in the program's turn

    def hold(self) -> None:
        """Read no more."""

    def release(self) -> None:
        """Read again, from the loop's next turn on."""


class Account:
    """The account of one program. `begin` and `end` enclose every piece of work on what was read of it."""

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._spent, self._at = 0.0, now()  # what has not leaked by then
        self._turn = False
        self._reading: Source | None = None
        self._since = 0.0
        self._sources: dict[Source, bool] = {}  # True: held
        self._timer: asyncio.TimerHandle | None = None

    def open(self, source: Source) -> None:
        """Hold and release `source` from now on."""
        self._sources[source] = False
        self._hold()

    def close(self, source: Source) -> None:
        """Forget a source that has ended."""
        self._sources.pop(source, None)
        if not self._sources and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def begin(self, source: Source) -> None:
        """Begin to read."""
        self._reading, self._since = source, self._now()

    def end(self) -> None:
        """End what was begun."""
        source = self._reading
        self._settle(READ_S)
        self._reading = None
        if source is not None:
            self._hold()

    def answered(self) -> None:
        """Note that an awaited answer was read: the work since `begin` was the match's."""
        self._since = self._now()

    def pay(self, seconds: float) -> None:
        """Pay for work that is done later."""
        self._leak()
        self._spent = min(MOST_S, self._spent + seconds)
        self._hold()

    def is_spent(self) -> bool:
        """Return True if the work that was begun has to wait."""
        return not self._turn and self._spent + self._now() - self._since > BURST_S

    def is_full(self) -> bool:
        """Return True if nothing is read, except answers in its turn."""
        self._leak()
        return self._spent > BURST_S

    def turn(self, turn: bool) -> None:  # noqa: FBT001  # one word for both
        """Set if the server awaits an answer of the program in a match."""
        if turn is self._turn:
            return
        self._settle()
        self._leak()
        self._turn = turn
        if turn:
            self._spent = max(0.0, self._spent - TURN_S)
            self._release(lambda source: source.in_turn)
        self._hold()
        if self._timer is not None:  # more or less leaks from now on
            self._timer.cancel()
            self._look_later()

    def forgive(self) -> None:
        """Begin again, for a program that is started again."""
        self._spent = 0.0
        self._release(lambda _: True)

    def _settle(self, more: float = 0.0) -> None:
        """Count the time since `begin`, unless the program could answer meanwhile."""
        source = self._reading
        if source is None:
            return
        now = self._now()
        if not (source.in_turn and self._turn):
            self._leak()
            self._spent = min(MOST_S, self._spent + now - self._since + more)
        self._since = now

    def _leak(self) -> None:
        now = self._now()
        self._spent = max(0.0, self._spent - (now - self._at) * (RATE_IN_TURN if self._turn else RATE))
        self._at = now

    def _hold(self) -> None:
        """Hold all sources, if too much is spent; those that bring answers only while none is awaited."""
        if self._spent <= BURST_S:
            return
        for source, held in self._sources.items():
            if not held and not (source.in_turn and self._turn):
                self._sources[source] = True
                source.hold()
        if self._timer is None and any(self._sources.values()):
            self._look_later()

    def _look_later(self) -> None:
        rate = RATE_IN_TURN if self._turn else RATE
        wait_s = max(self._spent - BURST_S / 2, 0.0) / rate
        self._timer = asyncio.get_running_loop().call_later(wait_s, self._look)

    def _look(self) -> None:
        self._timer = None
        if self.is_full():
            self._look_later()
        else:
            self._release(lambda _: True)

    def _release(self, chosen: Callable[[Source], bool]) -> None:
        for source, held in self._sources.items():
            if held and chosen(source):
                self._sources[source] = False
                source.release()
