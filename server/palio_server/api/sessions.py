"""`/api/session`: the sign-in of a browser to read a private server.

Its WebSockets, pictures and downloads cannot carry a token. So the page gives its token once, and gets a cookie that
scripts cannot read, that other sites cannot use, and that allows only reading.
"""

import msgspec
from starlette.requests import Request

from palio_server.api.answers import Json
from palio_server.api.identity import SESSION, address_of, bearer
from palio_server.api.operations import Routes
from palio_server.app_state import ServerParts
from palio_server.lobby.access import SESSION_S

routes = Routes("session")


class SessionItem(msgspec.Struct, frozen=True):
    """The session. `private`: true if reading needs a token here; `lasts_s`: how long the session lasts."""

    private: bool
    lasts_s: float


@routes.get("/session", SessionItem, scope=None)
async def get_session(parts: ServerParts) -> Json:
    """Return whether reading this server needs a sign-in."""
    return Json(SessionItem(parts.access.private, SESSION_S), headers={"Cache-Control": "no-store"})


@routes.operation("POST", "/session", SessionItem, 401, 429, statuses=(201,), scope=None)
async def sign_in(parts: ServerParts, request: Request) -> Json:
    """Sign in to read, by any token as `Authorization: Bearer TOKEN`: the answer sets a cookie."""
    token = bearer(request)
    async with parts.access.attempts.of(address_of(request), token):
        session = await parts.access.sign_in(token)
    public = parts.settings.public_url or str(request.url)  # a proxy may have taken the TLS off
    secure = "; Secure" if public.startswith("https:") else ""
    cookie = f"{SESSION}={session}; Path=/; Max-Age={int(SESSION_S)}; HttpOnly; SameSite=Strict{secure}"
    return Json(SessionItem(parts.access.private, SESSION_S), 201, {"Set-Cookie": cookie, "Cache-Control": "no-store"})


@routes.operation("DELETE", "/session", SessionItem, scope=None)
async def sign_out(parts: ServerParts) -> Json:
    """Forget the session of this browser."""
    return Json(SessionItem(parts.access.private, 0.0), headers={"Set-Cookie": f"{SESSION}=; Path=/; Max-Age=0"})
