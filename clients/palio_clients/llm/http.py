"""One POST over HTTP/1.1, on asyncio's streams, so that it can be cancelled at any time: no thread, no library.

A connection is used once: beside what a model takes to answer, to connect costs nothing, and none is ever found closed.
Whatever a server sends is bounded; how long it may take is the caller's business.
"""

import asyncio
import http.client
import io
import ssl
import zlib
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from palio_clients.llm.failures import Passing
from palio_clients.llm.settings import Endpoint

MAX_HEAD = 64 * 1024  # bytes of the headers
MAX_BODY = 4 * 2**20  # bytes of an answer: of the longest that models write, a hundred times as much
MAX_INTERIM = 8  # answers such as "100 Continue" before the real one


class Response(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


async def post(endpoint: Endpoint, body: bytes, key: str) -> Response:
    """Send `body`, which is JSON, and read the whole answer. Raises Passing; may be cancelled."""
    lines = [
        f"POST {endpoint.path} HTTP/1.1",
        f"Host: {endpoint.authority}",
        "Content-Type: application/json",
        "Accept: application/json",
        "Accept-Encoding: identity",
        f"Content-Length: {len(body)}",
        "User-Agent: palio",
        "Connection: close",
        *([f"Authorization: Bearer {key}"] if key else []),
    ]
    try:
        reader, writer = await asyncio.open_connection(
            endpoint.host, endpoint.port, limit=MAX_HEAD, ssl=_trusted() if endpoint.tls else None
        )
    except ssl.SSLError as error:
        raise Passing(f"{endpoint} cannot be trusted: {error.reason or error}") from error
    except OSError as error:
        raise Passing(f"{endpoint} cannot be reached: {error.strerror or error}") from error
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
        with suppress(ConnectionError):  # it may have answered, and gone, before all was written
            await writer.drain()
        return await _response(reader)
    except (OSError, EOFError, asyncio.LimitOverrunError, http.client.HTTPException, ValueError, zlib.error) as error:
        raise Passing(f"{endpoint} broke off or sent what is no HTTP: {_said(error)}") from error
    finally:
        writer.transport.abort()


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200] if str(error) else type(error).__name__


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


async def _response(reader: asyncio.StreamReader) -> Response:
    for _ in range(MAX_INTERIM):
        head = await reader.readuntil(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        status = _status(line)
        if status >= 200:
            headers = http.client.parse_headers(io.BytesIO(rest))
            return Response(status, headers, _plain(await _body(reader, headers, status), headers))
    raise ValueError("only interim answers")


def _status(line: bytes) -> int:
    words = line.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit() or len(words[1]) != 3:
        raise ValueError(f"it begins with {line[:40]!r}")
    return int(words[1])


async def _body(reader: asyncio.StreamReader, headers: http.client.HTTPMessage, status: int) -> bytes:
    if status in (204, 304):
        return b""
    if "chunked" in headers.get("Transfer-Encoding", "").lower():
        return await _chunks(reader)
    length = headers.get("Content-Length")
    if length is None:
        return await _up_to(reader, None)
    if not length.strip().isdigit():
        raise ValueError(f"Content-Length: {length[:40]}")
    return await _up_to(reader, int(length))


async def _up_to(reader: asyncio.StreamReader, length: int | None) -> bytes:
    """So many bytes, or all until the connection is closed."""
    if length is not None:
        return await reader.readexactly(_bounded(length))
    found = bytearray()
    while chunk := await reader.read(65536):
        found += chunk
        _bounded(len(found))
    return bytes(found)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    found = bytearray()
    while True:
        line = await reader.readuntil(b"\r\n")
        size = int(line.split(b";")[0].strip(), 16)
        if size < 0:
            raise ValueError("a chunk of negative size")
        _bounded(len(found) + size)
        if size == 0:
            return bytes(found)  # trailers are nobody's business
        found += await reader.readexactly(size)
        if await reader.readexactly(2) != b"\r\n":
            raise ValueError("a chunk without an end")


def _bounded(length: int) -> int:
    if length > MAX_BODY:
        raise ValueError(f"an answer has at most {MAX_BODY} bytes here")
    return length


def _plain(body: bytes, headers: http.client.HTTPMessage) -> bytes:
    """Unpacked, where a server packs what nobody has asked it to."""
    if headers.get("Content-Encoding", "").lower() not in ("gzip", "deflate"):
        return body
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
    found = unpacker.decompress(body, MAX_BODY)
    if unpacker.unconsumed_tail:
        _bounded(MAX_BODY + 1)
    return found
