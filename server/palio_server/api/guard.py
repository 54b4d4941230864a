"""The guard before all endpoints: which clients may send requests, and what browsers may do with the answers.

`edge/sites.py` checks Host and Origin, with tokens and without them: without tokens, any page that the user visits
could control the server; with them, it could still read. A token in an address is refused before the request is
handled, so that its owner notices. A trusted proxy's address is replaced by the true one that it gives, here for
requests; for WebSockets the handshake has done so.
"""

from collections.abc import Mapping, MutableMapping
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palio_rules.contract.endpoints import API, token_in_query
from palio_server.api.answers import error_answer
from palio_server.edge.addresses import Proxies, key_of
from palio_server.edge.sites import Sites
from palio_server.edge.turns import RequestTurns
from palio_server.network.handshake import FRAMED, HTTPS_ONLY, NOT_KEPT, SECURITY, UNFRAMED, handshake_of

LIVENESS = f"{API}/health/live"
SAFE = ("GET", "HEAD", "OPTIONS")
PRIVATE = f"{API}/play"  # answers have tokens, and links for friends
ELSEWHERE = "send it as `Authorization: Bearer TOKEN`, a bot's in its hello: proxies and logs keep addresses"
PARTS = ("text/javascript", "text/css")  # types of answers that are never documents themselves
OF_PARTS = {"X-Content-Type-Options", "Cross-Origin-Resource-Policy", "Referrer-Policy", *HTTPS_ONLY}  # for these types
BEHIND = "palio.behind"  # in a scope: the Host that a trusted proxy was asked for


class Guard:
    """ASGI middleware: refuses foreign requests, and adds the security headers."""

    def __init__(self, app: ASGIApp, *, sites: Sites, proxies: Proxies) -> None:
        self._app, self._sites, self._proxies = app, sites, proxies
        self._headers = SECURITY | (HTTPS_ONLY if sites.secure else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        self._apply_proxy_headers(scope, headers)
        refusal = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                handshake_of(scope).refuse(403, *refusal[1:])
            return
        send = _with_headers(send, self._headers | (NOT_KEPT if _is_private(scope, headers) else {}))
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await error_answer(*refusal)(scope, receive, send)

    def _apply_proxy_headers(self, scope: Scope, headers: Headers) -> None:
        """Take over a trusted proxy's headers: the client, the scheme, the Host."""
        peer: str = handshake_of(scope).visit.host if scope["type"] == "websocket" else (scope["client"] or ("",))[0]
        if peer not in self._proxies:
            return
        if scope["type"] == "http":
            forwarded = ",".join(headers.getlist("forwarded"))
            host = self._proxies.true_host(peer, ",".join(headers.getlist("x-forwarded-for")), forwarded)
            scope["client"] = (host, 0) if host != peer else scope["client"]
        scheme = headers.get("x-forwarded-proto", "").rpartition(",")[2].strip().lower()
        if scheme in ("http", "https") and scope["type"] == "http":
            scope["scheme"] = scheme
        scope[BEHIND] = headers.get("x-forwarded-host", "").rpartition(",")[2].strip()

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        """Return status, code and sentence of a refusal; None for no refusal."""
        name = token_in_query(scope["query_string"].decode("latin-1"))
        if name is not None:
            return 400, "token-in-query", f"a token in an address ({name[:40]!r}) is not read; {ELSEWHERE}"
        acts = scope["type"] == "websocket" or scope["method"] not in SAFE
        host, origin = headers.get("host", ""), headers.get("origin")
        found = self._sites.refusal(host, origin, acts=acts, behind=scope.get(BEHIND, ""))
        return None if found is None else (403, *found)


class ByTurns:
    """ASGI middleware: requests are begun by turns of their addresses, and that for liveness at once."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._turns = app, RequestTurns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == LIVENESS:
            await self._app(scope, receive, send)
            return
        async with self._turns.of(key_of(scope["client"][0]) if scope["client"] else ""):
            await self._app(scope, receive, send)


def origin_of(scope: MutableMapping[str, Any], sites: Sites) -> str:
    """Return the address of this server as the client knows it, for links: the operator's setting, or that of the
    request.
    """
    asked_for = scope.get(BEHIND) or Headers(scope=scope).get("host", "")
    return sites.public or f"{scope['scheme']}://{asked_for}"


def _is_private(scope: Scope, headers: Headers) -> bool:
    """Return True if the answer is for this client alone."""
    path: str = scope["path"]
    if not path.startswith(f"{API}/"):
        return False
    return scope["method"] not in SAFE or path.startswith(PRIVATE) or "authorization" in headers


def _with_headers(send: Send, added: Mapping[str, str]) -> Send:
    async def send_safely(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            framed = headers.get("Content-Security-Policy") == FRAMED["Content-Security-Policy"]
            part = headers.get("Content-Type", "").startswith(PARTS)  # a third of a small file was headers
            for name, value in added.items():
                if not (framed and name in UNFRAMED) and not (part and name not in OF_PARTS):
                    headers.setdefault(name, value)
        await send(message)

    return send_safely
