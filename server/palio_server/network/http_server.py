"""The HTTP server on our listeners: uvicorn within our own event loop, without its signal handlers and its `sys.exit`.

It gets our listeners (`listeners.py`), because its own would not name TCP, and our two protocols by its options `http`
and `ws`. Four undocumented parts of it are used: `capture_signals`, which does nothing here; `startup` and `servers`,
to which a Unix socket is added, because uvicorn treats each socket that it is given as one of TCP; and `server_state`,
whose connections are aborted at the end if they have not said goodbye by then.

uvicorn alone waits without end for a peer that does not finish a request, or does not read the answer, and each of them
costs a file descriptor, of which a server has a thousand or so. None of its options helps: `timeout_keep_alive` counts
between two requests only. So its class for h11 is extended where asyncio calls it, and three more undocumented parts
are used: `conn`, the h11 connection, which knows if a request has come whole and is a stricter one here;
`send_400_response`; and `_get_upgrade`, which looks at one header of several. That is why uvicorn's version is capped.
"""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from palio_rules.contract.codec import is_blank
from palio_rules.contract.endpoints import LATER
from palio_server.edge.budgets import TooMuch
from palio_server.network.corked_socket import GOODBYE_S
from palio_server.network.entrance import FLOODED, Entrance, Visit, entrance_of
from palio_server.network.handshake import Handshake, refusal
from palio_server.network.line_socket import FIRST, LineSocket

# Requests by RFC 9112: checks beyond those of h11, made before any request is handled.
#
# A proxy and this server can be made to disagree where a request ends if they read it differently (request smuggling).
# So a request with two meanings is refused, and the connection ends with the answer.

_HOST = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?")  # RFC 3986
_ABSOLUTE = re.compile(rb"https?://([^/?#]*)([^#]*)", re.IGNORECASE)
LINE_ENDS = b"\r\n"  # before a request they mean nothing (section 2.2)


class BadRequest(h11.RemoteProtocolError):
    """A request that is refused. `error_status_hint` is its status."""


class RequestReader(h11.Connection):
    """A connection that returns only valid requests. `fault` says what was wrong with one that could not be read."""

    def __init__(self, most: int) -> None:
        """`most`: how many bytes a request may have before its body."""
        super().__init__(h11.SERVER, most)
        self._most = most
        self.fault = h11.RemoteProtocolError("")

    def next_event(self) -> Any:
        """Return h11's next event. Raises RemoteProtocolError, which is the `fault` then."""
        try:
            event = super().next_event()
            if type(event) is not h11.Request:
                return event
            if sum(len(name) + len(value) for name, value in event.headers) > self._most:  # it has come at once
                raise BadRequest(f"a request has at most {self._most} bytes before its body", error_status_hint=431)
            return _checked(event)
        except h11.RemoteProtocolError as error:
            self.fault = error
            raise


def _checked(request: h11.Request) -> h11.Request:
    """Return the request, with a target that begins with a slash. Raises BadRequest."""
    names = [name for name, _ in request.headers]
    if not request.http_version.startswith(b"1."):
        said = request.http_version.decode()
        raise BadRequest(f"HTTP/{said} is not spoken here, but HTTP/1.1", error_status_hint=505)
    if b"transfer-encoding" in names:
        if b"content-length" in names:
            raise BadRequest("a request has Content-Length or Transfer-Encoding, not both")
        if request.http_version == b"1.0":
            raise BadRequest("a request of HTTP/1.0 has no Transfer-Encoding")
    hosts = [value for name, value in request.headers if name == b"host"]
    target = request.target
    if (absolute := _ABSOLUTE.fullmatch(target)) is not None:  # the name in it counts, not the Host (section 3.2.2)
        hosts, rest = [absolute[1]], absolute[2]
        target = rest if rest.startswith(b"/") else b"/" + rest
    elif not target.startswith(b"/") and (request.method, target) != (b"OPTIONS", b"*"):
        raise BadRequest("the target of a request begins with a slash")
    if hosts and _HOST.fullmatch(hosts[0]) is None:
        raise BadRequest("the Host of a request is a name or an address, and perhaps a port")
    if absolute is None:
        return request
    others = [(name, value) for name, value in request.headers if name != b"host"]
    headers = [(b"host", hosts[0]), *others]
    return h11.Request(method=request.method, target=target, headers=headers, http_version=request.http_version)


HEAD_S = 5.0  # seconds from the connection, or from a request's first byte, to the end of its head
HEAD = 64 * 1024  # bytes of a request before its body
BLANKS = 1024  # bytes of empty lines before the first other byte of a connection
REQUEST_S = 20.0  # seconds from there to the last byte of its body; the longest has a megabyte
READ_S = 20.0  # seconds in which a peer has to read a part of a long answer
PATIENCE_S = 1.5  # seconds for open connections to say goodbye at the end; after that they are aborted
SHUTDOWN_S = 3  # seconds for the application to finish with them; after that it is cancelled


ServeLines = Callable[[LineSocket], Coroutine[Any, Any, None]]  # until it is gone


ARRIVED = "palio.arrived"  # in a request's scope: its Arrival


class Arrival:
    """When the last byte of a request came; `at` is None before that. It does not depend on when it is handled."""

    __slots__ = ("at",)

    def __init__(self) -> None:
        self.at: datetime | None = None


def wall_time() -> datetime:
    return datetime.now(UTC)


class Config(uvicorn.Config):
    """The configuration that uvicorn passes to each of its protocols, with the server of connections
    that are not HTTP.
    """

    lines: ServeLines | None = None
    entrance: Entrance | None = None


class HttpProtocol(H11Protocol):
    """One HTTP connection, with deadlines, until it becomes a WebSocket or turns out to be one of JSON lines."""

    config: Config
    conn: RequestReader
    visit: Visit
    _blanks: bytes | None = b""  # only empty lines have come so far; None: it is HTTP
    _refused = False  # further input of the peer is read, and ignored
    _has_head = False  # of the request whose body is coming

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.conn = RequestReader(HEAD)
        self.visit = entrance_of(self.config).visit(transport)
        self.to_send, self.to_read = _Deadline(transport), _Deadline(transport)  # deadlines for the peer
        self.to_end = _Deadline(transport)  # for a peer that has been refused
        self.to_send.begin(HEAD_S)

    def data_received(self, data: bytes) -> None:
        if self._blanks is not None and not self._refused:
            data = self._without_blanks(self._blanks + data)
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            data = data.lstrip(LINE_ENDS)
        if data and not self._refused:
            super().data_received(data)
            self._note_arrival()
            self._set_deadline()

    def _note_arrival(self) -> None:
        """Write into the scope of the request that is coming when it came whole: the application sees it later."""
        if self.cycle is not None:
            arrival: Arrival = cast("dict[str, Any]", self.cycle.scope).setdefault(ARRIVED, Arrival())
            if arrival.at is None and not self.cycle.more_body:
                arrival.at = wall_time()

    def _without_blanks(self, data: bytes) -> bytes:
        """Return the part of the connection's first bytes that may be HTTP; it may turn out to be one of JSON lines."""
        if is_blank(data):
            self._blanks = data
            if len(data) > BLANKS:
                self._refuse(400, "unreadable", "Only empty lines have come. Write a request, or a message.")
            return b""
        self._blanks = None
        if (words := data.lstrip()).startswith(FIRST) and self.config.lines is not None:
            self._become_lines(words, self.config.lines)
            return b""
        return data

    def _set_deadline(self) -> None:
        """Set the next deadline after input from the peer."""
        owner: Any = self.transport.get_protocol()
        if owner is not self or self._refused:  # it has become a WebSocket, or ends
            self.to_send.end()
        elif self.conn.their_state is h11.IDLE:
            self.to_send.begin(HEAD_S)
        elif self.conn.their_state is h11.SEND_BODY:
            if not self._has_head:
                self._has_head = True
                self.to_send.end()
            self.to_send.begin(REQUEST_S)
        else:  # it has come whole
            self._has_head = False
            self.to_send.end()
            if self.cycle is not None and not self.cycle.response_complete:
                self.visit.answering(True)

    def _get_upgrade(self) -> bytes | None:
        """Return the protocol to upgrade to, from any number of headers."""
        words = [value.lower() for name, value in self.headers if name == b"connection"]
        if b"upgrade" not in map(bytes.strip, b",".join(words).split(b",")):
            return None
        return b",".join(value.lower() for name, value in self.headers if name == b"upgrade") or None

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Pass data that follows the request to the WebSocket."""
        if event.http_version == b"1.0":
            self._refuse(400, "no-websocket", "A WebSocket begins with a request of HTTP/1.1 (RFC 6455, section 4.1).")
            return
        super().handle_websocket_upgrade(event)
        owner: Any = self.transport.get_protocol()
        early, _ = self.conn.trailing_data
        if early and isinstance(owner, Handshake):
            owner.early_data(early)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.visit.answering(False)

    def send_400_response(self, msg: str) -> None:
        """Answer input that cannot be read as HTTP in the same way as every other fault."""
        fault = self.conn.fault
        why = str(fault).rstrip(".") or msg
        self._refuse(fault.error_status_hint, "unreadable", f"{why}. Write a request as RFC 9112 has it.")

    def _refuse(self, status: int, code: str, reason: str) -> None:
        """Answer a request that the application does not see in full; then the connection ends."""
        self._refused = True
        if self.conn.our_state is h11.IDLE or self.conn.our_state is h11.SEND_RESPONSE:  # no answer has begun
            headers, body = refusal(code, reason)
            raw = [(name.encode(), value.encode()) for name, value in headers.items()]
            head = h11.Response(status_code=status, headers=raw, reason=HTTPStatus(status).phrase.encode())
            for part in (head, h11.Data(body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(part) or b"")
        # The rest of the request is read: closing before that would make an error of it, and might cost the answer.
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # for the application, which waits for the rest
            self.cycle.message_event.set()
        with suppress(OSError):
            self.transport.write_eof()
        self.to_end.begin(GOODBYE_S)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.to_read.begin(READ_S)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.to_read.end()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for deadline in (self.to_send, self.to_read, self.to_end):
            deadline.end()
        self.visit.lost()

    def give_up(self) -> None:
        """Close at the end of the server: a request that has not come whole will not be answered."""
        if self.cycle is not None and not self.cycle.response_complete and self.cycle.more_body:
            self.transport.abort()  # the application is told as for any peer that is gone

    def _become_lines(self, data: bytes, serve: ServeLines) -> None:
        """Hand the connection to the server of lines; nothing has been answered yet."""
        self.to_send.end()
        self.connections.discard(self)
        socket = LineSocket(self.transport, self.connections, asyncio.Event(), self.visit)
        self.transport.set_protocol(socket)
        if (barred_s := self.visit.barred_s()) > 0:
            socket.close(LATER, str(TooMuch("flooded", FLOODED, barred_s)))
            return
        socket.data_received(data)
        task = asyncio.create_task(serve(socket))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


class _Deadline:
    """A deadline that aborts the connection unless it is ended in time. A second start does not prolong it."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._transport.abort)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class _Embedded(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # Ctrl-C belongs to the command that embeds the server

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        unix = [each for each in sockets or [] if each.family not in (socket.AF_INET, socket.AF_INET6)]
        await super().startup([each for each in sockets or [] if each not in unix])
        for each in unix:
            self.servers.append(await asyncio.get_running_loop().create_unix_server(self._protocol, sock=each))

    def _protocol(self) -> HttpProtocol:
        return HttpProtocol(self.config, self.server_state, self.lifespan.state)


class _Quiet:
    """The application, except that a cancellation at the server's end is not logged as an error."""

    def __init__(self, app: Any, ending: asyncio.Event) -> None:
        self._app, self._ending = app, ending

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self._app(scope, receive, send)
        except asyncio.CancelledError:
            if not self._ending.is_set():
                raise


def _abort(connections: Iterable[Any]) -> None:
    for connection in list(connections):
        connection.transport.abort()


@asynccontextmanager
async def serving(
    app: Any, *listeners: socket.socket, lines: ServeLines | None = None, entrance: Entrance | None = None
) -> AsyncIterator[None]:
    """Serve the ASGI `app` on `listeners` for as long as the context lasts; they are closed at its end.

    `lines` serves connections that are not HTTP, but JSON lines; `entrance` limits how many may come.
    """
    ending = asyncio.Event()
    config = Config(
        _Quiet(app, ending),
        http=HttpProtocol,
        ws=Handshake,
        lifespan="off",
        log_config=None,
        log_level="error",  # input that is not HTTP is the peers' fault, and must not fill the log
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    config.lines, config.entrance = lines, entrance
    server = _Embedded(config)
    task = asyncio.create_task(server.serve(sockets=list(listeners)), name="http")
    try:
        while not server.started:
            if task.done():
                task.result()
                raise RuntimeError("the HTTP server ended before it had started")
            await asyncio.sleep(0.005)
        yield
    finally:
        ending.set()
        for connection in list(server.server_state.connections):
            if isinstance(connection, HttpProtocol):
                connection.give_up()
        last = asyncio.get_running_loop().call_later(PATIENCE_S, _abort, server.server_state.connections)
        server.should_exit = True
        with suppress(asyncio.CancelledError):
            await task
        last.cancel()
        _abort(server.server_state.connections)  # connections that have not said goodbye by now
        for listener in listeners:
            listener.close()
