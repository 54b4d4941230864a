"""What a peer may send without being asked.

Every frame of its WebSocket costs, an empty one and a pong too. A peer begins with some credit, earns more with time,
and is given more when it is asked something. Whoever has spent all of it floods, and is disconnected; a
program that knows nothing of connections is read more slowly instead.
"""

from collections.abc import Callable

BURST, RATE = 1000.0, 500.0  # frames that nobody asked for: at once, and a second
ASKED = 2.0  # what a turn allows: its answer, and a word more
LONG = 4096.0  # bytes that cost as much as one frame more
STRANGERS_BURST, STRANGERS_RATE = 100.0, 20.0  # the same of those who have nothing to say: no bot yet, or a viewer
PIECE = 0.1  # the cost of reading a piece of a frame that has not come whole: a drop of one byte is work, too


class Credit:
    """The credit of one peer. The clock is looked at only when the credit is spent."""

    __slots__ = ("_burst", "_left", "_now", "_rate", "_since")

    def __init__(self, now: Callable[[], float]) -> None:
        """A stranger's. `now` tells the time in seconds."""
        self._burst, self._rate = STRANGERS_BURST, STRANGERS_RATE
        self._left, self._now, self._since = self._burst, now, now()

    def trust(self) -> None:
        """The peer is a bot that has been let in."""
        self._left += BURST - self._burst
        self._burst, self._rate = BURST, RATE

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
        if self._left < self._burst:
            self._left += ASKED

    def forgive(self) -> None:
        """Whoever overdraws is not cut off, but made to wait: it begins again with nothing."""
        self._left = max(self._left, 0.0)

    def _has_earned_more(self) -> bool:
        now = self._now()
        self._left = min(self._burst, self._left + (now - self._since) * self._rate)
        self._since = now
        return self._left >= 0.0
