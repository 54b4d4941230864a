"""Who asks, and by which way: the address that a request comes from, the path below which it finds our addresses."""

from starlette.requests import HTTPConnection

from palio_server.edge.addresses import key_of


def address_of(request: HTTPConnection) -> str:
    """The visitor's address, as limits count it; "" for this machine's own, which may be a proxy that nobody named.

    The guard has put the true address in the place of a trusted proxy's.
    """
    return key_of(request.client.host) if request.client else ""


def root_of(request: HTTPConnection) -> str:
    """The path below which a proxy, or another application, has put this server; "" for none."""
    root: str = request.scope.get("app_root_path", request.scope.get("root_path", ""))
    return root.rstrip("/")
