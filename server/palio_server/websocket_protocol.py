"""uvicorn's WebSocket protocol, with three things added that no ASGI application can do by itself.

Serve with `uvicorn.Config(ws=WebSocketProtocol)`. A connection that says goodbye, or whose application returns, is gone
for certain after two seconds, even if its peer never reads; uvicorn alone waits for such a peer for ever. And an
application finds the protocol itself in the ASGI scope (`socket_of`), to `tap` it: messages then come by a plain call,
and go out by another, without a queue, a task or a pause of the transport between them, which halves their cost.
"""

import asyncio
from collections.abc import Callable, MutableMapping
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from palio_server.cork import Cork

EXTENSION = "palio.socket"
GATHER = 64  # messages; more are sent at once
GOODBYE_S = 2.0  # from our close frame, or the end of the application, to the end of the connection

_HEADS = tuple(b"\x82" + size.to_bytes(1, "big") for size in range(126))  # of short binary frames

Hear = Callable[[bytes, bool], None]  # called with (data, is text) for each message; must neither wait nor raise
Flow = Callable[[bool], None]  # called with True when the peer reads again, with False when it has stopped


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """One WebSocket connection."""

    hear: Hear | None = None
    flow: Flow | None = None
    burial: asyncio.TimerHandle | None = None

    def tap(self, hear: Hear, flow: Flow, cork: Cork) -> None:
        """From now on `hear` gets what the peer sends, and `receive` tells only of the connection's end."""
        self.hear, self.flow, self.cork = hear, flow, cork
        self.gathered: list[bytes] = []
        self.corked_soon = self.corked_later = False

    def write(self, data: bytes, *, text: bool, urgent: bool = True) -> None:
        """Send one message very soon. The caller stops writing while `flow` says that the peer does not read."""
        size = len(data)
        self.gathered.append(_HEADS[size] + data if size < 126 and not text else frame(data, text=text))
        if urgent:
            if not self.corked_soon:
                self.corked_soon = True
                self.cork.soon(self)
            elif len(self.gathered) > GATHER:
                self.flush()
        elif not self.corked_later:
            self.corked_later = True
            self.cork.later(self)

    def pull(self, *, soon: bool) -> None:
        """The cork is pulled: send what has been gathered."""
        if soon:
            self.corked_soon = False
        else:
            self.corked_later = False
        if self.gathered:
            self.flush()

    def flush(self) -> None:
        """Send what has been gathered, now."""
        gathered, self.gathered = self.gathered, []
        if not self.close_sent and not self.disconnected:
            self.transport.write(gathered[0] if len(gathered) == 1 else b"".join(gathered))

    def hang_up(self, code: int, reason: str) -> None:
        """Say goodbye; whether or not the peer answers, the connection ends. Hanging up twice is harmless."""
        if self.close_sent or self.disconnected or not self.handshake_complete:
            return
        if self.hear is not None and self.gathered:
            self.flush()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.close_timer = self.loop.call_later(GOODBYE_S, self.abort)

    def abort(self) -> None:
        """End the connection at once, whatever has not been sent."""
        self.transport.abort()

    # --- uvicorn's protocol, where it needs more --------------------------------------------------------------------

    def send_receive_event_to_app(self) -> None:
        if self.hear is None:
            super().send_receive_event_to_app()
            return
        data = bytes(self.frames[0]) if len(self.frames) == 1 else b"".join(self.frames)
        self.frames = []
        if not self.close_sent:
            self.hear(data, self.curr_msg_data_type == "text")

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
        raise RuntimeError("bots need uvicorn.Config(ws=palio_server.websocket_protocol.WebSocketProtocol)")
    socket: WebSocketProtocol = extension["socket"]
    return socket


def frame(data: bytes, *, text: bool = False) -> bytes:
    """A whole message in one frame, as a server sends it: unmasked, uncompressed (RFC 6455, section 5.2)."""
    head, size = b"\x81" if text else b"\x82", len(data)
    if size < 126:
        return head + size.to_bytes(1, "big") + data
    if size < 65536:
        return head + b"\x7e" + size.to_bytes(2, "big") + data
    return head + b"\x7f" + size.to_bytes(8, "big") + data
