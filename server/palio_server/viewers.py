"""One viewer's end of a WebSocket: what is posted is written at once, and kept for a while if the viewer does not read.

Viewers are many and promise nothing. Each has a small socket buffer and a bounded queue behind it; one that reads
nothing for some seconds, or lets its queue fill up, is cut off, and nobody else notices.
"""

import asyncio
import socket
from collections import deque
from typing import Any, Protocol

QUEUE = 512  # messages; a page that is busy for a second in the fastest match has fewer to catch up on
PATIENCE_S = 5.0  # a viewer that takes nothing for so long is cut off
SEND_BUFFER = 32 * 1024  # bytes that the kernel holds for a viewer: little, so that one who does not read shows soon
CHATTER = 64  # messages from a viewer, who has nothing to say, before we hang up
POLICY = 1008  # WebSocket close code


class Socket(Protocol):
    """What a viewer needs of a WebSocket; `WebSocketProtocol` is one."""

    transport: Any  # asyncio's

    def write(self, data: bytes, *, text: bool) -> None: ...
    def hang_up(self, code: int, reason: str) -> None: ...
    def abort(self) -> None: ...


class Viewer:
    """Somebody who watches. `seq` is the number of the newest message that was posted."""

    def __init__(self, end: Socket) -> None:
        self.seq = -1
        self._socket = end
        self._heard = 0
        self._unsent: deque[bytes] | None = None  # not None while the viewer does not read
        self._deadline: asyncio.TimerHandle | None = None

    def post(self, seq: int, text: bytes) -> None:
        """Send message `seq`, JSON in UTF-8, unless it was posted before. Never waits."""
        if seq <= self.seq:
            return
        self.seq = seq
        if self._unsent is None:
            self._socket.write(text, text=True)
        elif len(self._unsent) < QUEUE:
            self._unsent.append(text)
        else:
            self._socket.abort()

    def hear(self, _data: bytes, _text: bool) -> None:  # noqa: FBT001  # the socket's Hear
        """Viewers have nothing to say; a few words do no harm."""
        self._heard += 1
        if self._heard > CHATTER:
            self._socket.hang_up(POLICY, "viewers only listen; /api/docs says how to start and stop matches")

    def flow(self, reading: bool) -> None:  # noqa: FBT001  # the socket's Flow
        """The viewer has stopped reading, or reads again."""
        self.lost()
        if not reading:
            self._unsent = deque() if self._unsent is None else self._unsent
            self._deadline = asyncio.get_running_loop().call_later(PATIENCE_S, self._socket.abort)
            return
        unsent, self._unsent = self._unsent or deque(), None
        while unsent and self._unsent is None:  # writing may pause again
            self._socket.write(unsent.popleft(), text=True)
        if unsent:
            self._unsent = unsent

    def lost(self) -> None:
        """The socket is gone, or its peer reads again."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def keep_little(end: Socket) -> None:
    """Let the kernel hold no more than a few messages for this peer."""
    raw = end.transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
