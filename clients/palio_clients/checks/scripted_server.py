"""The server of a check: real sockets on this machine, which send only what a check sends.

As on a real server, one port takes WebSockets and JSON lines, and lines are split by the same rules, empty ones
ignored. Programs may connect by a Unix socket, if the system has what `palio run` uses for them.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from urllib.parse import quote

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from palio_clients.checks.subject import CheckFailed, NoAnswer
from palio_clients.sdk.lines import Lines
from palio_clients.sdk.transport import can_be_handed_on
from palio_rules.contract import codec as wire
from palio_rules.contract.codec import Encoding
from palio_rules.contract.messages import BotMessage, ServerMessage
from palio_rules.errors import WireError
from palio_rules.temporary import TemporaryFolder

SERVER = "palio check-bot"
FIRST = b"{"  # of every connection of JSON lines, after empty lines
PAUSE_S, TAKEN_S = 0.005, 1.0  # between two checks whether a piece was read; until the next one is sent anyway


class ConnectionEnded(Exception):
    """The error that the bot has closed the connection."""


class Connection(ABC):
    """One connection of the bot, which receives and sends messages."""

    encoding: Encoding | None = None  # None: it has asked for no subprotocol

    async def send(self, *sent: ServerMessage) -> None:
        for message in sent:
            await self.send_raw(wire.encode(message, self.encoding or Encoding.MSGPACK))

    async def send_raw(self, data: bytes) -> None:
        try:
            await self._write(data)
        except ConnectionEnded:
            raise self._closed() from None

    async def receive(self, seconds: float, expected: str) -> BotMessage:
        """Return the bot's next message. Raises CheckFailed if it is invalid, or does not come within `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                data = await self._read()
        except TimeoutError:
            raise NoAnswer(
                f"no {expected} within {seconds:g} s", f"send {expected}; see docs/reference/protocol.md"
            ) from None
        except ConnectionEnded:
            raise self._closed() from None
        try:
            return wire.decode_from_bot(data, self.encoding or Encoding.MSGPACK)
        except WireError as error:
            raise CheckFailed(
                f"sends {data[:60]!r} where {expected} is due: {error} ({error.code})",
                "send exactly the fields that docs/reference/protocol.md lists for the message",
            ) from None

    async def receive_all(self, seconds: float) -> list[BotMessage]:
        """Return all messages that the bot sends within `seconds`."""
        received: list[BotMessage] = []
        try:
            async with asyncio.timeout(seconds):
                while True:
                    data = await self._read()
                    received.append(wire.decode_from_bot(data, self.encoding or Encoding.MSGPACK))
        except (TimeoutError, ConnectionEnded):
            return received
        except WireError as error:
            raise CheckFailed(
                f"sends {data[:60]!r}, which is no message: {error}", "send messages of the protocol only"
            ) from None

    @property
    @abstractmethod
    def alive(self) -> bool: ...

    @abstractmethod
    def cut(self) -> None:
        """Break the connection without a close message, as a network does."""

    @abstractmethod
    async def close(self) -> None: ...

    @abstractmethod
    async def _read(self) -> bytes:
        """Return the next message. Raises ConnectionEnded."""

    @abstractmethod
    async def _write(self, data: bytes) -> None:
        """Send one message. Raises ConnectionEnded."""

    def _closed(self) -> CheckFailed:
        return CheckFailed(f"closes the connection{self._how()}", "stay connected; see what the bot itself prints")

    def _how(self) -> str:
        return ""


class FrameConnection(Connection):
    """A WebSocket connection."""

    def __init__(self, socket: ServerConnection) -> None:
        protocol = socket.subprotocol
        self.encoding = Encoding(wire.SUBPROTOCOLS[protocol]) if protocol else None
        self._socket = socket

    async def _read(self) -> bytes:
        try:
            return await self._socket.recv(decode=False)
        except ConnectionClosed:
            raise ConnectionEnded from None

    async def _write(self, data: bytes) -> None:
        try:
            await self._socket.send(data, text=self.encoding is Encoding.JSON)
        except ConnectionClosed:
            raise ConnectionEnded from None

    @property
    def alive(self) -> bool:
        return self._socket.close_code is None

    def cut(self) -> None:
        self._socket.transport.abort()

    async def close(self) -> None:
        await self._socket.close(1001, "the check is over")

    def _how(self) -> str:
        return f" ({self._socket.close_code})"


class JsonLinesConnection(Connection):
    """A connection with JSON lines."""

    encoding = Encoding.JSON

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._lines, self._came = Lines(), deque[bytes | None]()
        self._held: list[bytes] | None = None  # bytes that are to be written together
        self.of_program = False  # a server accepts a program's output that is not a message

    def hold(self) -> None:
        """Write nothing before `release`."""
        self._held = self._held or []

    async def release(self, pieces: int = 1) -> None:
        """Write the held bytes, in so many pieces. Raises CheckFailed."""
        data, self._held = b"".join(self._held or ()), None
        size = max(1, -(-len(data) // pieces))
        try:
            for at in range(0, len(data), size):
                self._writer.write(data[at : at + size])
                await self._writer.drain()
                if pieces > 1:
                    await self._taken()
        except OSError:
            raise self._closed() from None

    async def _taken(self) -> None:
        """Wait until the bot has read what was written, so that it does not read two pieces at once. Linux only."""
        import fcntl  # noqa: PLC0415  # not on Windows
        import termios  # noqa: PLC0415  # as above

        end = self._writer.get_extra_info("socket")
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(TAKEN_S):
                while fcntl.ioctl(end.fileno(), termios.TIOCOUTQ, bytes(4)) != bytes(4):  # noqa: ASYNC110  # the kernel's
                    await asyncio.sleep(PAUSE_S)

    async def _read(self) -> bytes:
        while True:
            while self._came:
                line = self._came.popleft()
                if line is None:
                    line = b" " * (wire.MAX_BYTES + 1)  # refused as too long, as on the network
                elif wire.is_blank(line) or (self.of_program and _is_stray(line)):
                    continue
                return line
            try:
                data = await self._reader.read(wire.MAX_BYTES)
            except OSError:
                data = b""
            self._came += self._lines.feed(data) if data else self._lines.end()
            if not data and not self._came:
                raise ConnectionEnded

    async def _write(self, data: bytes) -> None:
        if self._held is not None:
            self._held.append(data + b"\n")
            return
        try:
            self._writer.write(data + b"\n")
            await self._writer.drain()
        except OSError:
            raise ConnectionEnded from None

    @property
    def alive(self) -> bool:
        return not self._reader.at_eof() and not self._writer.is_closing()

    def cut(self) -> None:
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.close()


class ScriptedServer:
    """A server for the bot's connections at `url`, and those of its programs at `unix_url`."""

    def __init__(self) -> None:
        self.url = self.unix_url = ""  # set when it listens; "": no such sockets
        self._connections: asyncio.Queue[Connection] = asyncio.Queue()
        self._of_programs: asyncio.Queue[Connection] = asyncio.Queue()
        self._of_lines: list[JsonLinesConnection] = []

    async def connection(self, url: str) -> Connection:
        """Return the next connection by `url` that is still open."""
        coming = self._of_programs if url == self.unix_url else self._connections
        while not (connection := await coming.get()).alive:
            pass
        return connection

    async def take(self, socket: ServerConnection) -> None:
        self._connections.put_nowait(FrameConnection(socket))
        await socket.wait_closed()

    def take_lines(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.put_nowait(self._new_lines(reader, writer))

    def take_program(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._of_programs.put_nowait(self._new_lines(reader, writer))

    def _new_lines(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> JsonLinesConnection:
        self._of_lines.append(JsonLinesConnection(reader, writer))
        return self._of_lines[-1]

    def cut_lines(self) -> None:
        """Drop all connections of lines; those of WebSockets end with their server."""
        for connection in self._of_lines:
            connection.cut()


def _first_byte(scripted: ScriptedServer) -> type[ServerConnection]:
    """Return the connection factory for `serve`: the first byte decides the kind of a connection."""

    class FirstByte(ServerConnection):
        """A connection that becomes a WebSocket or JSON lines when its first byte comes."""

        began: asyncio.Transport | None = None
        is_websocket = False
        early = b""

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            self.began = transport

        def data_received(self, data: bytes) -> None:
            if self.is_websocket:
                super().data_received(data)
                return
            self.early += data
            assert self.began is not None
            if self.early.lstrip().startswith(FIRST):
                _become_lines(self.began, self.early, scripted)
            elif not wire.is_blank(self.early):
                self.is_websocket = True
                super().connection_made(self.began)
                super().data_received(self.early)

        def eof_received(self) -> None:
            if self.is_websocket:
                super().eof_received()

        def connection_lost(self, exc: Exception | None) -> None:
            if self.is_websocket:
                super().connection_lost(exc)

    return FirstByte


@asynccontextmanager
async def open_server(port: int = 0) -> AsyncIterator[ScriptedServer]:
    """Listen on loopback, on any free port unless one is given."""
    scripted = ScriptedServer()
    async with AsyncExitStack() as stack:
        serving = serve(
            scripted.take,
            "127.0.0.1",
            port,
            subprotocols=[Subprotocol(name) for name in wire.SUBPROTOCOLS],
            select_subprotocol=_first_known,
            compression=None,
            max_size=wire.MAX_BYTES,
            close_timeout=1,
            create_connection=_first_byte(scripted),
        )
        server = await stack.enter_async_context(serving)
        scripted.url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/ws/bot"
        path = stack.enter_context(TemporaryFolder("s")) / "s"
        unix_url = f"ws+unix://{quote(str(path))}"
        if can_be_handed_on(unix_url):
            await stack.enter_async_context(await asyncio.start_unix_server(scripted.take_program, path))
            scripted.unix_url = unix_url
        stack.callback(scripted.cut_lines)
        yield scripted


def _is_stray(line: bytes) -> bool:
    try:
        wire.decode_from_bot(line, Encoding.JSON)
    except WireError:
        return True
    return False


def _become_lines(transport: asyncio.Transport, early: bytes, scripted: ScriptedServer) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    transport.set_protocol(protocol)
    protocol.connection_made(transport)
    protocol.data_received(early)
    scripted.take_lines(reader, asyncio.StreamWriter(transport, protocol, reader, loop))


def _first_known(_: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """Return the bot's first known subprotocol, or none: it may connect anyway, and a check reports the error."""
    return next((name for name in offered if name in wire.SUBPROTOCOLS), None)
