"""The handshake from a request to a WebSocket, on uvicorn's port: serve with `uvicorn.Config(ws=Handshake)`.

This is uvicorn's contract for `ws`: for each request to upgrade, its HTTP protocol makes a `Handshake` with these
arguments, calls `connection_made`, and then `data_received` with that request; from then on the transport belongs to
the Handshake. uvicorn shuts down and waits for the objects in `server_state`. The request is read by ServerProtocol of
`websockets`, and the application is called by ASGI. It refuses (`websocket.close`: HTTP 403), or takes the handshake
from its scope (`handshake_of`), accepts, listens to the socket, and waits until that is gone. No message travels by
ASGI.
"""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import unquote

import msgspec
from starlette.types import Message, Scope
from uvicorn import Config
from uvicorn.protocols.utils import get_local_addr, get_remote_addr
from uvicorn.server import ServerState
from websockets.datastructures import Headers
from websockets.exceptions import InvalidHeader, InvalidMessage, SecurityError
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from palio_rules.contract.codec import MAX_BYTES
from palio_rules.contract.endpoints import BOT, FAILED, LIVE, NORMAL
from palio_rules.errors import quoted
from palio_server.edge.budgets import TooMuch
from palio_server.network.corked_socket import GOODBYE_S
from palio_server.network.entrance import FLOODED, Visit, entrance_of
from palio_server.network.websocket import WebSocket

# The headers that browsers get with every answer: only permissions that the page needs.

CONTENT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",  # a style that boards set by script (CSSOM) is not an inline style
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}

# Features that our page does not use. Two that are used are not listed: full screen by the hall, clipboard for copying
# links.
UNUSED = (
    "accelerometer", "autoplay", "browsing-topics", "camera", "display-capture", "encrypted-media", "geolocation",
    "gyroscope", "hid", "identity-credentials-get", "idle-detection", "local-fonts", "magnetometer", "microphone",
    "midi", "payment", "publickey-credentials-get", "serial", "usb", "xr-spatial-tracking",
)  # fmt: skip


def policy(other: Mapping[str, str]) -> str:
    """Return the content policy, with `other` sources for some directives."""
    return "; ".join(f"{what} {where}" for what, where in (CONTENT | dict(other)).items())


# of answers that other sites may show in a frame
FRAMED = {"Content-Security-Policy": policy({"frame-ancestors": "*"})}
UNFRAMED = ("X-Frame-Options", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy")  # would forbid that

SECURITY = {
    "Content-Security-Policy": policy({}),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

HTTPS_ONLY = {"Strict-Transport-Security": "max-age=31536000"}  # a year; where people reach the server by HTTPS
NOT_KEPT = {"Cache-Control": "no-store"}  # by no cache, for answers to one client alone


def refusal(code: str, reason: str, other: Mapping[str, str] | None = None) -> tuple[dict[str, str], bytes]:
    """Return headers and body of a refusal that is not the application's; the connection ends with it."""
    body = msgspec.json.encode({"error": {"code": code, "reason": reason}})
    said = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
    return {**said, **SECURITY, **(other or {})}, body


log = logging.getLogger(__name__)

EXTENSION = "palio.handshake"
VERSION = "Sec-WebSocket-Version"
REFUSED = {HTTPStatus.FORBIDDEN: "forbidden", HTTPStatus.SERVICE_UNAVAILABLE: "stopping"}


class Handshake(asyncio.Protocol):
    """One request for a WebSocket, until it is accepted or refused."""

    transport: asyncio.Transport
    visit: Visit

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._app, self._app_state = config.loaded_app, app_state
        self._connections: set[Any] = server_state.connections
        self._tasks = server_state.tasks
        self._entrance = entrance_of(config)
        self._early = b""
        self._wire = ServerProtocol(max_size=MAX_BYTES)
        self._response: Response | None = None  # the answer if the application accepts
        self._socket: WebSocket | None = None
        self._gone = asyncio.Event()
        self._ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)  # uvloop's is one, but no subclass
        self._connections.add(self)
        self.visit = self._entrance.visit(self.transport)

    def early_data(self, data: bytes) -> None:
        """Return the data that the peer has sent behind its request, without waiting for the answer."""
        self._early = data

    def data_received(self, data: bytes) -> None:
        if self._gone.is_set():  # it has been refused, and still sends
            return
        self.transport.pause_reading()  # until the socket has a listener
        self._wire.receive_data(data)
        for request in self._wire.events_received():
            assert isinstance(request, Request)
            barred_s = self.visit.barred_s()
            if barred_s > 0:
                limit = TooMuch("flooded", FLOODED, barred_s)
                self.refuse(429, limit.code, str(limit), {"Retry-After": str(limit.retry_s)})
                return
            response = self._wire.accept(request)
            if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
                self._refuse_request(response.status_code, response.headers)
                return
            self._response = response
            task = asyncio.create_task(self._ask(self._scope(request)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return
        too_long = isinstance(self._wire.handshake_exc, SecurityError)
        self._refuse_request(431 if too_long else 400, {})

    def _refuse_request(self, status: int, headers: Mapping[str, str]) -> None:
        """Refuse a request that `websockets` does not accept, with its `status` and `headers` and the fault."""
        fault: BaseException | None = self._wire.handshake_exc
        if isinstance(fault, InvalidMessage):  # then the reason is behind it
            fault = fault.__cause__ or fault
        other = {name: headers[name] for name in ("Allow",) if name in headers}
        if isinstance(fault, InvalidHeader) and fault.name == VERSION:
            status = HTTPStatus.UPGRADE_REQUIRED if fault.value is not None else status
            other |= {VERSION: "13"}
        if status == HTTPStatus.UPGRADE_REQUIRED:
            other |= {"Upgrade": "websocket", "Connection": "upgrade, close"}
        self.refuse(status, "no-websocket", f"This is no request for a WebSocket (RFC 6455): {fault}.", other)

    def _scope(self, request: Request) -> dict[str, Any]:
        path, _, query = request.path.partition("?")
        offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol"))
        secure = self.transport.get_extra_info("sslcontext") is not None
        return {
            "type": "websocket",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "scheme": "wss" if secure else "ws",
            "server": get_local_addr(self.transport),
            "client": self._client(request),
            "root_path": "",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(key.lower().encode(), value.encode("latin-1")) for key, value in request.headers.raw_items()],
            "subprotocols": [name.strip() for name in offered.split(",") if name.strip()],
            "state": self._app_state.copy(),
            "extensions": {EXTENSION: {"handshake": self}},
        }

    def _client(self, request: Request) -> tuple[str, int] | None:
        """Return the client of the request, by the headers of trusted proxies; None on a Unix socket."""
        client = get_remote_addr(self.transport)
        get_all = request.headers.get_all
        host = self.visit.forwarded(",".join(get_all("X-Forwarded-For")), ",".join(get_all("Forwarded")))
        return client if client is None or host == client[0] else (host, 0)

    async def _ask(self, scope: dict[str, Any]) -> None:
        """Run the application on the connection until it returns."""
        code, events = FAILED, iter([{"type": "websocket.connect"}])

        async def receive() -> Message:
            if (event := next(events, None)) is not None:
                return event
            await self._gone.wait()
            closed = self._wire.close_rcvd or self._wire.close_sent
            return {"type": "websocket.disconnect", "code": 1006 if closed is None else closed.code}

        try:
            await self._app(scope, receive, partial(self._handle_app_message, scope["path"]))
            code = NORMAL
        except Exception:
            log.exception("the application failed on a WebSocket for %s", scope["path"])
        finally:
            self._end(HTTPStatus.INTERNAL_SERVER_ERROR, code, "")

    async def _handle_app_message(self, path: str, message: Message) -> None:
        """Handle an ASGI message of the application: a refusal, or a goodbye."""
        if message["type"] != "websocket.close":
            raise RuntimeError(f"a WebSocket is accepted by `handshake_of(scope).accept()`, not by {message['type']!r}")
        code, reason = message.get("code", NORMAL), message.get("reason") or ""
        if self._socket is None and code == NORMAL and not reason:  # so Starlette refuses a path that has no route
            reason = f"there is no WebSocket at {quoted(path)}; bots connect to {BOT}, viewers to {LIVE}"
        self._end(HTTPStatus.FORBIDDEN, code, reason)

    def accept(self, subprotocol: str | None = None) -> WebSocket:
        """Accept the request. Does nothing if the peer has left meanwhile. Raises RuntimeError if it was answered
        before.
        """
        if self._response is None:
            raise RuntimeError("this handshake was answered before")
        response, self._response = self._response, None
        if subprotocol is not None:
            response.headers["Sec-WebSocket-Protocol"] = subprotocol
        self._wire.send_response(response)
        self._send()
        self._socket = WebSocket(self.transport, self._wire, self._connections, self._gone, self.visit, self._early)
        self.transport.set_protocol(self._socket)
        if self._gone.is_set():
            self._socket.connection_lost(None)
        self._connections.discard(self)
        return self._socket

    def refuse(self, status: int, code: str, reason: str, headers: Mapping[str, str] | None = None) -> None:
        """Refuse over HTTP, with the sentence; does nothing if the request was answered before."""
        if self._socket is None and not self._gone.is_set():
            self._response = None
            given, body = refusal(code, reason, headers)
            if not self.transport.is_closing():
                self.transport.write(Response(status, HTTPStatus(status).phrase, Headers(given), body).serialize())
                # the rest of the request is read: closing before that would make an error of it
                self.transport.resume_reading()
                with suppress(OSError):
                    self.transport.write_eof()
            self._gone.set()
            self._ending = asyncio.get_running_loop().call_later(GOODBYE_S, self.transport.abort)

    def shutdown(self) -> None:
        """End it because uvicorn ends."""
        self._end(HTTPStatus.SERVICE_UNAVAILABLE, NORMAL, "")

    def connection_lost(self, exc: Exception | None) -> None:
        self._gone.set()
        self._connections.discard(self)
        self.visit.lost()
        if self._ending is not None:
            self._ending.cancel()

    def _end(self, status: HTTPStatus, code: int, reason: str) -> None:
        """Refuse with `status`, or close with `code` if it was accepted."""
        if self._socket is not None:
            self._socket.close(code, reason)
        elif self._response is not None:
            self.refuse(status, REFUSED.get(status, "refused"), reason or status.description or status.phrase)

    def _send(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(b"".join(self._wire.data_to_send()))


def handshake_of(scope: Scope) -> Handshake:
    """Return the handshake behind an ASGI WebSocket scope. Raises RuntimeError under another server, or
    another `ws`.
    """
    extension = (scope.get("extensions") or {}).get(EXTENSION)
    if extension is None:
        raise RuntimeError("bots and viewers need uvicorn.Config(ws=palio_server.network.handshake.Handshake)")
    found: Handshake = extension["handshake"]
    return found
