"""Gathers what is written to many sockets: sending is what a server of small messages spends its time on.

A move makes three messages: `played` to both bots, and a `turn` to one of them. These two go out in one call, at the
next turn of the event loop or as soon as a few sockets have something to send: each of them by itself would wake the
peer's process anew. The other `played`, to the bot that has moved, asks for nothing; it is held back for a moment, and
mostly the bot's own next turn takes it along.
"""

import asyncio
from typing import Protocol

TICK_S = 0.005  # a message that asks for nothing is held back for one to two of these
ENOUGH = 16  # sockets with something to send


class Corked(Protocol):
    """A socket that has gathered something, or did so a moment ago."""

    def release(self) -> None:
        """Send what has been gathered; harmless if there is nothing."""

    def release_old(self, tick: int) -> bool:
        """Send what has been held back since before `tick`; True if there still is something."""


class Cork:
    """Pulled for all sockets of an event loop; it ticks while something is held back."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._ready: list[Corked] = []
        self._holding: list[Corked] = []
        self._pulls_soon = False
        self.tick = 0

    def soon(self, socket: Corked) -> None:
        """Release the socket at the next turn of the event loop, or before."""
        self._ready.append(socket)
        if len(self._ready) >= ENOUGH:
            self._release()
        elif not self._pulls_soon:
            self._pulls_soon = True
            self._loop.call_soon(self._pull)

    def hold(self, socket: Corked) -> None:
        """Ask the socket at every tick, until it holds nothing back."""
        if not self._holding:
            self._loop.call_later(TICK_S, self._tick)
        self._holding.append(socket)

    def _pull(self) -> None:
        self._pulls_soon = False
        self._release()

    def _release(self) -> None:
        ready, self._ready = self._ready, []
        for socket in ready:
            socket.release()

    def _tick(self) -> None:
        self._holding = [socket for socket in self._holding if socket.release_old(self.tick)]
        self.tick += 1
        if self._holding:
            self._loop.call_later(TICK_S, self._tick)
