"""Who asks: by which token or session, and from where, as access and the audit want to know it."""

from http.cookies import CookieError, SimpleCookie

from starlette.requests import HTTPConnection

from palio_db.values import Actor, Grant
from palio_server.api.answers import ApiError
from palio_server.edge.addresses import key_of
from palio_server.lobby.access import Access

# Who asks, and by which way: the address that a request comes from, the path below which it finds our addresses.


def address_of(request: HTTPConnection) -> str:
    """The visitor's address, as limits count it; "" for this machine's own, which may be a proxy that nobody named.

    The guard has put the true address in the place of a trusted proxy's.
    """
    return key_of(request.client.host) if request.client else ""


def root_of(request: HTTPConnection) -> str:
    """The path below which a proxy, or another application, has put this server; "" for none."""
    root: str = request.scope.get("app_root_path", request.scope.get("root_path", ""))
    return root.rstrip("/")


SESSION = "palio-session"  # the cookie of a browser that has signed in to read


def bearer(request: HTTPConnection) -> str | None:
    """The token of `Authorization: Bearer TOKEN`, if there is one. Raises ApiError for any other scheme."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise ApiError(401, "bad-token", "write `Authorization: Bearer TOKEN`", {"WWW-Authenticate": "Bearer"})
    return token.strip()


async def permitted(request: HTTPConnection, access: Access, scope: str) -> Grant | None:
    """The grant of the request's token, which has `scope`; None without one where none is needed.

    Raises ApiError, AccessDenied, or TooMuch where too many wrong ones have come from there.
    """
    token = bearer(request)
    async with access.attempts.of(address_of(request), token):
        return await access.allow(token, scope)


async def admit_reader(request: HTTPConnection, access: Access) -> int | None:
    """The number of the token by which somebody reads; None where everybody may.

    Raises ApiError, AccessDenied, or TooMuch where too many wrong ones have come from there.
    """
    if not access.private:
        return None
    token = bearer(request)
    async with access.attempts.of(address_of(request), token):
        return await access.reader(token, _session(request))


def actor_of(request: HTTPConnection, grant: Grant | None, why: str = "") -> Actor:
    """Whoever asks, for the audit; `why` a token was refused of which nothing is known."""
    address = request.client.host if request.client else ""
    if grant is None:
        unknown = (
            "somebody without a token" if why in ("", "token-missing") else "somebody with a token that opens nothing"
        )
        return Actor(unknown, None, address)
    whose = "" if grant.bot is None else f" of {grant.bot}"
    return Actor(f"token {grant.id} ({grant.prefix}...){whose}", grant.id, address)


def _session(request: HTTPConnection) -> str | None:
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(SESSION)
    except CookieError:
        return None
    return None if found is None else found.value
