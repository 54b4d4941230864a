"""Gathers what is written to many sockets, so that each peer's share of one turn of the event loop is one system call.

Sending is what a server of small messages spends its time on. A move makes three messages, and two of them go to
the same bot; the third one (`played`, to the bot that has moved) asks for nothing and can wait a moment for company.
"""

import asyncio
from typing import Protocol

PAUSE_S = 0.005  # how long a message that asks for nothing waits for one that does


class Corked(Protocol):
    """A socket with something to flush."""

    def pull(self, *, soon: bool) -> None:
        """Send what has been gathered since `Cork.soon`, or since `Cork.later`."""


class Cork:
    """Pulled once for all sockets of an event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._soon: list[Corked] = []
        self._later: list[Corked] = []

    def soon(self, socket: Corked) -> None:
        """Flush at the next turn of the event loop."""
        if not self._soon:
            self._loop.call_soon(self._pull_soon)
        self._soon.append(socket)

    def later(self, socket: Corked) -> None:
        """Flush after a moment."""
        if not self._later:
            self._loop.call_later(PAUSE_S, self._pull_later)
        self._later.append(socket)

    def _pull_soon(self) -> None:
        sockets, self._soon = self._soon, []
        for socket in sockets:
            socket.pull(soon=True)

    def _pull_later(self) -> None:
        sockets, self._later = self._later, []
        for socket in sockets:
            socket.pull(soon=False)
