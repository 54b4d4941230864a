"""The paths of a server's WebSockets and HTTP API, all on one port, and the codes with which a WebSocket is closed.

Codes are those of RFC 6455, section 7.4, that Palio uses, and its own from 4000 on.
"""

from urllib.parse import parse_qsl, urlsplit

from palio_rules.errors import BadOption

BOT = "/ws/bot"  # bots say hello here
LIVE = "/ws/live"  # viewers follow the lobby here, and a match at `/ws/live/<match>`
API = "/api"

NORMAL = 1000
PROTOCOL = 1002  # a frame that RFC 6455 forbids
NO_TEXT = 1007  # a text that is not UTF-8
POLICY = 1008  # a limit was broken, or the peer is not allowed here
TOO_LONG = 1009  # a message is longer than the limit
FAILED = 1011  # an error in the server
RESTART = 1012  # the server is shutting down
LATER = 1013  # too many connections; try again later
REPLACED = 4000  # another connection took over this bot's session
UNKNOWN = 4404  # no such match


def live(match: str) -> str:
    """Return the path where viewers follow `match`."""
    return f"{LIVE}/{match}"


# A token never travels in a URL: proxies, browsers and logs keep URLs and pass them on (Referer).

NAMES = frozenset(
    {"token", "access_token", "accesstoken", "auth_token", "api_key", "apikey", "bearer", "authorization"}
)


def token_in_query(query: str) -> str | None:
    """Return the name of the parameter that holds a token in a URL's query; None if there is none.

    >>> token_in_query("ply=3&access_token=abc"), token_in_query("ply=3")
    ('access_token', None)
    """
    if not query:
        return None
    names = (name for name, _ in parse_qsl(query, keep_blank_values=True))
    return next((name for name in names if name.strip().lower().replace("-", "_") in NAMES), None)


# The server's address as people type it on either side: HOST:PORT, http:// or ws://.

LOCAL = "http://127.0.0.1:8000"  # of `palio serve` and `palio demo` by default

_WEB = {"http": "http", "https": "https", "ws": "http", "wss": "https"}


def web(url: str | None) -> str:
    """Return the server's http address, without a slash at its end. Raises BadOption."""
    text = (url or LOCAL).strip()
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        complete = parts.scheme in _WEB and parts.hostname and parts.port != 0
    except ValueError:  # a port that is no number, brackets that do not close
        parts, complete = urlsplit(""), None
    if token_in_query(parts.query):
        shown, remedy = text.partition("?")[0], "give it as --token TOKEN or in PALIO_TOKEN"
        raise BadOption(f"a token in the address {shown!r} is not read; leave it out there, and {remedy}")
    if not complete or not text.isprintable() or " " in text:
        raise BadOption(f"{text!r} is no address of a server; write http://HOST:PORT")
    return f"{_WEB[parts.scheme]}://{parts.netloc}{parts.path.rstrip('/')}"
