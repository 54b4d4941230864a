"""A hint at a server on this machine, where a command reads ./palio.db only because nothing else was named."""

import asyncio
import os
from urllib.parse import urlsplit

import msgspec

from palio_rules.contract.endpoints import LOCAL

WAIT_S = 0.3  # for connection and answer together


class _Health(msgspec.Struct):
    """The fields of an answer by which a palio server is known."""

    version: str
    matches: int
    bots: int


def by_default(db: str | None) -> bool:
    """Return True if no database was named, by --db or by PALIO_DB."""
    return db is None and "PALIO_DB" not in os.environ


async def server_hint() -> str:
    """Return the clause that names `--url` if a palio server answers at the default address; otherwise ""."""
    try:
        async with asyncio.timeout(WAIT_S):
            answer = await _health(LOCAL)
        head, _, body = answer.partition(b"\r\n\r\n")
        if b" 200 " not in head.partition(b"\r\n")[0]:
            return ""
        msgspec.json.decode(body, type=_Health)
    except (OSError, TimeoutError, msgspec.DecodeError):
        return ""
    return f"a server is running on this machine, --url {LOCAL} shows its results"


async def _health(url: str) -> bytes:
    """Return the whole answer; HTTP/1.0, so that its end is that of the connection. Raises OSError."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(f"GET /api/health HTTP/1.0\r\nHost: {address.netloc}\r\n\r\n".encode())
        return await reader.read()
    finally:
        writer.transport.abort()
