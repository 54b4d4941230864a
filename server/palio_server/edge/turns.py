"""Requests are begun by turns: of one address after the other, a few in each turn of the event loop.

One client may have hundreds of connections, with dozens of requests waiting on each. Begun as they come, they would
keep the event loop from its sockets, and all others from the database, until the last of them was answered.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

AT_ONCE = 4  # requests that are begun in one turn of the event loop
OF_ONE = 16  # requests of an address that are worked on at a time,
LONG_S = 0.5  # as far as they take no longer: a download, or a stream of events, is none of these


class RequestTurns:
    """All requests of one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # by address; the next turn is the first one's
        self._working: Counter[str] = Counter()
        self._begun = 0  # in this turn of the loop
        self._ticks = False

    @asynccontextmanager
    async def of(self, address: str) -> AsyncIterator[None]:
        """Wait until a request of this address may begin; it ends with the context."""
        if self._waiting or self._begun == AT_ONCE or self._working[address] == OF_ONE:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.setdefault(address, deque()).append(turn)
            self._tick_soon()
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._end(address)
                raise
        else:
            self._begin(address)
            self._tick_soon()
        left = [address]

        def end() -> None:
            if left:
                self._end(left.pop())

        timer = asyncio.get_running_loop().call_later(LONG_S, end)
        try:
            yield
        finally:
            timer.cancel()
            end()

    def _begin(self, address: str) -> None:
        self._begun += 1
        self._working[address] += 1

    def _end(self, address: str) -> None:
        self._working[address] -= 1
        if not self._working[address]:
            del self._working[address]
        if self._waiting:
            self._tick_soon()

    def _tick_soon(self) -> None:
        if not self._ticks:
            self._ticks = True
            asyncio.get_running_loop().call_soon(self._tick)

    def _tick(self) -> None:
        """Begin requests of the addresses whose turn it is."""
        self._ticks, self._begun = False, 0
        ready = deque(address for address in self._waiting if self._working[address] < OF_ONE)
        while ready and self._begun < AT_ONCE:
            address = ready.popleft()
            turns = self._waiting.pop(address)
            turn = turns.popleft()
            if not turn.cancelled():
                self._begin(address)
                turn.set_result(None)
            if turns:
                self._waiting[address] = turns  # as the last one
                if self._working[address] < OF_ONE:
                    ready.append(address)
        if self._begun:
            self._tick_soon()
