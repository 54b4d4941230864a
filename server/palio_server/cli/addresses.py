"""The addresses of a server's parts, and several servers at once."""

from collections.abc import Iterable
from urllib.parse import quote

from palio_rules.contract.endpoints import web


def several(urls: Iterable[str]) -> list[str]:
    """Return the addresses in `A,B`, C: each once, in the form of `web`. Raises BadOption."""
    parts = [part for url in urls for part in url.split(",") if part.strip()]
    return list(dict.fromkeys(map(web, parts)))


def socket(url: str | None, path: str) -> str:
    """Return the address of one of the server's WebSockets. Raises BadOption."""
    return web(url).replace("http", "ws", 1) + path


def part(text: str) -> str:
    """Return `text` as one part of a path."""
    return quote(text, safe="")
