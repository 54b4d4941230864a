"""A worker's words to its coordinator, gathered for a moment: one event of Dask for all that has happened meanwhile."""

import asyncio
from collections.abc import Callable

from palio_server.cluster import wire

EVERY_S = 0.25  # between two words
WATCHED_S = 0.05  # the same while somebody looks: what is seen may be so old
BEAT_S = 5.0  # a worker that says nothing for several of these is gone, or hangs
MOST = 2000  # items that wait; a coordinator that is so far behind gets the rest with the records
UNSEEN = (wire.Begun, wire.Remark)  # what is told though nobody looks


class Reporter:
    """`send` takes bytes for the coordinator, and never waits. `run` sends them."""

    def __init__(self, worker: str, send: Callable[[bytes], None]) -> None:
        self._worker, self._send = worker, send
        self._items: list[wire.Report] = []
        self._news = asyncio.Event()

    def tell(self, item: wire.Report) -> None:
        if len(self._items) < MOST:
            self._items.append(item)
            self._news.set()

    async def run(self) -> None:
        """Send what comes, and now and then that we are here, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(BEAT_S):
                    await self._news.wait()
            except TimeoutError:
                pass  # nothing has happened; that is worth a word, too
            self._news.clear()
            items, self._items = self._items, []
            self._send(wire.encode(wire.Reports(self._worker, items)))
            await asyncio.sleep(WATCHED_S if any(not isinstance(item, UNSEEN) for item in items) else EVERY_S)
