"""The server's end of a bot's own socket (`bot_listener.py`): it speaks the bots' protocol and nothing else.

A connection begins with a message in JSON lines, or with the request for the WebSocket of bots. At the first byte of
anything else it is closed, without an answer. There are as many connections at a time as the program plays matches;
further ones wait in the kernel, where they cost nothing. The cost of the rest is counted (`edge/accounts.py`).
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus
from typing import Any, Protocol, cast

from websockets.http11 import Request
from websockets.server import ServerProtocol

from palio_rules.contract.codec import MAX_BYTES
from palio_rules.contract.endpoints import BOT
from palio_server.network.bot_listener import BotListener
from palio_server.network.corked_socket import CorkedSocket
from palio_server.network.entrance import Entrance, Visit
from palio_server.network.line_socket import FIRST, LineSocket
from palio_server.network.websocket import WebSocket

REQUEST, END = f"GET {BOT} HTTP/1.1\r\n".encode(), b"\r\n\r\n"
HEAD_S, HEAD = 5.0, 8192  # seconds and bytes until the end of the request, or the first message
CONNECTION_S = 0.002  # what a connection costs the server from its beginning to its end
PATIENCE_S = 1.5  # seconds for connections to say goodbye when the server ends


class Bots(Protocol):
    """The server of bots' connections: `gateway.BotEndpoint`."""

    def websocket(
        self, socket: WebSocket, chosen: str | None, own: BotListener | None = None
    ) -> Coroutine[Any, Any, None]:
        """Serve a bot until it is gone."""

    def lines(self, socket: LineSocket, own: BotListener | None = None) -> Coroutine[Any, Any, None]:
        """Serve a bot that sends JSON lines until it is gone."""

    def subprotocol(self, offered: Iterable[str]) -> str | None:
        """Return the subprotocol that is spoken with a bot that offers these."""


class OwnSockets:
    """All bots' own sockets of a server."""

    def __init__(self, bots: Bots, entrance: Entrance) -> None:
        self.bots, self.entrance = bots, entrance
        self.connections: set[Any] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self._doors: list[Door] = []

    def serve(self, listener: BotListener) -> None:
        """Accept its bot's connections from now on."""
        self._doors.append(Door(self, listener))

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do `work` until the server ends."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def end(self) -> None:
        """End all connections: a bot is told that the server ends."""
        for door in self._doors:
            door.shut()
        for connection in list(self.connections):
            connection.shutdown()
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=PATIENCE_S)
        for connection in list(self.connections):
            connection.transport.abort()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


@asynccontextmanager
async def serving_own(
    bots: Bots, entrance: Entrance, own: Iterable[BotListener], late: list[Callable[[BotListener], None]]
) -> AsyncIterator[None]:
    """Serve the bots' sockets in `own` while the context lasts. The functions in `late` are called with later ones."""
    sockets = OwnSockets(bots, entrance)
    for listener in own:
        sockets.serve(listener)
    late.append(sockets.serve)
    try:
        yield
    finally:
        late.remove(sockets.serve)
        await sockets.end()


class Door:
    """The place where one bot's connections are accepted: a source of its account."""

    in_turn = False

    def __init__(self, sockets: OwnSockets, listener: BotListener) -> None:
        self.sockets, self.listener = sockets, listener
        self.account = listener.awaited.account
        self._loop = asyncio.get_running_loop()
        self._connections = 0
        self._held = self._reads = self._ended = False
        self.account.open(self)
        self._update()

    def hold(self) -> None:
        self._held = True
        self._update()

    def release(self) -> None:
        self._held = False
        self._update()

    def lost(self) -> None:
        """Note that a connection has ended."""
        self._connections -= 1
        self._update()

    def shut(self) -> None:
        self._ended = True
        self._update()
        self.account.close(self)

    def _update(self) -> None:
        """Accept connections as long as there is room and time for them."""
        accepts = not self._held and not self._ended and self._connections < self.listener.slots
        if accepts and not self._reads:
            self._loop.add_reader(self.listener.sock.fileno(), self._accept)
        elif not accepts and self._reads:
            self._loop.remove_reader(self.listener.sock.fileno())
        self._reads = accepts

    def _accept(self) -> None:
        try:
            end, _ = self.listener.sock.accept()
        except OSError:  # the peer has gone, or there is no free descriptor; then the next try waits a while
            self.account.pay(CONNECTION_S)
            return
        self._connections += 1
        self.sockets.run(self._connect(end))
        self.account.pay(CONNECTION_S)
        self._update()

    async def _connect(self, end: socket.socket) -> None:
        end.setblocking(False)
        try:
            await self._loop.connect_accepted_socket(partial(OwnConnection, self), end)
        except OSError:  # it has gone
            end.close()
            self.lost()


class OwnConnection(asyncio.Protocol):
    """A connection by a bot's own socket: the reading of it is counted."""

    transport: asyncio.Transport
    _visit: Visit

    def __init__(self, door: Door) -> None:
        self._door, self._account = door, door.account
        self._begun = b""  # until it is known what is spoken
        self._socket: CorkedSocket | None = None
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is one, but no subclass
        self._visit = self._door.sockets.entrance.visit(self.transport)
        self._visit.account = self._account
        self._door.sockets.connections.add(self)
        self._deadline = asyncio.get_running_loop().call_later(HEAD_S, self.transport.abort)

    def data_received(self, data: bytes) -> None:
        if (socket := self._socket) is not None:
            self._account.begin(socket)
            try:
                socket.data_received(data)
            finally:
                self._account.end()
            return
        self._begun += data
        if self._begun.startswith(FIRST):
            self._become_lines()
        elif not REQUEST.startswith(self._begun[: len(REQUEST)]) or len(self._begun) > HEAD:
            self.transport.abort()
        elif END in self._begun:
            self._become_websocket()

    def _become_lines(self) -> None:
        sockets = self._door.sockets
        socket = LineSocket(self.transport, sockets.connections, asyncio.Event(), self._visit)
        self._become(socket, sockets.bots.lines(socket, self._door.listener))
        socket.data_received(self._begun)

    def _become_websocket(self) -> None:
        head, _, early = self._begun.partition(END)
        wire = ServerProtocol(max_size=MAX_BYTES)
        wire.receive_data(head + END)
        request = next(iter(wire.events_received()), None)
        response = wire.accept(request) if isinstance(request, Request) else None
        if response is None or response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            self.transport.abort()
            return
        assert isinstance(request, Request)
        sockets = self._door.sockets
        offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol")).replace(" ", "").split(",")
        if (chosen := sockets.bots.subprotocol(offered)) is not None:
            response.headers["Sec-WebSocket-Protocol"] = chosen
        elif offered != [""]:
            self.transport.abort()
            return
        wire.send_response(response)
        self.transport.write(b"".join(wire.data_to_send()))
        self.transport.pause_reading()  # until it has a listener
        socket = WebSocket(self.transport, wire, sockets.connections, asyncio.Event(), self._visit, early)
        self._become(socket, sockets.bots.websocket(socket, chosen, self._door.listener))

    def _become(self, socket: CorkedSocket, served: Coroutine[Any, Any, None]) -> None:
        """Let `socket` have the connection; it is `served` until it is gone."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._door.sockets.connections.discard(self)
        self._socket = socket
        self._account.open(socket)
        self._door.sockets.run(served)

    def eof_received(self) -> bool | None:
        return None if self._socket is None else self._socket.eof_received()

    def pause_writing(self) -> None:
        if self._socket is not None:
            self._socket.pause_writing()

    def resume_writing(self) -> None:
        if self._socket is not None:
            self._socket.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        if self._socket is not None:
            self._account.close(self._socket)
            self._socket.connection_lost(exc)
        else:
            self._door.sockets.connections.discard(self)
            self._visit.lost()
        self._door.lost()

    def shutdown(self) -> None:
        """End it because the server ends: nothing has been said yet."""
        self.transport.abort()
