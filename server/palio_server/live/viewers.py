"""One viewer's end of a WebSocket: what is posted is written at once, and kept for a while if the viewer does not read.

Viewers are many and promise nothing. Each has a small socket buffer and a bounded queue behind it; one that reads
nothing for some seconds, or lets its queue fill up, is cut off, and nobody else notices.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple, Protocol, Self

from palio_rules.contract.endpoints import POLICY

QUEUE = 512  # messages; a page that is busy for a second in the fastest match has fewer to catch up on
CHATTER = 64  # messages from a viewer before its connection is closed
PATIENCE_S = 5.0  # a viewer that takes nothing for so long is cut off
BUFFER = 32 * 1024  # bytes that the kernel, and asyncio behind it, hold for a viewer who does not read: soon it shows


class Socket(Protocol):
    """What a viewer needs of a WebSocket."""

    def send_frame(self, frame: bytes) -> None: ...
    def close(self, code: int, reason: str) -> None: ...
    def abort(self) -> None: ...


class Messages(NamedTuple):
    """Messages of one audience that go out together, numbers ascending: one system call for each viewer."""

    each: Sequence[tuple[int | None, bytes]]  # number and frame; None: it has no number
    joined: bytes  # all frames
    first: int | None  # the lowest and the highest number
    last: int | None

    @classmethod
    def of(cls, each: Sequence[tuple[int | None, bytes]]) -> Self:
        numbers = [seq for seq, _ in each if seq is not None]
        joined = each[0][1] if len(each) == 1 else b"".join(frame for _, frame in each)
        return cls(each, joined, numbers[0] if numbers else None, numbers[-1] if numbers else None)


class Viewer:
    """Somebody who watches. `seq` is the number of the newest message that was posted."""

    def __init__(self, end: Socket) -> None:
        self.seq = -1
        self._socket = end
        self._heard = 0
        self._unsent: deque[bytes] | None = None  # not None while the viewer does not read
        self._deadline: asyncio.TimerHandle | None = None

    def post(self, seq: int | None, frame: bytes) -> None:
        """Send message `seq`, a WebSocket frame ready to go, unless it was posted before; None: anyway. Never waits."""
        if seq is not None:
            if seq <= self.seq:
                return
            self.seq = seq
        self._send(frame)

    def post_all(self, messages: Messages) -> None:
        """The same for some messages; whoever has some of them already (in a snapshot, say) gets the others."""
        if messages.first is not None and messages.first <= self.seq:
            for seq, frame in messages.each:
                self.post(seq, frame)
            return
        if messages.last is not None:
            self.seq = messages.last
        self._send(messages.joined)

    def _send(self, frame: bytes) -> None:
        if self._unsent is None:
            self._socket.send_frame(frame)
        elif len(self._unsent) < QUEUE:
            self._unsent.append(frame)
        else:
            self._socket.abort()

    def hear(self, data: bytes, text: bool) -> None:  # noqa: FBT001  # the socket's Listener
        """Take what the viewer says, who has nothing to say."""
        self._heard += 1
        if self._heard > CHATTER:
            self._socket.close(POLICY, "viewers only listen; /api/docs says how to start and stop matches")

    def flow(self, reading: bool) -> None:  # noqa: FBT001  # the socket's Listener
        """The viewer has stopped reading, or reads again."""
        self.lost()
        if not reading:
            self._unsent = deque() if self._unsent is None else self._unsent
            self._deadline = asyncio.get_running_loop().call_later(PATIENCE_S, self._socket.abort)
            return
        unsent, self._unsent = self._unsent or deque(), None
        while unsent and self._unsent is None:  # writing may pause again
            self._socket.send_frame(unsent.popleft())
        if unsent:
            self._unsent = unsent

    def lost(self) -> None:
        """The socket is gone, or its peer reads again."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
