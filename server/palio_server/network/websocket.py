"""One WebSocket after its handshake: messages come by a plain call of the listener, and go out by another.

There is no queue and no task between them. Every frame costs its sender credit, before anybody works on it; the
connection of a peer that floods is closed, and not read any more. A closed connection, from either side, is gone for
certain after two seconds, even if its peer never reads. Short whole messages, which is what bots send, are read here;
every other frame is left to ServerProtocol of `websockets`, which does no I/O.
"""

import asyncio
import os
import socket
from typing import Any

from websockets.frames import Frame, Opcode
from websockets.protocol import SEND_EOF
from websockets.server import ServerProtocol

from palio_rules.contract.codec import MAX_BYTES
from palio_rules.contract.endpoints import FAILED, RESTART
from palio_rules.contract.frames import BINARY, HEADS, MASKED, SHORT, TEXT, frame, frame_at, masked
from palio_server.network.cork import Cork
from palio_server.network.corked_socket import CorkedSocket, Listener
from palio_server.network.credit import PIECE
from palio_server.network.entrance import Visit

SHARE = 32  # frames of one peer that are read in one turn of the event loop: each may take a match a ply further
LATE_S = 1.0  # in which what has come is read, before a ping counts as not answered
PING_S = 20.0  # between two pings; a peer that has not answered the last one by the next is gone


class WebSocket(CorkedSocket):
    """An accepted connection. Nothing is read before somebody listens."""

    def __init__(
        self,
        transport: asyncio.Transport,
        wire: ServerProtocol,
        connections: set[Any],
        gone: asyncio.Event,
        visit: Visit,
        early: bytes = b"",
    ) -> None:
        """`wire` has read and answered the handshake; `early` is what the peer has sent without waiting for that."""
        super().__init__(transport, connections, gone, visit)
        self._wire = wire
        self._plain = not early  # open, and the next byte begins a message
        self._begun = early  # of a frame that has not come whole
        self._parts: bytearray | None = None  # of a message in several frames
        self._parts_text = False
        self._ping = b""  # what we have sent and is not answered yet
        self._pinging: asyncio.TimerHandle | None = None

    def listen(self, listener: Listener, cork: Cork | None = None) -> None:
        """From now on `listener` hears what the peer says. With a `cork`, one may `write`."""
        self._listener, self._cork = listener, cork
        if self._open:
            if cork is not None:
                self.transport.set_write_buffer_limits(high=0)  # uvloop, too, sends a turn before its time counts
            self._pinging = self._loop.call_later(PING_S, self._keep_alive)
            if self._begun:
                self._loop.call_soon(self._go_on)  # when the listener is ready for it
            else:
                self.transport.resume_reading()

    # --- from the peer ------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        size = len(data)
        if self._plain and 6 <= size < 6 + SHORT and data[0] == BINARY and data[1] == size - 6 + MASKED:
            # nearly always: one short message, all of it, and nothing else
            if self.credit.pay_frame(size):
                self._listener.hear(masked(data[6:], data[2:6]), False)
            else:
                self._stop_flood()
        else:
            self._take_apart(self._begun + data)

    def _take_apart(self, data: bytes) -> None:
        """Pay for each frame that has come whole, and read it; keep the one that has not."""
        try:
            self._take_frames(data)
        finally:
            self._more = False

    def _take_frames(self, data: bytes) -> None:
        at, read, self._begun = 0, 0, b""
        self._plain = self._open and self._parts is None
        while (bounds := frame_at(data, at)) is not None:
            start, end = bounds
            too_long = end - start > MAX_BYTES
            if end > len(data) and not too_long:
                break
            if read == SHARE or (self._pace.is_up() and read):  # the others first
                self._begun, self._plain = data[at:], False
                self.transport.pause_reading()
                self._loop.call_soon(self._go_on)
                return
            read += 1
            if not self.credit.pay_frame(min(end, len(data)) - at):
                self._stop_flood()
                return
            self._more = end < len(data)
            if self._plain and data[at] in (BINARY, TEXT) and MASKED <= data[at + 1] < MASKED + SHORT:
                self._hear(masked(data[start:end], data[start - 4 : start]), text=data[at] == TEXT)
            else:  # a control frame, a long one, a part of a message, or an error
                self._read(data[at:end])
            if self.transport.is_closing() or too_long:
                return
            at = end
        self._begun = data[at:]
        if self._begun and not self.credit.pay(PIECE):
            self._stop_flood()
        self._plain = self._open and not self._begun and self._parts is None

    def _go_on(self) -> None:
        """Read what there was no time for."""
        if self._open and not self.transport.is_closing():
            self.transport.resume_reading()
            self._take_apart(self._begun)

    def _read(self, data: bytes) -> None:
        """Let `websockets` read one frame, and do what it says."""
        self._wire.receive_data(data)
        for event in self._wire.events_received():
            assert isinstance(event, Frame)
            self._take(event)
        output = self._wire.data_to_send()
        if self._open:
            self.transport.write(b"".join(output))
        if SEND_EOF in output:  # both have said goodbye, or what came cannot be read
            self._finish()

    def _take(self, frame: Frame) -> None:
        if frame.opcode is Opcode.PONG and bytes(frame.data) == self._ping:
            self._ping = b""
        elif frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            if self._parts is None:
                self._parts, self._parts_text = bytearray(), frame.opcode is Opcode.TEXT
            self._parts += frame.data
            if frame.fin:
                data, self._parts = bytes(self._parts), None
                self._hear(data, text=self._parts_text)
        self._plain = self._open and self._parts is None

    def _hear(self, data: bytes, *, text: bool) -> None:
        if self._open:
            self._listener.hear(data, text)

    def _stop_flood(self) -> None:
        super()._stop_flood()
        self._begun = b""

    # --- to the peer --------------------------------------------------------------------------------------------------

    def write(self, data: bytes, *, text: bool, urgent: bool = True) -> None:
        """Send one message, a little later if it is not urgent. The caller stops while nobody reads (`flow`)."""
        size = len(data)
        self._send(HEADS[size] + data if size < SHORT and not text else frame(data, text=text), urgent=urgent)

    def send_frame(self, frame: bytes) -> None:
        """Send what `frames.frame` has made, for many sockets at once, perhaps."""
        if self._open:
            self.transport.write(frame)

    def keep_little(self, size: int) -> None:
        """Let the kernel, and asyncio behind it, hold no more than `size` bytes each for this peer."""
        if self._open:  # a transport that is gone has no socket
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
            self.transport.set_write_buffer_limits(high=size)

    def _keep_alive(self) -> None:
        if self._ping:  # after a busy time its answer may wait in the socket
            self._pinging = self._loop.call_later(LATE_S, self._miss)
            return
        self._ping = os.urandom(4)
        self._wire.send_ping(self._ping)
        self.transport.write(b"".join(self._wire.data_to_send()))
        self._pinging = self._loop.call_later(PING_S, self._keep_alive)

    def _miss(self) -> None:
        if self._ping:
            self.close(FAILED, "no answer to a ping")
        else:
            self._keep_alive()

    # --- the end ------------------------------------------------------------------------------------------------------

    def close(self, code: int, reason: str) -> None:
        """Say goodbye; whether or not the peer answers, the connection ends. Closing twice is harmless.

        A close frame has room for a sentence; of a longer `reason` the beginning is sent.
        """
        if not self._open:
            return
        if self._gathered:
            self._flush()
        self._wire.send_close(code, reason.encode()[:120].decode(errors="ignore"))
        self.transport.write(b"".join(self._wire.data_to_send()))
        self._end()
        self._end_writing()  # the peer need not answer to see the end

    def shutdown(self) -> None:
        """Uvicorn ends."""
        if self._open:
            self.close(RESTART, "the server ends")
        else:
            self._finish()

    def _finish(self) -> None:
        """Nothing more is to be said: close the transport, when the peer has read everything."""
        self.transport.close()
        self._end()

    def _end(self) -> None:
        super()._end()
        self._plain = False
        if self._pinging is not None:
            self._pinging.cancel()

    def eof_received(self) -> None:
        """The peer says no more, without a goodbye; perhaps it does not read, either."""
        self._finish()
