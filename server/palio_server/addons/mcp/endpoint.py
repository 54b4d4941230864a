"""`/mcp`: a request on its way to the service, which is loaded when the first one comes.

A token is looked at as for any request to the API. While a request with a token is answered, its withdrawal ends it.
"""

import asyncio
import importlib
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from palio_db.errors import StoreError
from palio_rules.contract.messages import SERVER_STOPPING
from palio_rules.extras import install
from palio_server.addons.mcp.players import Players
from palio_server.addons.mcp.sessions import Sessions
from palio_server.api.answers import ApiError, Json, answer_error, error_answer
from palio_server.api.identity import address_of, admit_reader, bearer, permitted
from palio_server.api.quotas import POSITION, WorkQuota
from palio_server.app_state import ServerParts
from palio_server.edge.budgets import TooMuch
from palio_server.lobby.access import WATCH, AccessDenied
from palio_server.lobby.programs import retry_after_s

if TYPE_CHECKING:
    from palio_server.addons.mcp.service import Service

PATH = "/mcp"
SERVICE = "palio_server.addons.mcp.service"
METHODS = ("GET", "POST", "DELETE")
CARRIED = ("allow", "retry-after", "www-authenticate")  # headers of a refusal
REFUSED = -32050  # the code of a refusal for JSON-RPC; `data` has ours
UNKNOWN = "unknown-session"
NOT_HERE = (
    "this server has no such session, and several servers share the work here: perhaps it is another one's. Open a new "
    "session. If this goes on, the proxy has to send all requests of a client to the same server (docs/how-to/mcp.md)"
)
MISSING = f"models cannot play on this server: it lacks the package `mcp`; {install('mcp')}, and start it again"


class McpEndpoint:
    """An ASGI application for one route."""

    path = PATH

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self.players = Players(parts.lobby, parts.access, parts.bus)
        self.sessions = Sessions()
        self._service: Service | None = None
        self._loading = asyncio.Lock()
        self._closed = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            await self._answer(request, scope, receive, send)
        except (ApiError, AccessDenied, TooMuch, StoreError) as error:
            answer = await answer_error(request, error)
            headers = {name: value for name, value in answer.headers.items() if name in CARRIED}
            await Json(_as_rpc(bytes(answer.body)), answer.status_code, headers)(scope, receive, send)

    async def _answer(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises ApiError, AccessDenied, TooMuch or StoreError."""
        if request.method not in METHODS:
            wanted = ", ".join(METHODS)
            raise ApiError(405, "method-not-allowed", f"{request.method} does not work on {PATH}", {"Allow": wanted})
        if (said := self._parts.lobby.stopping) is not None:
            raise ApiError(503, SERVER_STOPPING, said.reason, {"Retry-After": str(retry_after_s(said))})
        token = await self._admitted(request)
        work: WorkQuota = request.app.state.work
        work.pay(request, POSITION)
        service = await self._loaded()
        session = request.headers.get("mcp-session-id", "")
        if session and self._parts.others.sharing and not self.sessions.knows(session):
            raise ApiError(404, UNKNOWN, NOT_HERE)
        owner = f"session {session}" if session else ""
        with ExitStack() as stack:
            opens = self.sessions.opening(address_of(request)) if service.opens_session(request) else None
            answering = _Answering(send, None if opens is None else stack.enter_context(opens))
            stack.enter_context(self.sessions.using(session))
            if request.method == "GET" and owner:
                stack.enter_context(self.players.stream(owner))
            await self._while_valid(service.answer(scope, receive, answering.send, token), token, answering)
        if request.method == "DELETE" and answering.status < 300:
            self.sessions.ended(session)
            self.players.owner_left(owner)

    async def close(self) -> None:
        """End all sessions, players and waiting calls, because the server ends."""
        self._closed = True
        self.players.close()
        if self._service is not None:
            await self._service.close()

    async def _admitted(self, request: Request) -> int | None:
        """Return the number of the token that was given; None without one, if reading needs none."""
        access = self._parts.access
        if bearer(request) is None:
            return await admit_reader(request, access)
        grant = await permitted(request, access, WATCH)
        return None if grant is None else grant.id

    async def _loaded(self) -> "Service":
        async with self._loading:
            if self._service is None and not self._closed:
                try:
                    module = await asyncio.to_thread(importlib.import_module, SERVICE)  # it takes a second or so
                except ImportError as error:
                    if (error.name or "").startswith("palio"):
                        raise
                    raise ApiError(501, "not-installed", MISSING) from None
                service: Service = module.Service(self._parts, self.players)
                await service.open()
                self._service = service
            if self._service is None or self._closed:
                raise ApiError(503, SERVER_STOPPING, "the server stops", {"Retry-After": "5"})
            return self._service

    async def _while_valid(self, work: Coroutine[Any, Any, None], token: int | None, answering: "_Answering") -> None:
        """Do the work; it ends early if the token is withdrawn."""
        working = asyncio.ensure_future(work)
        withdrawn: list[str] = []

        def withdraw(_code: int, reason: str) -> None:
            withdrawn.append(reason)
            working.cancel()

        try:
            with self._parts.access.readers.reading(token, withdraw):
                await asyncio.wait({working})
        finally:
            working.cancel()
            await asyncio.wait({working})
        if withdrawn and working.cancelled():
            await answering.break_off(withdrawn[0])
        else:
            working.result()


class _Answering:
    """The answer to one request, as far as it was sent."""

    def __init__(self, send: Send, opened: Callable[[str], None] | None) -> None:
        """`opened` is told the identity of the session that the answer opens."""
        self._send, self._opened = send, opened
        self.status = 0
        self._whole = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            for name, value in message["headers"]:
                if self._opened is not None and name.lower() == b"mcp-session-id" and self.status < 300:
                    self._opened(value.decode("latin-1"))
        elif message["type"] == "http.response.body":
            self._whole = not message.get("more_body", False)
        await self._send(message)

    async def break_off(self, code: str) -> None:
        """Break the answer off, because the token was withdrawn."""
        if self._whole:
            return
        if self.status:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        refused = error_answer(401, code, "the token has been withdrawn", {"WWW-Authenticate": "Bearer"})
        answer = Json(_as_rpc(bytes(refused.body)), 401, {"WWW-Authenticate": "Bearer"})
        await answer({"type": "http", "method": "POST"}, _nothing, self._send)


def _as_rpc(body: bytes) -> dict[str, object]:
    """The same refusal as the protocol's clients read it: their libraries show a JSON-RPC error, and no other body."""
    fault = msgspec.json.decode(body)["error"]
    return {"jsonrpc": "2.0", "id": None, "error": {"code": REFUSED, "message": fault["reason"], "data": fault}}


async def _nothing() -> Message:
    return {"type": "http.disconnect"}
