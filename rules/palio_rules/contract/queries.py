"""No token travels in an address: proxies, browsers and logs keep addresses, and hand them on (Referer)."""

from urllib.parse import parse_qsl

NAMES = frozenset(
    {"token", "access_token", "accesstoken", "auth_token", "api_key", "apikey", "bearer", "authorization"}
)


def token_in_query(query: str) -> str | None:
    """The name under which the part of an address behind `?` has a token; None: it has none.

    >>> token_in_query("ply=3&access_token=abc"), token_in_query("ply=3")
    ('access_token', None)
    """
    if not query:
        return None
    names = (name for name, _ in parse_qsl(query, keep_blank_values=True))
    return next((name for name in names if name.strip().lower().replace("-", "_") in NAMES), None)
