"""Holds back for a moment what asks for nothing: sending is what a server of small messages spends its time on.

A move makes two or three messages: a `turn` to the bot whose turn it is, and `played` to those who want to know. These
two go to it in one call. The other `played`, to the bot that has moved, asks for nothing; it is held back for a moment,
and mostly the bot's own next turn takes it along.
"""

import asyncio
from typing import Protocol

TICK_S = 0.005  # a message that asks for nothing is held back for one to two of these


class Corked(Protocol):
    """A socket that holds something back, or did so a moment ago."""

    def release_old(self, tick: int) -> bool:
        """Send what has been held back since before `tick`; True if there still is something."""


class Cork:
    """Pulled for all sockets of an event loop; it ticks while something is held back."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._holding: list[Corked] = []
        self.tick = 0

    def hold(self, socket: Corked) -> None:
        """Ask the socket at every tick, until it holds nothing back."""
        if not self._holding:
            self._loop.call_later(TICK_S, self._tick)
        self._holding.append(socket)

    def _tick(self) -> None:
        self._holding = [socket for socket in self._holding if socket.release_old(self.tick)]
        self.tick += 1
        if self._holding:
            self._loop.call_later(TICK_S, self._tick)
