"""Who asks, as far as limits need it: the address that the connection comes from."""

import ipaddress

from starlette.requests import Request

PREFIX = 64  # bits of an IPv6 address that one household or machine has


def address_of(request: Request) -> str:
    """The visitor's address; "" for one that says nothing: this machine's own, which is a proxy's, or the owner's.

    What a request says of itself (X-Forwarded-For) is not looked at: anybody can say anything there.
    """
    host = request.client.host if request.client else ""
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or found
    if found.is_loopback:
        return ""
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, PREFIX), strict=False).network_address)
    return str(found)
