"""Keeps which results have been printed, so that a resumed event prints the others, and only those.

One write is under way at a time, with all numbers that there are by then. So a kill repeats at most the lines of one
write, and loses none.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from palio_db.errors import StoreError
from palio_server.tournament.announced import Announced

PAUSE_S = 0.2  # between two writes: each is a transaction for many games; a kill repeats what was printed in it
AGAIN_S = 1.0  # until the next try, after the store could not write

Write = Callable[[str], Awaitable[object]]


class Announcer:
    """Made by `announcing`."""

    def __init__(self, announced: Announced, write: Write, shown_after_s: float) -> None:
        self.announced = announced
        self._write = write
        self._shown_after_s = shown_after_s
        self._kept = str(announced)
        self._news = asyncio.Event()

    def note(self, number: int) -> None:
        """The result of this game has been printed."""
        self.announced.add(number)
        self._news.set()

    async def run(self) -> None:
        """Write what is new, until cancelled."""
        while True:
            await self._news.wait()
            self._news.clear()
            text = str(self.announced)
            try:
                await asyncio.sleep(self._shown_after_s)
                await self.keep(text)
                await asyncio.sleep(PAUSE_S)
            except StoreError:  # play goes on without the store, and so does this
                self._news.set()
                await asyncio.sleep(AGAIN_S)

    async def keep(self, text: str) -> None:
        """Write this, unless it was written last. Raises StoreError."""
        if text != self._kept:
            await self._write(text)
            self._kept = text


@asynccontextmanager
async def announcing(announced: Announced, write: Write, shown_after_s: float = 0.0) -> AsyncIterator[Announcer]:
    """Writes in the background, and a last time in the end.

    `shown_after_s`: how long after a line was said it is to be seen, seconds.
    """
    announcer = Announcer(announced, write, shown_after_s)
    task = asyncio.create_task(announcer.run())
    try:
        yield announcer
    finally:
        task.cancel()
        await asyncio.wait({task})
        with suppress(StoreError):  # then some lines are printed again
            await announcer.keep(str(announced))
