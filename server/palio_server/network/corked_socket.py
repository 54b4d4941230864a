"""The common part of every socket of a bot or a viewer, independent of the framing of messages.

It writes at once, or a little later a message that needs no answer (`cork`); it knows how long its peer has been
silent; and a connection closed from either side is gone after at most two seconds, even if its peer never reads.
"""

import asyncio
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from palio_rules.contract.endpoints import POLICY
from palio_server.network.entrance import Visit

# A short delay for messages that need no answer, because a server of small messages spends most of its time on sending.
#
# A move makes two or three messages: a `turn` to the bot whose turn it is, and `played` to the bots that want it. These
# two are sent in one call. The other `played`, to the bot that has moved, needs no answer; it is delayed for a moment,
# and usually sent together with the bot's own next turn.

TICK_S = 0.005  # seconds; a delayed message is held back for one to two of these


class Corked(Protocol):
    """A socket that holds messages back, or did so a moment ago."""

    def release_old(self, tick: int) -> bool:
        """Send messages that have been held back since before `tick`; return True if others remain."""


class Cork:
    """The timer for all sockets of an event loop; it ticks while any message is held back."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._holding: list[Corked] = []
        self.tick = 0

    def hold(self, socket: Corked) -> None:
        """Call the socket at every tick, until it holds nothing back."""
        if not self._holding:
            self._loop.call_later(TICK_S, self._tick)
        self._holding.append(socket)

    def _tick(self) -> None:
        self._holding = [socket for socket in self._holding if socket.release_old(self.tick)]
        self.tick += 1
        if self._holding:
            self._loop.call_later(TICK_S, self._tick)


# The credit of a peer: how much it may send without being asked.
#
# Every frame of its WebSocket costs, even an empty one and a pong. A peer begins with some credit, earns more with
# time, and is given more when it is asked something. A peer that has spent all of it is flooding, and is disconnected;
# a program that knows nothing of connections is read more slowly instead.

BURST, RATE = 1000.0, 500.0  # unrequested frames: at once, and per second
ASKED = 2.0  # allowed by a turn: its answer, and one more message
LONG = 4096.0  # bytes that cost as much as one more frame
STRANGERS_BURST, STRANGERS_RATE = 100.0, 20.0  # the same for peers without messages to send: before hello, or a viewer
PIECE = 0.1  # the cost of reading a piece of an incomplete frame, since even one byte causes work


class Credit:
    """The credit of one peer. The clock is read only when the credit is spent."""

    __slots__ = ("_burst", "_left", "_now", "_rate", "_since")

    def __init__(self, now: Callable[[], float]) -> None:
        """Begin with an unidentified peer's credit. `now` returns the time in seconds."""
        self._burst, self._rate = STRANGERS_BURST, STRANGERS_RATE
        self._left, self._now, self._since = self._burst, now, now()

    def trust(self) -> None:
        """Give the credit of a bot that has been let in."""
        self._left += BURST - self._burst
        self._burst, self._rate = BURST, RATE

    def pay(self, cost: float) -> bool:
        """Pay `cost`; return False if the peer cannot, because it floods."""
        self._left -= cost
        return self._left >= 0.0 or self._has_earned_more()

    def pay_frame(self, size: int) -> bool:
        """Pay for a frame of `size` bytes; return False if the peer cannot."""
        self._left -= 1.0 + size / LONG
        return self._left >= 0.0 or self._has_earned_more()

    def allow(self) -> None:
        """Give credit for an answer, as fast as the peer can send it."""
        if self._left < self._burst:
            self._left += ASKED

    def reset(self) -> None:
        """Start again from zero, for a peer that is made to wait instead of being disconnected."""
        self._left = max(self._left, 0.0)

    def _has_earned_more(self) -> bool:
        now = self._now()
        self._left = min(self._burst, self._left + (now - self._since) * self._rate)
        self._since = now
        return self._left >= 0.0


# The time since the last bytes of a peer reached this machine, read or not: Linux knows it for TCP connections.

SINCE_DATA = slice(52, 56)  # tcpi_last_data_recv in struct tcp_info of linux/tcp.h: milliseconds
KERNEL_TICK_S = 0.010  # the longest tick of a kernel that counts by ticks: so much more may have passed


def silence(end: Any) -> float | None:
    """Return the seconds, rather too many than too few; None if unknown, as for a Unix socket. `end` is a socket."""
    if sys.platform != "linux" or end is None or end.family not in (socket.AF_INET, socket.AF_INET6):
        return None
    try:
        info = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, SINCE_DATA.stop)
    except OSError:  # it is gone
        return None
    return int.from_bytes(info[SINCE_DATA], sys.byteorder) / 1000 + KERNEL_TICK_S


GATHER = 64  # messages; with so many, none waits any longer
GOODBYE_S = 2.0  # seconds from our goodbye, or the peer's, to the end of the connection
FLOODERS_GOODBYE_S = 0.5  # the same after a flood
FLOOD = "flood: too many unrequested messages"


class PeerListener(Protocol):
    """The receiver of the peer's messages. The socket calls it; it must neither wait nor raise."""

    def hear(self, data: bytes, text: bool) -> None:  # noqa: FBT001  # called for every message: no keywords
        """Take one message."""

    def flow(self, reading: bool) -> None:  # noqa: FBT001  # as above
        """Take note that the peer has stopped reading, or reads again."""


class NoListener:
    """The placeholder before there is a listener, and after."""

    def hear(self, data: bytes, text: bool) -> None: ...  # noqa: FBT001  # as above
    def flow(self, reading: bool) -> None: ...  # noqa: FBT001  # as above


class CorkedSocket(asyncio.Protocol):
    """An accepted connection, without its framing."""

    def __init__(self, transport: asyncio.Transport, connections: set[Any], gone: asyncio.Event, visit: Visit) -> None:
        """Uvicorn will shut down all `connections`, and wait for them."""
        self.transport, self.gone = transport, gone  # gone: the conversation is over, even if the peer still reads
        self.visit, self._read_budget, self._account = visit, visit.read_budget, visit.account
        self._goodbye_s = GOODBYE_S
        self._connections = connections
        self._connections.add(self)
        self._loop = asyncio.get_running_loop()
        self.credit = Credit(self._loop.time)
        self._listener: PeerListener = NoListener()
        self._open = True  # messages may come and go
        self._ending: asyncio.TimerHandle | None = None
        self._cork: Cork | None = None
        self._gathered: list[bytes] = []  # framed messages
        self._gathered_at = 0  # the cork's tick when the first of them came
        self._holding = False  # the cork calls at every tick
        self._more = False  # True: more input follows the message that is being handled
        self._held = False  # by its account: it is not read

    def _send(self, framed: bytes, *, urgent: bool) -> None:
        """Send one message, a little later if it is not urgent."""
        gathered = self._gathered
        if urgent and not gathered:  # the usual case
            if self._open:
                self.transport.write(framed)
            return
        assert self._cork is not None
        gathered.append(framed)
        if urgent or len(gathered) > GATHER:
            self._flush()
        elif len(gathered) == 1:
            self._gathered_at = self._cork.tick
            if not self._holding:
                self._holding = True
                self._cork.hold(self)

    def release_old(self, tick: int) -> bool:
        if self._gathered and self._gathered_at < tick:
            self._flush()
        self._holding = bool(self._gathered)
        return self._holding

    def _flush(self) -> None:
        gathered, self._gathered = self._gathered, []
        if self._open:
            self.transport.write(gathered[0] if len(gathered) == 1 else b"".join(gathered))

    # --- reading, as a source of its program's account ----------------------------------------------------------------

    in_turn = True

    def hold(self) -> None:
        """Read no more of the peer."""
        self._held = True
        self.transport.pause_reading()

    def release(self) -> None:
        """Read again."""
        self._held = False
        self._loop.call_soon(self._go_on)

    def _others_first(self) -> bool:
        """Return True if the rest of the input has to wait: for other peers, or for time on the account."""
        return self._read_budget.is_spent() or (self._account is not None and self._account.is_spent())

    def _go_on(self) -> None:
        """Read input that was left for lack of time."""
        if self._held or not self._open or self.transport.is_closing():
            return
        if self._account is None:
            self._read_rest()
            return
        self._account.begin(self)
        try:
            self._read_rest()
        finally:
            self._account.end()

    def _read_rest(self) -> None:
        """Read input that was left."""
        raise NotImplementedError

    def silent_s(self) -> float | None:
        """Return how long ago the current input reached this machine; None if that is unknown.

        Linux knows it for the last bytes on TCP. Earlier bytes may have come much earlier.
        """
        return None if self._more else silence(self.transport.get_extra_info("socket"))

    def pause_writing(self) -> None:
        self._listener.flow(False)

    def resume_writing(self) -> None:
        self._listener.flow(True)

    # --- the end ------------------------------------------------------------------------------------------------------

    def abort(self) -> None:
        """End the connection at once, and drop unsent messages."""
        self.transport.abort()

    def _stop_flood(self) -> None:
        """Close the connection of a peer that has spent its credit, and stop reading it."""
        self._goodbye_s = FLOODERS_GOODBYE_S
        self.visit.flooded()
        self.close(POLICY, FLOOD)
        self.transport.pause_reading()

    def close(self, code: int, reason: str) -> None:
        """Say goodbye and end the connection, with or without an answer. Does nothing if it is closed."""
        raise NotImplementedError

    def _end_writing(self) -> None:
        """Send the end of the stream to the peer, without waiting for an answer."""
        if not self.transport.is_closing():
            with suppress(OSError):  # asyncio's own transport, of a peer that has just gone
                self.transport.write_eof()

    def _end(self) -> None:
        """End the conversation, and abort a peer that does not read or answer, since a close would wait for it."""
        self._open = False
        self.gone.set()
        if self._ending is None:
            self._ending = self._loop.call_later(self._goodbye_s, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._end()
        assert self._ending is not None
        self._ending.cancel()
        self._connections.discard(self)
        self.visit.lost()
        self._listener = NoListener()  # breaks a reference cycle: full garbage collections are rare
