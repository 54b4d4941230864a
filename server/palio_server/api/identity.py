"""The asker of a request: its token or session, and its address, for access and the audit."""

from http.cookies import CookieError, SimpleCookie

from starlette.requests import HTTPConnection

from palio_db.values import Actor, Grant
from palio_server.api.answers import ApiError
from palio_server.edge.addresses import key_of
from palio_server.lobby.access import Access

# The origin of a request: the address that it comes from, and the path below which it reaches this server.


def address_of(request: HTTPConnection) -> str:
    """Return the visitor's address, as limits count it; "" for this machine's own, which may be a proxy that is not
    configured.

    The guard has replaced a trusted proxy's address by the true one.
    """
    return key_of(request.client.host) if request.client else ""


def root_of(request: HTTPConnection) -> str:
    """Return the path below which a proxy, or another application, has put this server; "" for none."""
    root: str = request.scope.get("app_root_path", request.scope.get("root_path", ""))
    return root.rstrip("/")


SESSION = "palio-session"  # the cookie of a browser that has signed in to read


def bearer(request: HTTPConnection) -> str | None:
    """Return the token of `Authorization: Bearer TOKEN`, if there is one. Raises ApiError for any other scheme."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ApiError(401, "bad-token", "write `Authorization: Bearer TOKEN`", {"WWW-Authenticate": "Bearer"})
    return token.strip()


async def permitted(request: HTTPConnection, access: Access, scope: str) -> Grant | None:
    """Return the grant of the request's token, which has `scope`; None without a token if none is needed.

    Raises ApiError, AccessDenied, or TooMuch after too many wrong tokens from the same address.
    """
    token = bearer(request)
    async with access.attempts.of(address_of(request), token):
        return await access.allow(token, scope)


async def admit_reader(request: HTTPConnection, access: Access) -> int | None:
    """Return the number of the reader's token; None if no token is needed.

    Raises ApiError, AccessDenied, or TooMuch after too many wrong tokens from the same address.
    """
    if not access.private:
        return None
    token = bearer(request)
    async with access.attempts.of(address_of(request), token):
        return await access.reader(token, _session(request))


def actor_of(request: HTTPConnection, grant: Grant | None, why: str = "") -> Actor:
    """Return the asker, for the audit; `why` an unknown token was refused."""
    address = request.client.host if request.client else ""
    if grant is None:
        unknown = "a client without a token" if why in ("", "token-missing") else "a client with an invalid token"
        return Actor(unknown, None, address)
    whose = "" if grant.bot is None else f" of {grant.bot}"
    return Actor(f"token {grant.id} ({grant.prefix}...){whose}", grant.id, address)


def _session(request: HTTPConnection) -> str | None:
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(SESSION)
    except CookieError:
        return None
    return None if found is None else found.value
