"""Client addresses as limits count them: one address, or the network of one household.

Behind a proxy every connection comes from the proxy; the true address that it gives (X-Forwarded-For, or Forwarded of
RFC 7239) is believed only for proxies that the operator has named. Each adds the address that it has seen at the right,
so the rightmost address that is not one of our proxies is the true one: any client may have written those left of it.
"""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from palio_rules.errors import BadOption

HOUSEHOLD = 64  # bits of an IPv6 address that one household or machine has
MOST_HOPS = 20  # addresses in one header that are read

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_FOR = re.compile(r'(?:^|;)\s*for=("(?:[^"\\]|\\.)*"|[^;\s]*)', re.IGNORECASE)


def key_of(host: str) -> str:
    """Return the key by which limits count `host`; "" for this machine, and for a text that is not an address.

    >>> key_of("203.0.113.7"), key_of("2001:db8:1:2:3::4"), key_of("127.0.0.1")
    ('203.0.113.7', '2001:db8:1:2::', '')
    """
    found = _read(host)
    if found is None or found.is_loopback:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, HOUSEHOLD), strict=False).network_address)
    return str(found)


@dataclass(frozen=True, slots=True)
class Proxies:
    """The proxies whose headers are believed."""

    networks: Sequence[Network] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `127.0.0.1,10.0.0.0/8,unix`: addresses and networks. Raises BadOption with the part that is neither."""
        found: list[Network] = []
        for part in filter(None, (part.strip() for part in text.split(","))):
            try:
                found.append(ipaddress.ip_network(part))
            except ValueError as error:
                wanted = "write addresses and networks, as in 127.0.0.1,10.0.0.0/8"
                raise BadOption(f"--forwarded-from {part!r} is no address and no network ({error}); {wanted}") from None
        return cls(tuple(found))

    def __contains__(self, host: str) -> bool:
        found = _read(host)
        return found is not None and any(found in network for network in self.networks)

    def true_host(self, peer: str, forwarded_for: str, forwarded: str = "") -> str:
        """Return the client behind the connection of `peer`, by the two headers; `peer` itself unless it is one of our
        proxies.
        """
        if peer not in self:
            return peer
        hops = forwarded_for.split(",") if forwarded_for else [_hop(element) for element in forwarded.split(",")]
        found = peer
        for hop in reversed(hops[-MOST_HOPS:]):
            address = _read(_without_port(hop.strip().strip('"')))
            if address is None:  # "unknown", or nonsense: the proxy that wrote it is the last known address
                break
            found = str(address)
            if found not in self:
                break
        return found


def _read(host: str) -> IPAddress | None:
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return found.ipv4_mapped or found if isinstance(found, ipaddress.IPv6Address) else found


def _hop(element: str) -> str:
    """Return the value of `for` in one element of `Forwarded`."""
    found = _FOR.search(element)
    return found[1] if found else ""


def _without_port(text: str) -> str:
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text
