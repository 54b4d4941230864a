"""The network between bots and servers: connections that are slow, careless, cut at either end, or silent.

On the server's side are the product's own sockets, which get and write bytes of WebSocket frames or lines. Nothing is
lost or overtaken on a connection while it is whole, as in TCP; a careless one stands for a proxy that is not.
"""

import asyncio
import socket
from collections import deque
from typing import TYPE_CHECKING, Any

from websockets.protocol import State
from websockets.server import ServerProtocol

from palio_rules.contract.codec import BINARY, Encoding, decode_from_server, encode, frame_at, masked_frame
from palio_rules.contract.messages import BotMessage, ServerMessage
from palio_server.network.handshake import EXTENSION
from palio_server.network.line_socket import LineSocket
from palio_server.network.websocket import WebSocket
from palio_simulation.ledger import Arrival

if TYPE_CHECKING:
    from palio_simulation.bots import Instance
    from palio_simulation.process import Incarnation
    from palio_simulation.world import World

TEXT, CLOSE, PING, PONG = 0x81, 0x88, 0x89, 0x8A
MASK = b"\1\2\3\4"
PONG_FRAME = 0x8A


class KernelSocket:
    """The part of a socket that the product reads: when the last bytes came, read or not."""

    family = socket.AF_INET

    def __init__(self, link: "Link") -> None:
        self._link = link

    def setsockopt(self, *_: Any) -> None: ...

    def getsockopt(self, *_: Any) -> bytes:
        return b"\0" * 52 + int(self._link.silent_s() * 1000).to_bytes(4, "little")

    def fileno(self) -> int:
        return -1


class ServerTransport(asyncio.Transport):
    """The server's end of a connection."""

    def __init__(self, link: "Link") -> None:
        super().__init__()
        self._link = link
        self._protocol: Any = None
        self._paused = self._closing = self._lost = False
        self._unread = b""
        self._looks = False

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def get_protocol(self) -> Any:
        return self._protocol

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        if name == "peername":
            return self._link.address, 1
        return KernelSocket(self._link) if name == "socket" else default

    def is_closing(self) -> bool:
        return self._closing

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: Any) -> None:
        if data and not self._lost and not self._closing:
            self._link.down(bytes(data))

    def write_eof(self) -> None:
        self._link.end_down()

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        if self._paused:
            self._paused = False
            self._link.world.loop.call_soon(self._read_on)

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._link.end_down()
            self._link.world.loop.call_soon(self.lose)

    def abort(self) -> None:
        self._closing = True
        self._link.end_down()
        self._link.world.loop.call_soon(self.lose)

    # --- what the network does ----------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """Bytes have come. In the server's context, which reads all that are there when it looks next."""
        self._unread += data
        if not self._looks:
            self._looks = True
            self._link.world.loop.call_soon(self._look)

    def _look(self) -> None:
        self._looks = False
        self._read_on()

    def _read_on(self) -> None:
        if self._unread and not self._paused and not self._lost and not self._closing:
            unread, self._unread = self._unread, b""
            self._link.read()
            self._protocol.data_received(unread)

    def end(self) -> None:
        """The peer has gone. In the server's context."""
        if not self._lost and not self._protocol.eof_received():
            self.close()

    def lose(self) -> None:
        if not self._lost:
            self._lost = self._closing = True
            self._link.gone_at_server()
            self._protocol.connection_lost(None)

    def reset(self) -> None:
        """The process is dead: its kernel says goodbye for it."""
        self._lost = self._closing = True
        self._link.end_down()


class Accepted:
    """A connection in a server's hands."""

    def __init__(self, incarnation: "Incarnation", link: "Link", *, lines: bool) -> None:
        self.incarnation = incarnation
        self.transport = ServerTransport(link)
        self.gone = gone = asyncio.Event()
        endpoint = incarnation.endpoint
        assert endpoint is not None
        visit = incarnation.entrance.visit(self.transport)
        if lines:
            socket = LineSocket(self.transport, incarnation.connections, gone, visit)
            self.protocol: Any = socket
            serving = endpoint.lines(socket)
        else:
            wire = ServerProtocol()
            wire.state = State.OPEN
            self.protocol = websocket = WebSocket(self.transport, wire, incarnation.connections, gone, visit)
            scope = {
                "type": "websocket",
                "path": "/ws/bot",
                "query_string": b"",
                "headers": [],
                "client": (link.address, 1),
                "subprotocols": ["palio.1.msgpack"],
                "extensions": {EXTENSION: {"handshake": _Accepted(websocket)}},
            }
            serving = endpoint(scope, _nothing, _nothing)  # type: ignore[arg-type]
        self.transport.set_protocol(self.protocol)
        self.task = incarnation.world.loop.create_task(serving, name="connection")
        incarnation.accepted.append(self)
        self.task.add_done_callback(lambda _: incarnation.accepted.remove(self))


class _Accepted:
    """A handshake that has been read."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    def accept(self, _subprotocol: str | None = None) -> WebSocket:
        return self._websocket


async def _nothing(*_: Any) -> Any: ...


class Link:
    """One connection of a bot to a server. Times are the loop's seconds, in whole milliseconds."""

    def __init__(self, world: "World", instance: "Instance", incarnation: "Incarnation", number: int) -> None:
        self.world, self.instance, self.incarnation, self.number = world, instance, incarnation, number
        self.address = f"10.1.{number // 250}.{number % 250}"  # of its own: no limit by address is meant for one bot
        self.lines = instance.lines
        self._encoding = Encoding.JSON if self.lines else Encoding.MSGPACK
        self._arrivals: deque[float] = deque(maxlen=64)  # of bytes at the server's machine
        self._come: list[tuple[BotMessage, Arrival | None]] = []  # and is not read yet
        self._last_up = self._last_down = 0.0
        self._ended_down = self.cut_at_bot = self.cut_at_server = False
        self.opened_at = world.loop.time()
        self.closed_at: float | None = None  # at the server
        self.stalled_until = 0.0
        self.accepted = Accepted(incarnation, self, lines=self.lines)
        self.transport = self.accepted.transport

    @property
    def open_at_server(self) -> bool:
        return self.closed_at is None and not self.incarnation.dead

    @property
    def speaks(self) -> bool:
        """Return True if the server has neither lost it nor said goodbye on it."""
        return self.open_at_server and not self.accepted.gone.is_set()

    def speaks_until(self, at: float) -> bool:
        """Return True if the server kept it for so long."""
        return self.closed_at is None or self.closed_at > at

    def silent_s(self) -> float:
        now = self.world.loop.time()
        return now - max((at for at in self._arrivals if at <= now), default=self.opened_at)

    # --- from the bot -------------------------------------------------------------------------------------------------

    def up(self, message: BotMessage) -> None:
        data = encode(message, self._encoding)
        data = data + b"\n" if self.lines else masked_frame(data, MASK)
        for _ in range(self.world.copies(self.instance.name)):
            self._send_up(data, message)

    def _send_up(self, data: bytes, message: BotMessage | None) -> None:
        if self.cut_at_bot:
            return
        world = self.world
        at = self._last_up = max(self._last_up, self.stalled_until, world.loop.time() + world.delay(self.instance.name))
        self._arrivals.append(at)
        arrival = None if message is None else world.ledger.arriving(message, at)
        world.loop.call_at(at, self._arrive_up, data, message, arrival, context=self.incarnation.context)

    def _arrive_up(self, data: bytes, message: BotMessage | None, arrival: Arrival | None) -> None:
        if self.cut_at_server or not self.open_at_server:
            return
        if message is not None:
            self._come.append((message, arrival))
        self.transport.receive(data)

    def read(self) -> None:
        """The server reads all that has come."""
        come, self._come = self._come, []
        for message, arrival in come:
            self.world.ledger.arrived(self.incarnation, self.instance.name, message, arrival, self)

    # --- from the server ----------------------------------------------------------------------------------------------

    def down(self, data: bytes) -> None:
        messages = self._read_lines(data) if self.lines else self._read_frames(data)
        self.world.ledger.sent(self, messages)
        for message in messages:
            for _ in range(self.world.copies(self.instance.name)):
                self._send_down(message)

    def _send_down(self, message: "ServerMessage | int") -> None:
        world = self.world
        at = max(self._last_down, self.stalled_until, world.loop.time() + world.delay(self.instance.name))
        self._last_down = at
        world.call_at(at, self._arrive_down, message)

    def _read_lines(self, data: bytes) -> "list[ServerMessage | int]":
        return [decode_from_server(line, Encoding.JSON) for line in data.splitlines()]

    def _read_frames(self, data: bytes) -> "list[ServerMessage | int]":
        found: list[ServerMessage | int] = []
        at = 0
        while bounds := frame_at(data, at):
            start, end = bounds
            found.append(decode_from_server(data[start:end]) if data[at] == BINARY else data[at])
            if data[at] == PING:
                self.ping = data[start:end]
            at = end
        return found

    def _arrive_down(self, message: "ServerMessage | int") -> None:
        if self.cut_at_bot:
            return
        if message == PING:
            pong = masked_frame(self.ping, MASK)
            self._send_up(bytes([PONG_FRAME]) + pong[1:], None)
        elif message == CLOSE:
            self.leave()
            self.instance.lost(self)
        elif not isinstance(message, int):
            self.instance.hear(self, message)

    def end_down(self) -> None:
        """The server says no more."""
        if not self._ended_down:
            self._ended_down = True
            at = max(self._last_down, self.world.loop.time() + self.world.delay(self.instance.name))
            self.world.call_at(at, self._end_at_bot)

    def _end_at_bot(self) -> None:
        if not self.cut_at_bot:
            self.cut_at_bot = True
            self._tell_server()
            self.instance.lost(self)

    # --- the end ------------------------------------------------------------------------------------------------------

    def leave(self) -> None:
        """The bot hangs up."""
        if not self.cut_at_bot:
            self.cut_at_bot = True
            self._tell_server()

    def cut(self, silent_s: float = 0.0) -> None:
        """The network breaks; the server notices it so many seconds later than the bot."""
        if self.cut_at_bot:
            return
        self.cut_at_bot = self.cut_at_server = True
        self.world.loop.call_later(silent_s, self.transport.lose, context=self.incarnation.context)
        self.instance.lost(self)

    def _tell_server(self) -> None:
        at = max(self._last_up, self.world.loop.time() + self.world.delay(self.instance.name))
        self.world.loop.call_at(at, self._end_at_server, context=self.incarnation.context)

    def _end_at_server(self) -> None:
        if self.open_at_server and not self.cut_at_server:
            self.transport.end()

    def gone_at_server(self) -> None:
        if self.closed_at is None:
            self.closed_at = self.world.loop.time()
