"""Before anything else: who may talk to us at all, and what browsers may do with what we say.

On loopback nobody needs a token, so that any web page that the user happens to visit could drive the server: by a
request across origins, or under a name of its own that it lets point to 127.0.0.1 (DNS rebinding). Hence there the Host
must be a loopback name, and where a browser says which page asks (Origin), it must be ours. Where tokens are required
no foreign page has one, and a proxy may have changed the Host.
"""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from palio_server.api.answers import error_answer

SAFE = ("GET", "HEAD", "OPTIONS")

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",  # what boards set by script (CSSOM) is no inline style
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}


def policy(other: Mapping[str, str]) -> str:
    """The content policy, with `other` sources for some directives."""
    return "; ".join(f"{what} {where}" for what, where in (POLICY | dict(other)).items())


FRAMED = {"Content-Security-Policy": policy({"frame-ancestors": "*"})}  # of what other sites may show in a frame
UNFRAMED = ("X-Frame-Options", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy")  # would forbid that

SECURITY = {
    "Content-Security-Policy": policy({}),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """ASGI middleware: refuses foreign requests, and adds the security headers.

    `loopback_only` checks the Host, `own_pages_only` the Origin of whatever changes something or opens a WebSocket.
    """

    def __init__(self, app: ASGIApp, *, loopback_only: bool, own_pages_only: bool) -> None:
        self._app = app
        self._loopback_only, self._own_pages_only = loopback_only, own_pages_only

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send if scope["type"] == "websocket" else _with_headers(send))
        elif scope["type"] == "http":
            await error_answer(403, *refusal)(scope, receive, _with_headers(send))
        else:
            await WebSocketClose(1008, refusal[1])(scope, receive, send)  # before `accept`: the handshake gets a 403

    def _refusal(self, scope: Scope) -> tuple[str, str] | None:
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._loopback_only and not is_loopback(host):
            return "foreign-host", (
                f"without tokens this server answers to loopback names only, not to {host[:80]!r}; "
                "open it as localhost, or start it with --auth required"
            )
        acts = scope["type"] == "websocket" or scope["method"] not in SAFE
        if self._own_pages_only and acts and origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            reason = f"a page of {origin[:80]} may not act here; use this server's own page, or a program"
            return "foreign-origin", reason
        return None


def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine's own loopback: localhost, 127.x.x.x or [::1], with any port."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or name.endswith(".localhost") or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def _with_headers(send: Send) -> Send:
    async def send_safely(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            framed = headers.get("Content-Security-Policy") == FRAMED["Content-Security-Policy"]
            for name, value in SECURITY.items():
                if not (framed and name in UNFRAMED):
                    headers.setdefault(name, value)
        await send(message)

    return send_safely
