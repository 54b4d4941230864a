"""One connection of JSON lines: a message is a line, in both directions, without any handshake.

It begins with `{`, as no HTTP request does (`http_server.py`). Like a frame of a WebSocket each line costs its sender
credit; empty ones, which are ignored, cost less. Such a stream has no goodbye: before the server closes a connection,
an `error` says why.

A program on its own standard input and output (`connection.py`) gets no such error, and is not disconnected for what it
writes: when its credit is spent, it is read only as fast as it earns more, and waits in its `write`.
"""

import asyncio
import socket
from typing import Any

from palio_rules.contract.codec import MAX_BYTES, Encoding, encode, is_blank
from palio_rules.contract.endpoints import FAILED, LATER, NORMAL, POLICY, REPLACED, RESTART
from palio_rules.contract.messages import Error
from palio_server.network.corked_socket import LONG, PIECE, Cork, CorkedSocket, PeerListener
from palio_server.network.entrance import Visit

FIRST = b"{"  # of every connection of lines
SHARE = 32  # lines of one peer that are read in one turn of the event loop
REST_S = 0.02  # seconds in which a program that has spent its credit is not read; then it may write so many lines again
CODES = {POLICY: "closed", FAILED: "failed", RESTART: "restart", LATER: "later", REPLACED: "replaced"}
# seconds between two probes of a silent peer on TCP, and after how many unanswered ones it is gone
ALIVE_S, PROBES = 20, 2


class LineSocket(CorkedSocket):
    """An accepted connection. Nothing is read before it has a listener."""

    def __init__(self, transport: asyncio.Transport, connections: set[Any], gone: asyncio.Event, visit: Visit) -> None:
        super().__init__(transport, connections, gone, visit)
        self._rest = b""  # of an incomplete line, or lines that are read later
        self._reads = False
        self._too_long = False  # True: input up to the next line break belongs to a line that is too long
        self._is_program = False
        transport.pause_reading()

    def listen(self, listener: PeerListener, cork: Cork) -> None:
        """Pass the peer's messages to `listener` from now on, and allow `write`."""
        self._listener, self._cork = listener, cork
        if self._open:
            self.transport.set_write_buffer_limits(high=0)  # as for WebSockets: written data is sent at once
            _keep_alive(self.transport.get_extra_info("socket"))
            self._go_on()

    def hand_to_program(self, listener: PeerListener) -> None:
        """Switch to a peer that is a program and knows nothing of connections; `listener` gets its messages from now
        on.
        """
        self._listener, self._is_program = listener, True

    # --- from the peer ------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        size = len(data)
        if self._reads and not self._rest and data.find(b"\n") == size - 1 <= MAX_BYTES and not self._too_long:
            # the usual case: one line, all of it
            line = data[:-1]
            if is_blank(line):
                if not self._pay_blank(size):
                    self._out_of_credit()
            elif self.credit.pay_frame(size):
                self._listener.hear(line, True)
            else:
                self._rest = data
                self._out_of_credit()
        elif self._open:
            self._rest += data
            if self._reads:
                self._take_apart()
        elif not self.credit.pay_frame(size):  # it has been told goodbye, and still sends
            self._stop_flood()

    def _take_apart(self) -> None:
        """Pay for each complete line, and pass it on; keep an incomplete one."""
        try:
            self._take_lines()
        finally:
            self._more = False

    def _take_lines(self) -> None:
        data, at, read, rest_s = self._rest, 0, 0, 0.0
        while self._open and (end := data.find(b"\n", at)) >= 0:
            if read == SHARE or (read and self._others_first()):  # the others first
                self._rest = data[at:]
                self._wait(rest_s)
                return
            read += 1
            line = data[at:end]
            blank = is_blank(line)
            if not (self._pay_blank(end - at) if blank else self.credit.pay_frame(end - at)):
                if not self._is_program:
                    self._out_of_credit()
                    return
                self.credit.reset()
                rest_s = REST_S
            self._more = end + 1 < len(data)
            if not blank or self._too_long or len(line) > MAX_BYTES:
                self._hear(line)
            at = end + 1
        if self._open:
            self._rest = data[at:]
            self._take_part()

    def _take_part(self) -> None:
        """Keep an incomplete line. Of one that is too long only that fact is kept."""
        if not self._rest:
            return
        if len(self._rest) > MAX_BYTES:
            part, self._rest = self._rest, b""
            paid = self.credit.pay_frame(len(part))
            if not self._too_long:
                self._too_long = True
                self._listener.hear(part[: MAX_BYTES + 1], True)
        else:
            paid = self.credit.pay(PIECE)
        if not paid:
            self._out_of_credit()

    def _hear(self, line: bytes) -> None:
        if self._too_long:  # the end of one that has been answered
            self._too_long = False
        else:
            self._listener.hear(line[: MAX_BYTES + 1], True)

    def _pay_blank(self, size: int) -> bool:
        """Pay for an empty line, which costs little: a piece of a line, and its bytes."""
        return self.credit.pay(PIECE + size / LONG)

    def _out_of_credit(self) -> None:
        """Handle a peer without credit."""
        if self._is_program:
            self.credit.reset()
            self._wait(REST_S)
        else:
            self._stop_flood()

    def _wait(self, seconds: float) -> None:
        self._reads = False
        self.transport.pause_reading()
        self._loop.call_later(seconds, self._go_on)

    def _read_rest(self) -> None:
        self._reads = True
        self.transport.resume_reading()
        if self._rest:
            self._take_apart()

    def eof_received(self) -> bool:
        """Handle the end of input; the last line may have no line break. The peer may not read, either."""
        rest = b"" if self._too_long or is_blank(self._rest) else self._rest
        if rest and self._open and self._reads and self.credit.pay_frame(len(rest)):
            self._listener.hear(rest, True)
        self.transport.close()
        self._end()
        return False

    # --- to the peer --------------------------------------------------------------------------------------------------

    def write(self, data: bytes, *, text: bool, urgent: bool = True) -> None:  # a line is always text
        """Send one message, a little later if it is not urgent. The caller stops while the peer does
        not read (`flow`).
        """
        self._send(data + b"\n", urgent=urgent)

    def close(self, code: int, reason: str) -> None:
        """Send the reason, and end the connection, with or without an answer. Does nothing if it is closed."""
        if not self._open:
            return
        if self._gathered:
            self._flush()
        if code != NORMAL and not self._is_program:
            self.transport.write(encode(Error(CODES.get(code, "closed"), reason), Encoding.JSON) + b"\n")
        # The peer reads the end, and the messages before it. Closing at once, with unread input, would make an error of
        # that.
        self._end()
        if not self.transport.is_closing():
            self.transport.resume_reading()
            self._end_writing()

    def _end(self) -> None:
        super()._end()
        self._reads = False
        self._rest = b""

    def shutdown(self) -> None:
        """End it because uvicorn ends."""
        if self._open:
            self.close(RESTART, "the server ends")
        else:
            self.transport.close()


def _keep_alive(end: Any) -> None:
    """Let the kernel check that a silent peer on TCP is still there: there are no pings here."""
    if end is None or end.family not in (socket.AF_INET, socket.AF_INET6) or not hasattr(socket, "TCP_KEEPIDLE"):
        return
    end.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, ALIVE_S)
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, ALIVE_S)
    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, PROBES)
