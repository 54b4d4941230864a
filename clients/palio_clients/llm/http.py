"""One POST over HTTP/1.1, on asyncio's streams, so that it can be cancelled at any time: no thread, no library.

A connection is used once: beside what a model takes to answer, to connect costs nothing, and none is ever found closed.
Whatever a server sends is bounded; how long it may take is the caller's business.
"""

import asyncio
import http.client
import io
import ssl
import zlib
from contextlib import ExitStack, suppress
from functools import cache
from typing import NamedTuple

from palio_clients.llm.failures import EndpointFailed, Passing
from palio_clients.llm.hiding import Hiding
from palio_clients.llm.proxy import Proxy
from palio_clients.llm.settings import Endpoint

MAX_HEAD = 64 * 1024  # bytes of the headers
MAX_BODY = 4 * 2**20  # bytes of an answer: of the longest that models write, a hundred times as much
MAX_INTERIM = 8  # answers such as "100 Continue" before the real one
_BROKEN = (OSError, EOFError, asyncio.LimitOverrunError, http.client.HTTPException, ValueError, zlib.error)


class Response(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes


async def post(endpoint: Endpoint, body: bytes, key: str, proxy: Proxy | None = None) -> Response:
    """Send `body`, which is JSON, and read the whole answer; nothing is sent to where a redirect leads.

    Through a `proxy`, `https` goes through a tunnel, in which the proxy reads nothing; of `http` it reads everything.
    Raises Passing, EndpointFailed where the proxy lets nobody through; may be cancelled.
    """
    tunnel = proxy is not None and endpoint.tls
    told = proxy if not tunnel else None  # the proxy reads this request itself
    lines = [
        f"POST {endpoint.path if told is None else f'{endpoint}{endpoint.path}'} HTTP/1.1",
        f"Host: {endpoint.authority}",
        "Content-Type: application/json",
        "Accept: application/json",
        "Accept-Encoding: identity",
        f"Content-Length: {len(body)}",
        "User-Agent: palio",
        "Connection: close",
        *([f"Authorization: Bearer {key}"] if key else []),
        *_for_proxy(told),
    ]
    hiding = Hiding(key, proxy)
    reader, writer = await _connected(endpoint if proxy is None else proxy)
    with ExitStack() as stack:
        stack.callback(_abort, writer)
        if proxy is not None and tunnel:
            reader, writer = await _through(proxy, endpoint, reader, writer, hiding)
            stack.callback(_abort, writer)
        try:
            writer.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
            with suppress(ConnectionError):  # it may have answered, and gone, before all was written
                await writer.drain()
            found = await _response(reader)
        except _BROKEN as error:
            raise Passing(f"{endpoint} broke off or sent what is no HTTP: {_said(error, hiding)}") from None
    if told is not None and found.status == http.client.PROXY_AUTHENTICATION_REQUIRED:
        raise _refused(told, endpoint, found.status)
    return found


def _abort(writer: asyncio.StreamWriter) -> None:
    """End the connection. Until then somebody has to hold the writer, which closes it when it is forgotten."""
    writer.transport.abort()


async def _connected(to: Endpoint | Proxy) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        return await asyncio.open_connection(to.host, to.port, limit=MAX_HEAD, ssl=_trusted() if to.tls else None)
    except ssl.SSLError as error:
        raise Passing(f"{to} cannot be trusted: {error.reason or error}") from error
    except (OSError, UnicodeError) as error:
        raise Passing(f"{to} cannot be reached: {getattr(error, 'strerror', None) or error}") from error


async def _through(
    proxy: Proxy, endpoint: Endpoint, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, hiding: Hiding
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Have the proxy connect us with the endpoint, and speak TLS with that. Raises EndpointFailed."""
    name = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    lines = [
        f"CONNECT {name}:{endpoint.port} HTTP/1.1",
        f"Host: {name}:{endpoint.port}",
        "User-Agent: palio",
        *_for_proxy(proxy),
    ]
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode("ascii"))
        await writer.drain()
        status, _ = await _head(reader)
    except _BROKEN as error:
        raise Passing(f"{proxy} broke off or sent what is no HTTP: {_said(error, hiding)}") from None
    if not 200 <= status < 300:
        raise _refused(proxy, endpoint, status)
    # A reader of its own, so that nothing that came before TLS is ever taken for the endpoint's words.
    clean = asyncio.StreamReader(limit=MAX_HEAD)
    protocol = asyncio.StreamReaderProtocol(clean)
    loop = asyncio.get_running_loop()
    try:
        transport = await loop.start_tls(writer.transport, protocol, _trusted(), server_hostname=endpoint.host)
    except ssl.SSLError as error:
        raise Passing(f"{endpoint} cannot be trusted: {error.reason or error}") from error
    except OSError as error:
        raise Passing(f"{endpoint} broke off before TLS had begun: {_said(error, hiding)}") from error
    if transport is None:
        raise Passing(f"{endpoint} broke off before TLS had begun")
    protocol.connection_made(transport)
    return clean, asyncio.StreamWriter(transport, protocol, clean, loop)


def _for_proxy(proxy: Proxy | None) -> list[str]:
    return [f"Proxy-Authorization: Basic {proxy.credentials}"] if proxy is not None and proxy.credentials else []


def _refused(proxy: Proxy, endpoint: Endpoint, status: int) -> EndpointFailed:
    """What is said of a proxy that does not let us through. Its own words are pages for browsers."""
    if status == http.client.PROXY_AUTHENTICATION_REQUIRED:
        wants = "refuses its user and password" if proxy.credentials else "wants a user and a password"
        return EndpointFailed(f"{proxy} {wants} ({status}); write {proxy.variable}=http://USER:PASSWORD@HOST:PORT")
    reason = f"{proxy} does not connect us with {endpoint} ({status})"
    if status in (408, 429) or status >= 500:
        return Passing(reason)
    return EndpointFailed(f"{reason}; have it allowed there, or put {endpoint.host} into NO_PROXY")


def _said(error: Exception, hiding: Hiding) -> str:
    """The kind of error and its words, which may quote what has come: cut only when no secret is in them any more."""
    words = hiding.sentence(str(error))
    return f"{type(error).__name__}: {words}"[:200] if words else type(error).__name__


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


async def _response(reader: asyncio.StreamReader) -> Response:
    status, rest = await _head(reader)
    headers = http.client.parse_headers(io.BytesIO(rest))
    return Response(status, headers, _plain(await _body(reader, headers, status), headers))


async def _head(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and headers of the answer that counts."""
    for _ in range(MAX_INTERIM):
        head = await reader.readuntil(b"\r\n\r\n")
        line, _, rest = head.partition(b"\r\n")
        status = _status(line)
        if status >= 200:
            return status, rest
    raise ValueError("only interim answers")


def _status(line: bytes) -> int:
    words = line.split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not words[1].isdigit() or len(words[1]) != 3:
        raise ValueError(f"it begins with {line!r}")
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
        raise ValueError(f"Content-Length: {length}")
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
