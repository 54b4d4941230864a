"""Holds back messages that ask for nothing, so that they travel with one that does: sending is what a server of small
messages spends its time on.

A move makes three messages: `played` to both bots, and a `turn` to one of them, which goes out with its `played` in one
system call. The other `played`, to the bot that has moved, can wait a moment: mostly its own next turn takes it along.
"""

import asyncio
from typing import Protocol

PAUSE_S = 0.005  # how long a message waits at most


class Corked(Protocol):
    """A socket that holds something back."""

    def pull(self) -> None:
        """Send what is held back, if there still is something."""


class Cork:
    """Pulled once in a while for all sockets of an event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._sockets: list[Corked] = []

    def hold(self, socket: Corked) -> None:
        """Pull the socket's cork in a moment."""
        if not self._sockets:
            self._loop.call_later(PAUSE_S, self._pull)
        self._sockets.append(socket)

    def _pull(self) -> None:
        sockets, self._sockets = self._sockets, []
        for socket in sockets:
            socket.pull()
