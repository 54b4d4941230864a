"""Frames of a WebSocket (RFC 6455, section 5.2), as far as a server touches them itself.

What is sent is a whole message in one frame. What is received is cut into frames, so that each can be counted before
anybody works on it; reading them is the business of `websocket.py` and of the library `websockets` behind it.

What a peer may send without being asked is limited: every frame costs, an empty one and a pong too. A peer begins with
some credit, earns more with time, and is given more when it is asked something. Whoever has spent all of it floods, and
is disconnected.
"""

from collections.abc import Callable

BINARY, TEXT = 0x82, 0x81  # first byte of a frame that is a whole message
SHORT = 126  # bytes; a payload of fewer has its length in the second byte
MASKED = 0x80  # in the second byte; whatever comes from a client has to be
HEADS = tuple(bytes([BINARY, size]) for size in range(SHORT))  # of short binary frames, as a server sends them

BURST, RATE = 1000.0, 500.0  # frames that nobody asked for: at once, and a second
ASKED = 2.0  # what a turn allows: its answer, and a word more
LONG = 4096.0  # bytes that cost as much as one frame more
PIECE = 0.1  # the cost of reading a piece of a frame that has not come whole: a drop of one byte is work, too


def frame(data: bytes, *, text: bool = False) -> bytes:
    """A whole message in one frame, as a server sends it: unmasked, uncompressed."""
    head, size = b"\x81" if text else b"\x82", len(data)
    if size < SHORT:
        return head + size.to_bytes(1, "big") + data
    if size < 65536:
        return head + b"\x7e" + size.to_bytes(2, "big") + data
    return head + b"\x7f" + size.to_bytes(8, "big") + data


def frame_at(data: bytes, at: int) -> tuple[int, int] | None:
    """Where the payload of the frame at `at` begins and ends, perhaps beyond `data`; None: too little has come."""
    if len(data) < at + 2:
        return None
    size, start = data[at + 1] & 0x7F, at + 2
    if size >= SHORT:
        width = 2 if size == SHORT else 8
        if len(data) < start + width:
            return None
        size, start = int.from_bytes(data[start : start + width], "big"), start + width
    if data[at + 1] & MASKED:
        start += 4
    return start, start + size


def unmask(payload: bytes, mask: bytes) -> bytes:
    """The payload of a short frame as it was before its sender masked it (section 5.3)."""
    size = len(payload)
    repeated = (mask * 32)[:size]
    return (int.from_bytes(payload, "little") ^ int.from_bytes(repeated, "little")).to_bytes(size, "little")


class Credit:
    """The credit of one peer. The clock is looked at only when the credit is spent."""

    __slots__ = ("_left", "_now", "_since")

    def __init__(self, now: Callable[[], float]) -> None:
        """`now` tells the time in seconds."""
        self._left, self._now, self._since = BURST, now, now()

    def pay(self, cost: float) -> bool:
        """Whether the peer can pay; once it cannot, it floods."""
        self._left -= cost
        return self._left >= 0.0 or self._has_earned_more()

    def pay_frame(self, size: int) -> bool:
        """As `pay`, for a frame of `size` bytes."""
        self._left -= 1.0 + size / LONG
        return self._left >= 0.0 or self._has_earned_more()

    def allow(self) -> None:
        """The peer has been asked: it may answer, as fast as it can."""
        if self._left < BURST:
            self._left += ASKED

    def _has_earned_more(self) -> bool:
        now = self._now()
        self._left = min(BURST, self._left + (now - self._since) * RATE)
        self._since = now
        return self._left >= 0.0
