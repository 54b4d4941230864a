"""One request to a language model's endpoint, by httpx, directly or through a proxy.

A connection is used once: a model takes so long to answer that connecting costs nothing beside it, and no connection is
found closed. The size of an answer is bounded here; the caller bounds the time.
"""

import ipaddress
import json
import os
import re
import ssl
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import httpx

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
    """Check whether `NO_PROXY` names the host, a domain that it is in, or (for addresses) a network as 10.0.0.0/8.

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


MAX_BODY = 4 * 2**20  # bytes of an answer: a hundred times as much as the longest that models write


class Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


async def get(endpoint: Endpoint, path: str, key: str, proxy: Proxy | None = None) -> Response:
    """Return the whole answer to a GET of `path` at the endpoint's host. Raises like `post`."""
    return await _exchange("GET", endpoint, path, None, key, proxy)


async def post(endpoint: Endpoint, body: bytes, key: str, proxy: Proxy | None = None) -> Response:
    """Send `body`, which is JSON, and return the whole answer; redirects are not followed.

    Through a `proxy`, `https` goes through a tunnel, in which the proxy reads nothing; of `http` it reads everything.
    Raises Passing; EndpointFailed where the proxy refuses for good. May be cancelled.
    """
    return await _exchange("POST", endpoint, endpoint.path, body, key, proxy)


async def _exchange(
    method: str, endpoint: Endpoint, path: str, body: bytes | None, key: str, proxy: Proxy | None
) -> Response:
    hiding, way = Hiding(key, proxy), _Way(endpoint, proxy)
    headers = {
        **({} if body is None else {"Content-Type": "application/json"}),
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "palio",
        "Connection": "close",
        **({"Authorization": f"Bearer {key}"} if key else {}),
    }
    request = httpx.Request(
        method, f"{endpoint}{path}", content=body, headers=headers, extensions={"trace": way.follow}
    )
    try:
        # The transport alone: a client would prepare to follow redirects, and log a line for each request.
        async with httpx.AsyncHTTPTransport(verify=_trusted(), proxy=_proxy_of(proxy), trust_env=False) as transport:
            answer = await transport.handle_async_request(request)
            found = Response(answer.status_code, answer.headers, await _body(answer))
    except httpx.ProxyError as error:
        assert proxy is not None
        raise _refused(proxy, endpoint, _status(error)) from None
    except httpx.ConnectError as error:
        raise Passing(way.not_connected(error)) from error
    except (OSError, UnicodeError, httpx.InvalidURL) as error:
        raise Passing(f"{endpoint} cannot be reached: {error}") from error
    except (httpx.TransportError, ValueError, zlib.error) as error:
        raise Passing(f"{way.at} broke off or sent what is no HTTP: {_said(error, hiding)}") from None
    if proxy is not None and not endpoint.tls and found.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        raise _refused(proxy, endpoint, found.status)
    return found


class _Way:
    """The progress of a request, by httpcore's trace. It tells a fault of the proxy from one of the endpoint."""

    def __init__(self, endpoint: Endpoint, proxy: Proxy | None) -> None:
        self._endpoint = endpoint
        self.at: Endpoint | Proxy = proxy if proxy is not None and endpoint.tls else endpoint
        self._connecting: Endpoint | Proxy = proxy or endpoint

    async def follow(self, event: str, _: object) -> None:
        """Note that the tunnel stands: what fails from now on is the endpoint's."""
        if event == "proxy.start_tls.started":
            self.at = self._connecting = self._endpoint

    def not_connected(self, error: httpx.ConnectError) -> str:
        """Return why there is no connection: nothing answers there, or its certificate is not trusted."""
        for cause in _causes(error):
            if isinstance(cause, ssl.SSLError):
                return f"{self._connecting} cannot be trusted: {cause.reason or cause}"
        words = [cause.strerror for cause in _causes(error) if isinstance(cause, OSError) and cause.strerror]
        return f"{self._connecting} cannot be reached: {words[-1] if words else error}"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _proxy_of(proxy: Proxy | None) -> httpx.Proxy | None:
    if proxy is None:
        return None
    scheme = "https" if proxy.tls else "http"
    headers = {"Proxy-Authorization": f"Basic {proxy.credentials}"} if proxy.credentials else None
    url = f"{scheme}://{authority(proxy.host, proxy.port, tls=proxy.tls)}"
    return httpx.Proxy(url, headers=headers, ssl_context=_trusted() if proxy.tls else None)


def _status(error: httpx.ProxyError) -> int:
    """Return the status with which a proxy refused a tunnel: httpx begins its message with it."""
    word = str(error).partition(" ")[0]
    return int(word) if word.isdecimal() else HTTPStatus.BAD_GATEWAY


def _refused(proxy: Proxy, endpoint: Endpoint, status: int) -> EndpointFailed:
    """Return what is said of a proxy that does not let us through. Its own words are pages for browsers."""
    if status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        wants = "refuses its user and password" if proxy.credentials else "wants a user and a password"
        return EndpointFailed(f"{proxy} {wants} ({status:d}); write {proxy.variable}=http://USER:PASSWORD@HOST:PORT")
    reason = f"{proxy} does not connect us with {endpoint} ({status:d})"
    if status in (408, 429) or status >= 500:
        return Passing(reason)
    return EndpointFailed(f"{reason}; have it allowed there, or put {endpoint.host} into NO_PROXY")


def _said(error: Exception, hiding: Hiding) -> str:
    """The kind of error and its words, which may quote the answer: cut only after the secrets are hidden."""
    words = hiding.sentence(str(error))
    return f"{type(error).__name__}: {words}"[:200] if words else type(error).__name__


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


async def _body(answer: httpx.Response) -> bytes:
    """Return the body, unpacked where a server packs it unasked. Raises ValueError beyond MAX_BODY bytes.

    httpx would unpack each part as it comes, a thousand times its size; this stops at the bound.
    """
    found = bytearray()
    async for part in answer.aiter_raw():
        found += part
        _check_size(len(found))
    if answer.headers.get("Content-Encoding", "").lower() not in ("gzip", "deflate"):
        return bytes(found)
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)
    plain = unpacker.decompress(bytes(found), MAX_BODY)
    if unpacker.unconsumed_tail:
        _check_size(MAX_BODY + 1)
    return plain


def _check_size(length: int) -> None:
    if length > MAX_BODY:
        raise ValueError(f"an answer has at most {MAX_BODY} bytes here")
