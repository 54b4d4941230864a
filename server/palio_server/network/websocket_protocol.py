"""uvicorn's WebSocket protocol, with what no ASGI application can do by itself.

Serve with `uvicorn.Config(ws=WebSocketProtocol)`. A connection that says goodbye, or whose application returns, is gone
for certain after two seconds, even if its peer never reads; uvicorn alone waits for such a peer for ever. And an
application finds the protocol itself in the ASGI scope (`socket_of`), to `tap` it: messages then come by a plain call,
and go out by another, without a queue, a task or a pause of the transport between them. Whole unfragmented messages
of less than 64 KiB, which is what bots send, are read here; everything else is left to websockets' parser.
"""

import asyncio
from collections.abc import Callable, MutableMapping
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from palio_server.network.cork import Cork

try:
    from websockets.speedups import apply_mask
except ImportError:  # a platform without the compiled part
    from websockets.utils import apply_mask

EXTENSION = "palio.socket"
GATHER = 64  # frames; more do not wait
GOODBYE_S = 2.0  # from our close frame, or the end of the application, to the end of the connection

BINARY, TEXT = 0x82, 0x81  # first byte of a frame that is a whole message
_HEADS = tuple(b"\x82" + size.to_bytes(1, "big") for size in range(126))  # of short binary frames

Hear = Callable[[bytes, bool], None]  # called with (data, is text) for each message; must neither wait nor raise
Flow = Callable[[bool], None]  # called with True when the peer reads again, with False when it has stopped


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket connection."""

    hear: Hear | None = None
    flow: Flow | None = None
    burial: asyncio.TimerHandle | None = None
    plain = False  # frames are read here; False: by websockets' parser, which may stand in the midst of one
    begun = b""  # of a frame that has not come whole
    segments = 0  # that have come before the tap; the first one is the handshake

    def tap(self, hear: Hear, flow: Flow, cork: Cork) -> None:
        """From now on `hear` gets what the peer sends, and `receive` tells only of the connection's end."""
        self.hear, self.flow, self.cork = hear, flow, cork
        self.plain = self.segments == 1
        self.gathered: list[bytes] = []  # frames
        self.gathered_at = 0  # the cork's tick when the first of them came
        self.ready = self.holding = False  # whether the cork is going to release them, or asks from time to time

    def write(self, data: bytes, *, text: bool, urgent: bool = True) -> None:
        """Send one message soon; a little later if it is not urgent. The caller stops while nobody reads (`flow`)."""
        size, gathered = len(data), self.gathered
        gathered.append(_HEADS[size] + data if size < 126 and not text else frame(data, text=text))
        if urgent:
            if not self.ready:
                self.ready = True
                self.cork.soon(self)
            elif len(gathered) > GATHER:
                self._flush()
        elif len(gathered) == 1:
            self.gathered_at = self.cork.tick
            if not self.holding:
                self.holding = True
                self.cork.hold(self)

    def release(self) -> None:
        self.ready = False
        if self.gathered:
            self._flush()

    def release_old(self, tick: int) -> bool:
        if self.gathered and self.gathered_at < tick:
            self._flush()
        self.holding = bool(self.gathered)
        return self.holding

    def _flush(self) -> None:
        gathered, self.gathered = self.gathered, []
        if not self.close_sent and not self.disconnected:
            self.transport.write(gathered[0] if len(gathered) == 1 else b"".join(gathered))

    def hang_up(self, code: int, reason: str) -> None:
        """Say goodbye; whether or not the peer answers, the connection ends. Hanging up twice is harmless."""
        if self.close_sent or self.disconnected or not self.handshake_complete:
            return
        if self.hear is not None and self.gathered:
            self._flush()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.close_timer = self.loop.call_later(GOODBYE_S, self.abort)

    def abort(self) -> None:
        """End the connection at once, whatever has not been sent."""
        self.transport.abort()

    # --- frames -------------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        if not self.plain:
            self.segments += 1
            super().data_received(data)
        elif (
            data[0] == BINARY
            and not self.begun
            and len(data) >= 6
            and len(data) == 6 + data[1] - 0x80 < 6 + 126
            and self.conn.current_size is None
        ):  # nearly always: one short message, all of it, and nothing else
            self._hear(apply_mask(data[6:], data[2:6]), text=False)
        else:
            self._take_apart(data)

    def _take_apart(self, data: bytes) -> None:
        """Read the frames that `data` completes, and keep the one that it begins."""
        data = self.begun + data
        at = 0
        while self.plain and (bounds := _frame_at(data, at)) is not None:
            start, end = bounds
            if end < 0:
                self.plain = False
                break
            if data[at] in (BINARY, TEXT) and self.conn.current_size is None:
                self._hear(apply_mask(data[start:end], data[start - 4 : start]), text=data[at] == TEXT)
            else:  # a control frame, or a part of a message
                super().data_received(data[at:end])
            at = end
            self.plain = self.plain and not self.close_sent and self.conn.close_rcvd is None
        self.begun = data[at:] if self.plain else b""
        if not self.plain and at < len(data):
            super().data_received(data[at:])

    def _hear(self, data: bytes, *, text: bool) -> None:
        assert self.hear is not None
        if not self.close_sent:
            self.hear(data, text)

    def send_receive_event_to_app(self) -> None:
        if self.hear is None:
            super().send_receive_event_to_app()
            return
        frames, self.frames = self.frames, []
        self._hear(b"".join(frames), text=self.curr_msg_data_type == "text")

    # --- uvicorn's protocol, where it needs more ----------------------------------------------------------------------

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.flow is not None:
            self.flow(False)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.flow is not None:
            self.flow(True)

    async def run_asgi(self) -> None:
        self.scope["extensions"] = {**(self.scope["extensions"] or {}), EXTENSION: {"socket": self}}
        try:
            await super().run_asgi()
        finally:
            self._bury()

    def handle_parser_exception(self) -> None:
        super().handle_parser_exception()
        self._bury()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._bury()

    def shutdown(self) -> None:
        super().shutdown()
        self._bury()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.burial is not None:
            self.burial.cancel()
            self.burial = None
        super().connection_lost(exc)

    def _bury(self) -> None:
        """Closing a transport waits until the peer has read everything; put an end to that."""
        if self.burial is None and not self.disconnected:
            self.burial = self.loop.call_later(GOODBYE_S, self.abort)


def socket_of(scope: MutableMapping[str, Any]) -> WebSocketProtocol:
    """The protocol behind an ASGI WebSocket scope. Raises RuntimeError under another server, or another `ws`."""
    extension = (scope.get("extensions") or {}).get(EXTENSION)
    if extension is None:
        raise RuntimeError("bots need uvicorn.Config(ws=palio_server.network.websocket_protocol.WebSocketProtocol)")
    socket: WebSocketProtocol = extension["socket"]
    return socket


def _frame_at(data: bytes, at: int) -> tuple[int, int] | None:
    """Where the payload of the frame at `at` begins and ends, None if the frame has not come whole.

    The end is -1 where websockets knows better: a frame that is not masked, or has 64 KiB and more.
    """
    size = len(data) - at
    if size < 2:
        return None
    length = data[at + 1] - 0x80
    if length < 0 or length == 127:
        return 0, -1
    start = at + 6
    if length == 126:
        if size < 4:
            return None
        start, length = at + 8, data[at + 2] << 8 | data[at + 3]
    return (start, start + length) if start + length <= len(data) else None


def frame(data: bytes, *, text: bool = False) -> bytes:
    """A whole message in one frame, as a server sends it: unmasked, uncompressed (RFC 6455, section 5.2)."""
    head, size = b"\x81" if text else b"\x82", len(data)
    if size < 126:
        return head + size.to_bytes(1, "big") + data
    if size < 65536:
        return head + b"\x7e" + size.to_bytes(2, "big") + data
    return head + b"\x7f" + size.to_bytes(8, "big") + data
