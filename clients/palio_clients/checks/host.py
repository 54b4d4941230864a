"""The checker's own server: a real WebSocket on loopback, whose every message is under the checks' control."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from palio_clients.checks.finding import CheckFailed, Silence
from palio_rules import messages, wire
from palio_rules.errors import WireError
from palio_rules.messages import BotMessage, ServerMessage
from palio_rules.wire import Encoding

SERVER = "palio check-bot"


class Call:
    """One connection of the bot."""

    def __init__(self, socket: ServerConnection) -> None:
        protocol = socket.subprotocol
        self.encoding = Encoding(wire.SUBPROTOCOLS[protocol]) if protocol else None
        self.hello: messages.Hello | None = None
        self._socket = socket

    async def say(self, *said: ServerMessage) -> None:
        for message in said:
            await self.say_raw(wire.encode(message, self.encoding or Encoding.MSGPACK))

    async def say_raw(self, data: bytes) -> None:
        try:
            await self._socket.send(data, text=self.encoding is Encoding.JSON)
        except ConnectionClosed:
            raise self._hung_up() from None

    async def hear(self, seconds: float, expected: str) -> BotMessage:
        """The bot's next message. Raises CheckFailed if it is none, or does not come within `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                data = await self._socket.recv(decode=False)
        except TimeoutError:
            raise Silence(f"no {expected} within {seconds:g} s", f"send {expected}; see docs/protocol.md") from None
        except ConnectionClosed:
            raise self._hung_up() from None
        try:
            return wire.decode_from_bot(data, self.encoding or Encoding.MSGPACK)
        except WireError as error:
            raise CheckFailed(
                f"sends {data[:60]!r} where {expected} is due: {error} ({error.code})",
                "send exactly the fields that docs/protocol.md lists for the message",
            ) from None

    async def overhear(self, seconds: float) -> list[BotMessage]:
        """Whatever the bot says within `seconds`."""
        heard: list[BotMessage] = []
        end = asyncio.get_running_loop().time() + seconds
        while (left := end - asyncio.get_running_loop().time()) > 0:
            try:
                async with asyncio.timeout(left):
                    data = await self._socket.recv(decode=False)
            except (TimeoutError, ConnectionClosed):
                break
            try:
                heard.append(wire.decode_from_bot(data, self.encoding or Encoding.MSGPACK))
            except WireError as error:
                raise CheckFailed(
                    f"sends {data[:60]!r}, which is no message: {error}", "send messages of the protocol only"
                ) from None
        return heard

    @property
    def alive(self) -> bool:
        return self._socket.close_code is None

    def cut(self) -> None:
        """Break the connection without a goodbye, as a network does."""
        self._socket.transport.abort()

    async def close(self) -> None:
        await self._socket.close(1001, "the check is over")

    def _hung_up(self) -> CheckFailed:
        return CheckFailed(
            f"closes the connection ({self._socket.close_code})",
            "stay connected; the reason is in the bot's own output",
        )


class Host:
    """Takes calls at `url`, one after the other."""

    def __init__(self, port: int) -> None:
        self.url = f"ws://127.0.0.1:{port}/ws/bot"
        self._calls: asyncio.Queue[Call] = asyncio.Queue()

    async def call(self) -> Call:
        """The next connection that stands."""
        while not (call := await self._calls.get()).alive:
            pass
        return call

    async def _take(self, socket: ServerConnection) -> None:
        self._calls.put_nowait(Call(socket))
        await socket.wait_closed()


@asynccontextmanager
async def open_host(port: int = 0) -> AsyncIterator[Host]:
    """Listen on loopback, on any free port unless one is given."""
    host = Host(port)
    protocols = [Subprotocol(name) for name in wire.SUBPROTOCOLS]
    async with serve(
        host._take,  # noqa: SLF001  # the two are one
        "127.0.0.1",
        port,
        subprotocols=protocols,
        select_subprotocol=_first_known,
        compression=None,
        max_size=wire.MAX_BYTES,
        close_timeout=1,
    ) as server:
        host.url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/ws/bot"
        yield host


def _first_known(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The bot's first choice that we know; None lets it in all the same, so that a check can say what is wrong."""
    return next((name for name in offered if name in wire.SUBPROTOCOLS), None)
