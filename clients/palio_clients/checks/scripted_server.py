"""The server of a check: a real WebSocket on loopback, which sends what a check wants and nothing else."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from palio_clients.checks.finding import CheckFailed, Silence
from palio_rules.contract import codec as wire
from palio_rules.contract.codec import Encoding
from palio_rules.contract.messages import BotMessage, ServerMessage
from palio_rules.errors import WireError

SERVER = "palio check-bot"


class Connection:
    def __init__(self, socket: ServerConnection) -> None:
        protocol = socket.subprotocol
        self.encoding = Encoding(wire.SUBPROTOCOLS[protocol]) if protocol else None
        self._socket = socket

    async def send(self, *sent: ServerMessage) -> None:
        for message in sent:
            await self.send_raw(wire.encode(message, self.encoding or Encoding.MSGPACK))

    async def send_raw(self, data: bytes) -> None:
        try:
            await self._socket.send(data, text=self.encoding is Encoding.JSON)
        except ConnectionClosed:
            raise self._closed() from None

    async def receive(self, seconds: float, expected: str) -> BotMessage:
        """The bot's next message. Raises CheckFailed if it is none, or does not come within `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                data = await self._socket.recv(decode=False)
        except TimeoutError:
            raise Silence(f"no {expected} within {seconds:g} s", f"send {expected}; see docs/protocol.md") from None
        except ConnectionClosed:
            raise self._closed() from None
        try:
            return wire.decode_from_bot(data, self.encoding or Encoding.MSGPACK)
        except WireError as error:
            raise CheckFailed(
                f"sends {data[:60]!r} where {expected} is due: {error} ({error.code})",
                "send exactly the fields that docs/protocol.md lists for the message",
            ) from None

    async def receive_all(self, seconds: float) -> list[BotMessage]:
        """All that the bot sends within `seconds`."""
        received: list[BotMessage] = []
        try:
            async with asyncio.timeout(seconds):
                while True:
                    data = await self._socket.recv(decode=False)
                    received.append(wire.decode_from_bot(data, self.encoding or Encoding.MSGPACK))
        except (TimeoutError, ConnectionClosed):
            return received
        except WireError as error:
            raise CheckFailed(
                f"sends {data[:60]!r}, which is no message: {error}", "send messages of the protocol only"
            ) from None

    @property
    def alive(self) -> bool:
        return self._socket.close_code is None

    def cut(self) -> None:
        """Break the connection without a close frame, as a network does."""
        self._socket.transport.abort()

    async def close(self) -> None:
        await self._socket.close(1001, "the check is over")

    def _closed(self) -> CheckFailed:
        return CheckFailed(
            f"closes the connection ({self._socket.close_code})",
            "stay connected; the reason is in the bot's own output",
        )


class ScriptedServer:
    """Takes the bot's connections at `url`."""

    def __init__(self) -> None:
        self.url = ""  # known once it listens
        self._connections: asyncio.Queue[Connection] = asyncio.Queue()

    async def connection(self) -> Connection:
        """The next connection that is still open."""
        while not (connection := await self._connections.get()).alive:
            pass
        return connection

    async def take(self, socket: ServerConnection) -> None:
        self._connections.put_nowait(Connection(socket))
        await socket.wait_closed()


@asynccontextmanager
async def open_server(port: int = 0) -> AsyncIterator[ScriptedServer]:
    """Listen on loopback, on any free port unless one is given."""
    scripted = ScriptedServer()
    async with serve(
        scripted.take,
        "127.0.0.1",
        port,
        subprotocols=[Subprotocol(name) for name in wire.SUBPROTOCOLS],
        select_subprotocol=_first_known,
        compression=None,
        max_size=wire.MAX_BYTES,
        close_timeout=1,
    ) as server:
        scripted.url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/ws/bot"
        yield scripted


def _first_known(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The bot's first choice that we know. Without one it may connect all the same: a check says what is wrong."""
    return next((name for name in offered if name in wire.SUBPROTOCOLS), None)
