"""Talks to the server over a WebSocket: one message a frame, in MessagePack or JSON as the subprotocol says."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from urllib.parse import urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.typing import Subprotocol

from palio_clients.sdk.failures import LinkLost, RefusedByServer
from palio_clients.sdk.transport import WEBSOCKET, Link, address
from palio_rules.contract import codec as wire
from palio_rules.contract import endpoints
from palio_rules.contract.codec import Encoding
from palio_rules.contract.endpoints import REPLACED
from palio_rules.contract.messages import BotMessage, ServerMessage
from palio_rules.errors import WireError

OPEN_S = 10.0
CLOSE_S = 2.0  # how long to wait for the server's close frame


def bot_url(text: str) -> str:
    """The address of the bots' WebSocket: `http://host:8000`, `ws://host:8000/ws/bot` and the like all mean the same.

    Raises BadBot, with the remedy, for what is no such address.
    """
    parts = address(text, WEBSOCKET)
    path = parts.path.rstrip("/")
    if not path.endswith(endpoints.BOT):
        path += endpoints.BOT
    return urlunsplit(("wss" if parts.scheme in ("wss", "https") else "ws", parts.netloc, path, parts.query, ""))


class WebSocketLink:
    """One connection; see `Link`."""

    def __init__(self, socket: ClientConnection, encoding: Encoding) -> None:
        self._socket = socket
        self._encoding = encoding

    async def send(self, message: BotMessage) -> None:
        data = wire.encode(message, self._encoding)
        try:
            await self._socket.send(data, text=self._encoding is Encoding.JSON)
        except ConnectionClosed as error:
            raise _lost(error) from None

    async def receive(self) -> ServerMessage | WireError:
        try:
            frame = await self._socket.recv(decode=False)
        except ConnectionClosed as error:
            raise _lost(error) from None
        try:
            return wire.decode_from_server(frame, self._encoding)
        except WireError as error:
            return error


class WebSocketTransport:
    """Connects to `url`; see `Transport`."""

    hello_again_s: float | None = None

    def __init__(self, url: str, encoding: Encoding = Encoding.MSGPACK) -> None:
        """Raises BadBot if `url` is no address of a server."""
        self.url = bot_url(url)
        self._encoding = encoding

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Link]:
        wanted = Subprotocol(self._encoding.subprotocol)
        try:
            socket = await connect(
                self.url,
                subprotocols=[wanted],
                compression=None,  # it costs more than it saves on messages of a hundred bytes
                max_size=wire.MAX_BYTES,
                open_timeout=OPEN_S,
                close_timeout=CLOSE_S,
                proxy=None if _is_local(self.url) else True,
            )
        except InvalidStatus as error:
            raise _turned_away(self.url, error) from None
        except (TimeoutError, OSError, InvalidHandshake) as error:
            raise LinkLost(f"cannot connect to {self.url}: {error or type(error).__name__}; is it running?") from None
        try:
            if socket.subprotocol != wanted:
                raise RefusedByServer("unsupported-protocol", f"{self.url} does not speak {wanted}")
            yield WebSocketLink(socket, self._encoding)
        finally:
            await socket.close()  # with code 1000; `async with` would report an error of ours as 1011


def _turned_away(url: str, error: InvalidStatus) -> LinkLost | RefusedByServer:
    status = error.response.status_code
    if status >= 500 or status == 429:
        return LinkLost(f"{url} answers HTTP {status}; it may be starting")
    if status == 404:
        return RefusedByServer("not-found", f"{url} is no Palio server; check host, port and path")
    return RefusedByServer(f"http-{status}", f"{url} answers HTTP {status}")


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
