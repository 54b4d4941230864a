"""Where a server is, as people write it on either side: HOST:PORT, http:// or ws://."""

from urllib.parse import urlsplit

from palio_rules.contract.queries import token_in_query
from palio_rules.errors import BadOption

LOCAL = "http://127.0.0.1:8000"  # of `palio serve` and `palio demo`, unless another one is chosen

_WEB = {"http": "http", "https": "https", "ws": "http", "wss": "https"}


def web(url: str | None) -> str:
    """The server's http address, without a slash at its end. Raises BadOption."""
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
