"""What every socket of a bot or a viewer has in common, however its messages are framed.

It writes at once, or a little later what asks for nothing (`cork`); it knows how long its peer has been silent; and a
closed connection, from either side, is gone for certain after two seconds, even if its peer never reads.
"""

import asyncio
from contextlib import suppress
from typing import Any, Protocol

from palio_rules.contract.endpoints import POLICY
from palio_server.network.cork import Cork
from palio_server.network.credit import Credit
from palio_server.network.entrance import Visit
from palio_server.network.silence import silence

GATHER = 64  # messages; more do not wait
GOODBYE_S = 2.0  # from our goodbye, or the peer's, to the end of the connection
FLOODERS_GOODBYE_S = 0.5  # the same after a flood
FLOOD = "flood: too many messages that nobody asked for"


class Listener(Protocol):
    """Who talks with the peer. The socket calls it; it must neither wait nor raise."""

    def hear(self, data: bytes, text: bool) -> None:  # noqa: FBT001  # called for every message: no keywords
        """Take one message."""

    def flow(self, reading: bool) -> None:  # noqa: FBT001  # as above
        """The peer has stopped reading what is written, or reads again."""


class Nobody:
    """Listens until somebody does."""

    def hear(self, data: bytes, text: bool) -> None: ...  # noqa: FBT001  # as above
    def flow(self, reading: bool) -> None: ...  # noqa: FBT001  # as above


class CorkedSocket(asyncio.Protocol):
    """An accepted connection, without its framing."""

    def __init__(self, transport: asyncio.Transport, connections: set[Any], gone: asyncio.Event, visit: Visit) -> None:
        """Uvicorn will shut down all `connections`, and wait for them."""
        self.transport, self.gone = transport, gone  # gone: the conversation is over, whatever the peer still reads
        self.visit, self._pace = visit, visit.pace
        self._goodbye_s = GOODBYE_S
        self._connections = connections
        self._connections.add(self)
        self._loop = asyncio.get_running_loop()
        self.credit = Credit(self._loop.time)
        self._listener: Listener = Nobody()
        self._open = True  # messages may come and go
        self._ending: asyncio.TimerHandle | None = None
        self._cork: Cork | None = None
        self._gathered: list[bytes] = []  # framed messages
        self._gathered_at = 0  # the cork's tick when the first of them came
        self._holding = False  # the cork asks from time to time
        self._more = False  # what is heard now is not the last that has come

    def _send(self, framed: bytes, *, urgent: bool) -> None:
        """Send one message, a little later if it is not urgent."""
        gathered = self._gathered
        if urgent and not gathered:  # nearly always
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

    def silent_s(self) -> float | None:
        """How long ago what is heard now reached this machine; None where nobody knows.

        Linux knows it of the last bytes on TCP. Whatever came before them may have come much earlier.
        """
        return None if self._more else silence(self.transport.get_extra_info("socket"))

    def pause_writing(self) -> None:
        self._listener.flow(False)

    def resume_writing(self) -> None:
        self._listener.flow(True)

    # --- the end ------------------------------------------------------------------------------------------------------

    def abort(self) -> None:
        """End the connection at once, whatever has not been sent."""
        self.transport.abort()

    def _stop_flood(self) -> None:
        """The peer has spent its credit: it is closed, and not read any more."""
        self._goodbye_s = FLOODERS_GOODBYE_S
        self.visit.flooded()
        self.close(POLICY, FLOOD)
        self.transport.pause_reading()

    def close(self, code: int, reason: str) -> None:
        """Say goodbye; whatever the peer does, the connection ends. Closing twice is harmless."""
        raise NotImplementedError

    def _end_writing(self) -> None:
        """Let the peer see the end, whether or not it answers."""
        if not self.transport.is_closing():
            with suppress(OSError):  # asyncio's own transport, of a peer that has just gone
                self.transport.write_eof()

    def _end(self) -> None:
        """The conversation is over; put an end to a peer that does not read or answer, for whom a close would wait."""
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
        self._listener = Nobody()  # it knows us, too; the garbage collector, which comes rarely, need not find out
