"""A message that needs no answer waits for another one, but not for long."""

import asyncio

import pytest

from palio_server.network.corked_socket import TICK_S, Cork

pytestmark = pytest.mark.virtual_clock


class Socket:
    """Holds one thing back, as the protocol does."""

    def __init__(self, cork: Cork) -> None:
        self.cork = cork
        self.held_at: int | None = None
        self.held_for: list[float] = []
        self._since = 0.0

    def hold(self) -> None:
        self.held_at, self._since = self.cork.tick, asyncio.get_running_loop().time()
        self.cork.hold(self)

    def release_old(self, tick: int) -> bool:
        if self.held_at is not None and self.held_at < tick:
            self.held_for.append(asyncio.get_running_loop().time() - self._since)
            self.held_at = None
        return self.held_at is not None


async def test_nothing_is_held_back_for_more_than_two_ticks() -> None:
    cork = Cork(asyncio.get_running_loop())
    sockets = [Socket(cork) for _ in range(20)]
    for socket in sockets:
        socket.hold()
        await asyncio.sleep(TICK_S / 7)
    await asyncio.sleep(3 * TICK_S)
    for socket in sockets:
        assert len(socket.held_for) == 1
        assert TICK_S * 0.99 <= socket.held_for[0] <= 2.01 * TICK_S


async def test_it_stops_ticking_when_there_is_nothing_to_pull_and_begins_again() -> None:
    cork = Cork(asyncio.get_running_loop())
    for _ in range(2):
        socket = Socket(cork)
        socket.hold()
        await asyncio.sleep(3 * TICK_S)
        ticks = cork.tick
        await asyncio.sleep(10 * TICK_S)
        assert cork.tick == ticks
        assert len(socket.held_for) == 1
