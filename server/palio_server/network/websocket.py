"""One WebSocket after its handshake: messages come by a plain call of the listener, and go out by another.

There is no queue and no task between them. Every frame costs its sender credit, before any work on it; the connection
of a peer that floods is closed, and no longer read. A connection closed from either side is gone after at most two
seconds, even if its peer never reads. Messages are read here, whole or in parts. Closing, pings and pongs are left to
ServerProtocol of `websockets`, which does no I/O; it does not know of the parts, so a peer may say goodbye between two
of them. A violation of RFC 6455 ends the connection as soon as it shows, even in the middle of a frame.
"""

import asyncio
import os
import socket
from codecs import getincrementaldecoder
from typing import Any

from websockets.frames import Frame, Opcode
from websockets.protocol import SEND_EOF
from websockets.server import ServerProtocol

from palio_rules.contract.codec import (
    BINARY,
    CONTROL,
    FINAL,
    HEADS,
    MASKED,
    MAX_BYTES,
    OPCODE,
    SHORT,
    TEXT,
    frame,
    frame_at,
    head_fault,
    masked,
)
from palio_rules.contract.endpoints import FAILED, NO_TEXT, PROTOCOL, RESTART, TOO_LONG
from palio_server.network.corked_socket import PIECE, Cork, CorkedSocket, PeerListener
from palio_server.network.entrance import Visit

SHARE = 32  # frames of one peer that are read in one turn of the event loop: each may advance a match by a ply
LATE_S = 1.0  # seconds in which waiting input is read, before a ping counts as unanswered
PING_S = 20.0  # seconds between two pings; a peer that has not answered the last one by the next is gone
utf8_decoder = getincrementaldecoder("utf-8")


class WebSocket(CorkedSocket):
    """An accepted connection. Nothing is read before it has a listener."""

    def __init__(
        self,
        transport: asyncio.Transport,
        wire: ServerProtocol,
        connections: set[Any],
        gone: asyncio.Event,
        visit: Visit,
        early: bytes = b"",
    ) -> None:
        """`wire` has read and answered the handshake; `early` is the data that the peer has sent without waiting for
        that.
        """
        super().__init__(transport, connections, gone, visit)
        self._wire = wire
        self._plain = not early  # open, and the next byte begins a message
        self._begun = early  # of an incomplete frame
        self._parts: bytearray | None = None  # of a message in several frames
        self._parts_text = False
        self._utf8 = utf8_decoder()  # has read the part of a text that has come
        self._seen = 0  # bytes of an incomplete frame that it has read already
        self._over = False  # True: further input of the peer is read, and ignored
        self._ping = b""  # the one that was sent and is not answered yet
        self._pinging: asyncio.TimerHandle | None = None

    def listen(self, listener: PeerListener, cork: Cork | None = None) -> None:
        """Pass the peer's messages to `listener` from now on. With a `cork`, `write` is allowed."""
        self._listener, self._cork = listener, cork
        if self._open:
            if cork is not None:
                # so that uvloop, too, sends a turn before its time counts
                self.transport.set_write_buffer_limits(high=0)
            self._pinging = self._loop.call_later(PING_S, self._keep_alive)
            self._loop.call_soon(self._go_on)  # when the listener is ready for it

    # --- from the peer ------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        size = len(data)
        if self._plain and 6 <= size < 6 + SHORT and data[0] == BINARY and data[1] == size - 6 + MASKED:
            # the usual case: one short message, all of it, and nothing else
            if self.credit.pay_frame(size):
                self._listener.hear(masked(data[6:], data[2:6]), False)
            else:
                self._stop_flood()
        elif not self._over:
            self._take_apart(self._begun + data)
        elif not self.credit.pay_frame(size):
            self._stop_flood()

    def _take_apart(self, data: bytes) -> None:
        """Pay for each complete frame, and read it; keep an incomplete one."""
        try:
            self._take_frames(data)
        finally:
            self._more = False

    def _take_frames(self, data: bytes) -> None:
        at, read, self._begun = 0, 0, b""
        self._plain = self._open and self._parts is None
        while (bounds := self._whole_frame(data, at)) is not None:
            start, end = bounds
            if read == SHARE or (read and self._others_first()):  # the others first
                self._begun, self._plain = data[at:], False
                self.transport.pause_reading()
                self._loop.call_soon(self._go_on)
                return
            read += 1
            if not self.credit.pay_frame(end - at):
                self._stop_flood()
                return
            self._more = end < len(data)
            if data[at] & OPCODE < CONTROL:
                self._take(data[at], masked(data[start:end], data[start - 4 : start]))
            else:
                self._read(data[at:end])
            if self.transport.is_closing():
                return
            at = end
        if self._over:
            return
        self._begun = data[at:]
        if self._begun and not self.credit.pay(PIECE):
            self._stop_flood()
        self._plain = self._open and not self._begun and self._parts is None

    def _whole_frame(self, data: bytes, at: int) -> tuple[int, int] | None:
        """Return where the payload of the frame at `at` begins and ends; None if it is incomplete, or
        not allowed here.
        """
        if self._over or len(data) < at + 2:
            return None
        short = self._plain and data[at] in (BINARY, TEXT) and MASKED <= data[at + 1] < MASKED + SHORT  # usually
        if not short and (fault := head_fault(data, at)):
            self._fail(PROTOCOL, fault)
            return None
        bounds = frame_at(data, at)
        if bounds is None or not self._fits(data[at] & OPCODE, bounds[1] - bounds[0]):
            return None
        if bounds[1] <= len(data):
            return bounds
        self._look_ahead(data, at, bounds[0])
        return None

    def _read_rest(self) -> None:
        self.transport.resume_reading()
        self._take_apart(self._begun)

    def _fits(self, opcode: int, size: int) -> bool:
        """Return True if a frame is allowed here, and not too long for its message; otherwise the connection has
        failed.
        """
        if opcode >= CONTROL or not self._open:
            return True
        parts = self._parts
        if (parts is None) is (opcode == 0):
            self._fail(PROTOCOL, "unexpected continuation frame" if parts is None else "expected a continuation frame")
            return False
        if size + len(parts or b"") > MAX_BYTES:
            self._fail(TOO_LONG, f"a message has at most {MAX_BYTES} bytes")
            return False
        return True

    def _look_ahead(self, data: bytes, at: int, start: int) -> None:
        """Fail the connection if the beginning of a frame's payload cannot be text."""
        if self._open and self._is_text(data[at] & OPCODE) and start + self._seen < len(data):
            fresh, mask, turn = data[start + self._seen :], data[start - 4 : start], self._seen % 4
            self._seen += len(fresh)
            self._is_utf8(masked(fresh, mask[turn:] + mask[:turn]), last=False)

    def _take(self, first: int, payload: bytes) -> None:
        """Take a message, or a part of one, by the first byte of its frame."""
        if not self._open:
            return
        text, last = self._is_text(first & OPCODE), bool(first & FINAL)
        seen, self._seen = self._seen, 0
        if text and not self._is_utf8(payload[seen:], last=last):
            return
        if last and self._parts is None:
            self._listener.hear(payload, text)
        elif last:
            data, self._parts = b"".join((self._parts or b"", payload)), None
            self._listener.hear(data, text)
        elif self._parts is None:
            self._parts, self._parts_text = bytearray(payload), text
        else:
            self._parts += payload
        self._plain = self._open and self._parts is None

    def _is_text(self, opcode: int) -> bool:
        return self._parts_text if opcode == 0 else opcode == TEXT & OPCODE

    def _is_utf8(self, part: bytes, *, last: bool) -> bool:
        """Return True if a text may continue with `part`, or end with it; otherwise the connection has failed (section
        8.1).
        """
        try:
            self._utf8.decode(part, last)
            begun, _ = self._utf8.getstate()
            well = begun[:1] != b"\xed" or begun[1:2] < b"\xa0"  # surrogates: the decoder waits for a third byte
        except UnicodeDecodeError:
            well = False
        if not well:
            self._fail(NO_TEXT, "a text has to be UTF-8")
        return well

    def _read(self, data: bytes) -> None:
        """Let `websockets` read a control frame, and do what it says."""
        self._wire.receive_data(data)
        for event in self._wire.events_received():
            assert isinstance(event, Frame)
            if event.opcode is Opcode.PONG and bytes(event.data) == self._ping:
                self._ping = b""
        output = self._wire.data_to_send()
        if self._open:
            self.transport.write(b"".join(output))
            if SEND_EOF in output:  # both have said goodbye, or the input cannot be read
                self._hear_no_more()
        elif SEND_EOF in output:
            self._finish()

    def _fail(self, code: int, why: str) -> None:
        """Close with the reason why the peer is not understood (section 7.1.7)."""
        self._wire.fail(code, why)
        output = self._wire.data_to_send()
        if self._open:
            self.transport.write(b"".join(output))
            self._hear_no_more()
        else:  # the goodbye has been sent before
            self._finish()

    def _hear_no_more(self) -> None:
        """Ignore further input after the last message. It is read, because otherwise the peer might not see that
        message.
        """
        self._over, self._begun = True, b""
        self._end()
        self._end_writing()

    def _stop_flood(self) -> None:
        super()._stop_flood()
        self._begun = b""

    # --- to the peer --------------------------------------------------------------------------------------------------

    def write(self, data: bytes, *, text: bool, urgent: bool = True) -> None:
        """Send one message, a little later if it is not urgent. The caller stops while the peer does
        not read (`flow`).
        """
        size = len(data)
        self._send(HEADS[size] + data if size < SHORT and not text else frame(data, text=text), urgent=urgent)

    def send_frame(self, frame: bytes) -> None:
        """Send the output of `frames.frame`, which may be for many sockets at once."""
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
        """Say goodbye and end the connection, with or without an answer. Does nothing if it is closed.

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
        """End it because uvicorn ends."""
        if self._open:
            self.close(RESTART, "the server ends")
        else:
            self._finish()

    def _finish(self) -> None:
        """Close the transport when the peer has read everything."""
        self.transport.close()
        self._end()

    def _end(self) -> None:
        super()._end()
        self._plain = False
        if self._pinging is not None:
            self._pinging.cancel()

    def eof_received(self) -> None:
        """Handle the end of input without a goodbye; the peer may not read, either."""
        self._finish()
