"""The names of this server, and the pages that may act here: the only place where Host and Origin are checked.

A web page may send requests to a server that only the page's visitor can reach: across origins, or under a name of its
own that it lets point to the server's address (DNS rebinding). So a Host must be a known name of the server, and if a
browser sends the Origin of the page, that page must be ours, or one that is allowed. Programs send no Origin, and need
none. Names that an attacker cannot point to another address are always known: a literal address, a loopback name and,
where the server listens beyond this machine, a name without a dot.
"""

import ipaddress
import socket
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlsplit

from palio_rules.errors import BadOption

PORTS = {"http": 80, "https": 443}


def parse_origin(text: str, option: str) -> str:
    """Return `https://palio.example` as browsers write it. Raises BadOption, which names `option`."""
    try:
        parts = urlsplit(text.strip())
        scheme, host, port = parts.scheme.lower(), (parts.hostname or "").lower(), parts.port
    except ValueError:  # a port that is not a number, brackets that do not close
        scheme, host, port, parts = "", "", None, urlsplit("")
    rest = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    if scheme not in PORTS or not host or rest:
        raise BadOption(f"{option} {text!r} is no site; write scheme and name, as in https://palio.example")
    name = f"[{host}]" if ":" in host else host
    return f"{scheme}://{name}" if port in (None, PORTS[scheme]) else f"{scheme}://{name}:{port}"


@dataclass(frozen=True, slots=True)
class Sites:
    """The names of one server, and the pages that may act there."""

    bound: str = "127.0.0.1"  # the host that it listens on
    public: str = ""  # the origin under which people reach it; "": unknown
    others: frozenset[str] = frozenset()  # origins whose pages may act here, too
    machine: frozenset[str] = field(default=frozenset(), compare=False)  # the names of this machine

    @classmethod
    def parse(cls, bound: str, public_url: str | None, origins: str) -> Self:
        """Read a server's settings; `origins` with commas between. Raises BadOption."""
        public = "" if public_url is None else parse_origin(public_url, "--public-url")
        wanted = filter(None, (part.strip() for part in origins.split(",")))
        others = frozenset(parse_origin(part, "--origin") for part in wanted)
        machine = frozenset() if _is_loopback(bound) else frozenset({socket.gethostname().lower()})
        return cls(bound.lower(), public, others, machine)

    @property
    def secure(self) -> bool:
        """True if people reach it by HTTPS."""
        return self.public.startswith("https:")

    def refusal(self, host: str, origin: str | None, *, acts: bool, behind: str = "") -> tuple[str, str] | None:
        """Return why a request is refused, as a code and a sentence with the remedy; None if it is not.

        `acts`: it changes something, or opens a WebSocket. `behind`: the Host that a trusted proxy was asked for.
        """
        if not self.knows(host):
            remedy = f"open it under {self.public or 'a loopback name'}, or start it with --public-url http://NAME"
            return "foreign-host", f"this server does not answer to the name {host[:80]!r}; {remedy}"
        if acts and origin is not None and not self._may_act(origin, {host.lower(), behind.lower()}):
            remedy = "use this server's own page, or a program; its operator allows another site with --origin"
            return "foreign-origin", f"a page of {origin[:80]!r} may not act here; {remedy}"
        return None

    def knows(self, host: str) -> bool:
        """Return True if a Host header, with any port, names this server."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if _is_loopback(name) or name == self.bound or name == urlsplit(self.public).hostname:
            return True
        if _is_loopback(self.bound):
            return False
        return _is_address(name) or bool(name and "." not in name) or name in self.machine

    def _may_act(self, origin: str, hosts: set[str]) -> bool:
        try:
            page = parse_origin(origin, "Origin")
        except BadOption:  # "null", of a page without an origin, or nonsense
            return False
        return page == self.public or page in self.others or urlsplit(origin).netloc.lower() in hosts


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_loopback(name: str) -> bool:
    return (
        name == "localhost"
        or name.endswith(".localhost")
        or (_is_address(name) and ipaddress.ip_address(name).is_loopback)
    )
