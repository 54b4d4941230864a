"""When tournaments are to start. A start that was not possible in time is tried again."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

LOOK_S = 30.0  # how often the clock is looked at: somebody may set it
AGAIN = timedelta(seconds=15)  # when a start is tried again that was not possible in time


class StartTimes:
    """The tournaments that wait for their time."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._due: dict[int, datetime] = {}
        self._late: set[int] = set()  # have been tried
        self._changed = asyncio.Event()

    def put(self, number: int, when: datetime) -> None:
        """Start a tournament then."""
        self._due[number] = when
        self._late.discard(number)
        self._changed.set()

    def forget(self, number: int) -> None:
        """It needs no start any more."""
        self._due.pop(number, None)
        self._late.discard(number)

    def hurry(self, number: int) -> None:
        """Perhaps it can be started now, if its time has come."""
        if number in self._late:
            self._due[number] = self._now()
            self._changed.set()

    def take_due(self) -> list[int]:
        """Those whose time has come; they are due again in a while, unless they are forgotten by then."""
        self._changed.clear()
        now = self._now()
        due = [number for number, when in self._due.items() if when <= now]
        self._due.update(dict.fromkeys(due, now + AGAIN))
        self._late.update(due)
        return due

    async def wait(self) -> None:
        """Return when one may be due."""
        seconds = min([LOOK_S, *((when - self._now()).total_seconds() for when in self._due.values())])
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._changed.wait()
