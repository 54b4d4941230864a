"""The proxy that stands between us and an endpoint, as the environment names it. `NO_PROXY` is read as curl reads it.

This machine is never asked for through a proxy: nobody means that, and a key for a model of one's own would travel.
A proxy's URL may hold a password, so no sentence repeats the URL: it names the variable.
"""

import ipaddress
import os
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from palio_clients.llm.settings import LOCAL, Endpoint, authority
from palio_clients.sdk.failures import BadBot

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
