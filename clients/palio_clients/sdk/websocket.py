"""The connection to the server over a WebSocket: one message a frame, in MessagePack or JSON by its subprotocol.

The library `websockets` connects, with TLS, proxies and redirects, answers pings and closes. Frames that are whole
messages, nearly all of them, are read and written here: a message arrives by a plain call, without a task.
"""

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect, unix_connect
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.frames import Frame, Opcode
from websockets.protocol import Event, State
from websockets.typing import Subprotocol

from palio_clients.sdk.failures import BadBot, LinkLost, RefusedByServer, ToldToWait
from palio_clients.sdk.transport import UNIX, WEBSOCKET, Hear, Link, address
from palio_rules.contract import codec as wire
from palio_rules.contract import endpoints
from palio_rules.contract.codec import BINARY, MASKED, MAX_BYTES, SHORT, TEXT, Encoding, frame_at, masked_frame
from palio_rules.contract.endpoints import REPLACED
from palio_rules.contract.messages import BotMessage
from palio_rules.errors import WireError

OPEN_S = 10.0
CLOSE_S = 2.0  # how long to wait for the server's close frame
MASKS = 256  # of four bytes, drawn together: a system call for each would cost as much as the rest of a frame
HEAD_END = b"\r\n\r\n"  # of an HTTP response


def bot_url(text: str) -> str:
    """Return the URL of the bots' WebSocket: `http://host:8000`, `ws://host:8000/ws/bot` and similar all mean the same.

    Raises BadBot, with the remedy, for an invalid address.
    """
    parts = address(text, WEBSOCKET)
    if parts.scheme == UNIX:
        if not hasattr(socket, "AF_UNIX"):
            raise BadBot(f"there are no Unix sockets here for {text!r}; write ws://host:port")
        return text
    path = parts.path.rstrip("/")
    if not path.endswith(endpoints.BOT):
        path += endpoints.BOT
    return urlunsplit(("wss" if parts.scheme in ("wss", "https") else "ws", parts.netloc, path, parts.query, ""))


class BotSocket(ClientConnection):
    """A connection that passes messages to its listener by a plain call."""

    def __init__(self, protocol: ClientProtocol, **options: Any) -> None:
        super().__init__(protocol, **options)
        self.gone: asyncio.Future[None] = self.loop.create_future()  # done when the connection is lost
        self._hear: Callable[[bytes], None] | None = None
        self._early: list[bytes] = []  # messages that came before `listen`
        self._begun = b""  # of an incomplete frame; at first, of an incomplete HTTP response
        self._parts: bytearray | None = None  # of a message in several frames
        self._broken = False  # the data cannot be split into our frames
        self._masks = b""
        self._mask = 0

    def listen(self, hear: Callable[[bytes], None]) -> None:
        """Call `hear` for each message from now on, after those that have come already."""
        early, self._early = self._early, []
        self._hear = hear
        for data in early:
            hear(data)

    def write(self, data: bytes, *, text: bool) -> None:
        """Send one message, if the connection is open."""
        if self.protocol.state is not State.OPEN:
            return
        if self._mask == len(self._masks):
            self._masks, self._mask = os.urandom(4 * MASKS), 0
        mask = self._masks[self._mask : self._mask + 4]
        self._mask += 4
        self.transport.write(masked_frame(data, mask, text=text))

    def data_received(self, data: bytes) -> None:
        size = len(data)
        if self._begun or self.response is None or size < 2 or self._parts is not None or self._broken:
            self._take_apart(data)
            return
        length, start = data[1], 2
        if length == SHORT and size > 4:
            length, start = data[2] << 8 | data[3], 4
        if data[0] in (BINARY, TEXT) and size == start + length and (length < SHORT) is (start == 2):
            self._take(data[start:])  # the usual case: exactly one message
        else:
            self._take_apart(data)

    def _take_apart(self, data: bytes) -> None:
        """Handle each complete message, leave all other frames to the library, keep an incomplete one."""
        if self.response is None and not self._broken:
            data = self._shake_hands(data)
            if self.response is None and not self._broken:
                return
        data = self._begun + data
        at, self._begun = 0, b""
        while not self._broken and (bounds := frame_at(data, at)) is not None:
            start, end = bounds
            if end - start > MAX_BYTES:
                self._broken = True  # the library reports it, and ends the connection
            elif end > len(data):
                break
            elif (
                data[at] in (BINARY, TEXT)
                and start - at in (2, 4)
                and not data[at + 1] & MASKED
                and self._parts is None
            ):
                self._take(data[start:end])
                at = end
            else:
                super().data_received(data[at:end])
                at = end
        if self._broken:
            super().data_received(data[at:])
        else:
            self._begun = data[at:]

    def _shake_hands(self, data: bytes) -> bytes:
        """Leave the response to the library; return the data after it."""
        seen = self._begun + data
        at = seen.find(HEAD_END)
        if at < 0:
            self._begun = seen[1 - len(HEAD_END) :]
            super().data_received(data)
            return b""
        cut = at + len(HEAD_END) - len(self._begun)
        self._begun = b""
        super().data_received(data[:cut])
        self._broken = self.protocol.state is not State.OPEN  # not a WebSocket: the rest is the library's, too
        return data[cut:]

    def process_event(self, event: Event) -> None:
        if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            self._take_part(event)
        else:
            super().process_event(event)

    def _take_part(self, frame: Frame) -> None:
        if self._parts is None:
            self._parts = bytearray()
        self._parts += frame.data
        if frame.fin:
            data, self._parts = bytes(self._parts), None
            self._take(data)

    def _take(self, data: bytes) -> None:
        if self.protocol.state is not State.OPEN:
            return
        if self._hear is not None:
            self._hear(data)
        else:
            self._early.append(data)

    def pause_writing(self) -> None:
        """Stop reading while the server does not read, so that nothing piles up here."""
        super().pause_writing()
        if not self.transport.is_closing():
            self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if not self.gone.done():
            self.gone.set_result(None)


class WebSocketLink:
    """One connection; see `Link`."""

    def __init__(self, socket: BotSocket, encoding: Encoding) -> None:
        self._socket = socket
        self._encoding = encoding
        self._text = encoding is Encoding.JSON
        self._hear: Hear | None = None

    def send(self, message: BotMessage) -> None:
        self._socket.write(wire.encode(message, self._encoding), text=self._text)

    async def listen(self, hear: Hear) -> None:
        self._hear, gone = hear, self._socket.gone
        try:
            self._socket.listen(self._take)
            await asyncio.wait([gone])
        finally:
            self._hear = None  # ignore messages while leaving
        gone.result()
        raise _lost(self._socket.protocol.close_exc)

    def _take(self, data: bytes) -> None:
        hear, gone = self._hear, self._socket.gone
        if hear is None or gone.done():
            return
        message: Any
        try:
            message = wire.decode_from_server(data, self._encoding)
        except WireError as error:
            message = error
        try:
            hear(message)
        except Exception as error:  # noqa: BLE001  # raised in `listen`
            if not gone.done():
                gone.set_exception(error)


class WebSocketTransport:
    """A transport to `url`; see `Transport`."""

    hello_again_s: float | None = None

    def __init__(self, url: str, encoding: Encoding = Encoding.MSGPACK) -> None:
        """Parse `url`. Raises BadBot if it is not an address of a server."""
        self.url = bot_url(url)
        self._encoding = encoding

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Link]:
        wanted = Subprotocol(self._encoding.subprotocol)
        try:
            socket = await self._open(wanted)
        except InvalidStatus as error:
            raise _turned_away(self.url, error) from None
        except (TimeoutError, OSError, InvalidHandshake) as error:
            raise LinkLost(f"cannot connect to {self.url}: {error or type(error).__name__} (is it running?)") from None
        try:
            if socket.subprotocol != wanted:
                raise RefusedByServer("unsupported-protocol", f"{self.url} does not speak {wanted}")
            yield WebSocketLink(socket, self._encoding)
        finally:
            await socket.close()  # with code 1000; `async with` would report an error in our code as 1011

    async def _open(self, subprotocol: Subprotocol) -> BotSocket:
        options: dict[str, Any] = {
            "create_connection": BotSocket,
            "subprotocols": [subprotocol],
            "compression": None,  # it costs more than it saves on messages of a hundred bytes
            "max_size": MAX_BYTES,
            "open_timeout": OPEN_S,
            "close_timeout": CLOSE_S,
        }
        parts = urlsplit(self.url)
        if parts.scheme == UNIX:
            opened = await unix_connect(unquote(parts.path), f"ws://localhost{endpoints.BOT}", **options)
        else:
            opened = await connect(self.url, proxy=None if _is_local(self.url) else True, **options)
        assert isinstance(opened, BotSocket)
        return opened


def _turned_away(url: str, error: InvalidStatus) -> LinkLost | RefusedByServer:
    status, headers = error.response.status_code, error.response.headers
    said = _sentence(error.response.body)
    if status >= 500 or status == 429:
        sentence = f"{url} answers HTTP {status}; {said or 'it may be starting'}"
        wait = headers.get("Retry-After", "")
        return ToldToWait(sentence, float(wait)) if wait.isdecimal() else LinkLost(sentence)
    if status == 404:
        return RefusedByServer("not-found", f"{url} is no Palio server; check host, port and path")
    return RefusedByServer(f"http-{status}", said or f"{url} answers HTTP {status}")


def _sentence(body: bytes | bytearray | None) -> str:
    """Return the reason in a server's answer; "" if it is not a Palio server's."""
    try:
        return str(json.loads(body or b"")["error"]["reason"])
    except (ValueError, LookupError, TypeError):
        return ""


def _lost(error: ConnectionClosed) -> LinkLost | RefusedByServer:
    close = error.rcvd
    if close is None:
        return LinkLost("the connection broke")
    if close.code == REPLACED:
        return RefusedByServer("replaced", close.reason or "another connection has taken this session over")
    return LinkLost(f"the server closed the connection ({close.code}{': ' + close.reason if close.reason else ''})")


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
