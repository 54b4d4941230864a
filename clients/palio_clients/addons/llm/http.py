"""One POST over HTTP/1.1, on asyncio's streams, so that it can be cancelled at any time: no thread, no library.

A connection is used once: beside what a model takes to answer, to connect costs nothing, and none is ever found closed.
All that a server sends is bounded; the caller bounds the time.
"""

import asyncio
import http.client
import io
import ipaddress
import json
import os
import re
import ssl
import zlib
from base64 import b64encode
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from palio_clients.addons.llm.settings import LOCAL, Endpoint, authority
from palio_clients.sdk.failures import BadBot

# What can go wrong between a bot and its language model.
#
# Exception
# ├── EndpointFailed       no answer; str() is a sentence for the bot's author and for viewers
# │   ├── Passing          another try may help: busy, broken, not there
# │   └── Unsupported      the endpoint does not know a parameter of the request, and is asked without it
# └── NoMove               an answer in which no move was found (also a ValueError); str() is told to the model


class EndpointFailed(Exception):
    """The endpoint did not answer, and asking again will not help: a wrong key, model or address."""


class Passing(EndpointFailed):
    """The endpoint did not answer this time. `after_s`: it says itself when to ask again."""

    def __init__(self, reason: str, after_s: float | None = None) -> None:
        super().__init__(reason)
        self.after_s = after_s


class Unsupported(EndpointFailed):
    """The endpoint refuses the request because of `parameter`."""

    def __init__(self, reason: str, parameter: str) -> None:
        super().__init__(reason)
        self.parameter = parameter


class NoMove(ValueError):
    """An answer says no move, or more than one."""


# The proxy that stands between us and an endpoint, as the environment names it. `NO_PROXY` is read as curl reads it.
#
# This machine is never asked for through a proxy: that is never meant, and a key for a model of one's own would travel.
# A proxy's URL may hold a password, so no sentence repeats the URL: it names the variable.

CGI = "REQUEST_METHOD"  # where it is set, HTTP_PROXY is what a stranger has sent as a header `Proxy:`
EXAMPLE = "http://proxy.example:3128"


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that speaks HTTP; with `tls` the way to it is encrypted."""

    host: str
    port: int
    tls: bool
    variable: str  # of the environment, which has named it
    credentials: str = field(default="", repr=False)  # "USER:PASSWORD" in base64, as `Proxy-Authorization` has them
    password: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"the proxy {'https' if self.tls else 'http'}://{authority(self.host, self.port, tls=self.tls)}"


def proxy(endpoint: Endpoint, environ: Mapping[str, str] = os.environ) -> Proxy | None:
    """The proxy for `endpoint`, or None. Raises BadBot, without repeating what the environment holds.

    Small letters count before capitals, and an empty variable as none, as for curl.
    """
    if _is_here(endpoint.host) or _is_exempt(endpoint.host, environ.get("no_proxy", environ.get("NO_PROXY", ""))):
        return None
    scheme = "https" if endpoint.tls else "http"
    names = [f"{scheme}_proxy", f"{scheme}_proxy".upper(), "all_proxy", "ALL_PROXY"]
    if CGI in environ:
        names = [name for name in names if name != "HTTP_PROXY"]
    found = next((name for name in names if environ.get(name, "").strip()), None)
    return None if found is None else _read(environ[found].strip(), found, endpoint)


def _read(text: str, variable: str, endpoint: Endpoint) -> Proxy:
    remedy = f"write {variable}={EXAMPLE}, or put {endpoint.host} into NO_PROXY"
    try:
        url = urlsplit(text if "://" in text else f"http://{text}")
        host, port = url.hostname, url.port
    except ValueError:
        raise BadBot(f"what {variable} holds is no URL of a proxy; {remedy}") from None
    if url.scheme not in ("http", "https"):
        kind = f"a {url.scheme} proxy" if url.scheme.startswith("socks") else "another proxy"
        raise BadBot(f"{variable} names {kind}, and only http and https ones are spoken here; {remedy}")
    if not host or not text.isascii() or not text.isprintable() or " " in text:
        raise BadBot(f"what {variable} holds is no URL of a proxy; {remedy}")
    tls = url.scheme == "https"
    user, password = unquote(url.username or ""), unquote(url.password or "")
    credentials = b64encode(f"{user}:{password}".encode()).decode() if user or password else ""
    return Proxy(host, port or (443 if tls else 80), tls, variable, credentials, password)


def _is_here(host: str) -> bool:
    address = _address(host)
    return host in LOCAL if address is None else address.is_loopback


def _is_exempt(host: str, text: str) -> bool:
    """Whether `NO_PROXY` names the host: itself, a domain that it is in, or for addresses a network such as 10.0.0.0/8.

    "*" alone means all hosts. Entries are divided by commas or spaces; a dot before or behind a name means nothing.
    """
    if text.strip() == "*":
        return True
    address, name = _address(host), host.lower().rstrip(".")
    for entry in filter(None, re.split(r"[,\s]+", text)):
        if address is not None:
            if _is_in(address, entry):
                return True
        elif (domain := entry.lower().removeprefix(".").rstrip(".")) and f".{name}".endswith(f".{domain}"):
            return True
    return False


def _is_in(address: ipaddress.IPv4Address | ipaddress.IPv6Address, entry: str) -> bool:
    try:
        return address in ipaddress.ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        return False


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


# Secrets, and texts without them: some endpoints repeat the key that they were sent.
#
# A text is hidden before it is cut, because half a key is a part of the key.

LONG = 8  # characters: shorter ones, as "EMPTY" or "x" for a model of one's own, stand in honest answers, too
STARS = "***"


class Hiding:
    """Replaces secrets in texts: the key, and the login in the proxy's URL."""

    def __init__(self, key: str = "", proxy: Proxy | None = None) -> None:
        secrets = [key, *((proxy.credentials, proxy.password) if proxy is not None else ())]
        forms = {form for each in secrets for form in (each, json.dumps(each)[1:-1], repr(each)[1:-1])}
        self._secrets = sorted(filter(None, forms), key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Hiding({len(self._secrets)})"

    def sentence(self, text: str) -> str:
        """Words about what is wrong, without any secret."""
        for secret in self._secrets:
            text = text.replace(secret, STARS)
        return text

    def answer(self, text: str) -> str:
        """Words of a model, in which moves are looked for: without long secrets."""
        for secret in self._secrets:
            if len(secret) >= LONG:
                text = text.replace(secret, STARS)
        return text


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
    Raises Passing, and EndpointFailed if the proxy refuses; may be cancelled.
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
    """End the connection. Until then the writer must be referenced: it closes the connection when it is collected."""
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
            return bytes(found)  # trailers are not read
        found += await reader.readexactly(size)
        if await reader.readexactly(2) != b"\r\n":
            raise ValueError("a chunk without an end")


def _bounded(length: int) -> int:
    if length > MAX_BODY:
        raise ValueError(f"an answer has at most {MAX_BODY} bytes here")
    return length


def _plain(body: bytes, headers: http.client.HTTPMessage) -> bytes:
    """Unpack a body that a server has packed without being asked to."""
    if headers.get("Content-Encoding", "").lower() not in ("gzip", "deflate"):
        return body
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
    found = unpacker.decompress(body, MAX_BODY)
    if unpacker.unconsumed_tail:
        _bounded(MAX_BODY + 1)
    return found
