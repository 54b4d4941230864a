"""Who asks, as far as limits need it: the address that the request comes from."""

from starlette.requests import HTTPConnection

from palio_server.edge.addresses import key_of


def address_of(request: HTTPConnection) -> str:
    """The visitor's address, as limits count it; "" for this machine's own, which may be a proxy that nobody named.

    The guard has put the true address in the place of a trusted proxy's.
    """
    return key_of(request.client.host) if request.client else ""
