"""Requests as RFC 9112 has them: what a server must see to beyond what h11 does, before anybody acts on a request.

Two programs that read one request differently, a proxy and we, can be made to disagree where it ends (request
smuggling). So what has two meanings is refused, and the connection ends with the answer.
"""

import re
from typing import Any

import h11

_HOST = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?")  # RFC 3986
_ABSOLUTE = re.compile(rb"https?://([^/?#]*)([^#]*)", re.IGNORECASE)
LINE_ENDS = b"\r\n"  # before a request they mean nothing (section 2.2)


class BadRequest(h11.RemoteProtocolError):
    """A request that is not acted on. `error_status_hint` is its status."""


class Requests(h11.Connection):
    """A connection whose requests can be acted on. `fault` says what was wrong with one that could not be read."""

    def __init__(self, most: int) -> None:
        """`most`: how many bytes a request may have before its body."""
        super().__init__(h11.SERVER, most)
        self._most = most
        self.fault = h11.RemoteProtocolError("")

    def next_event(self) -> Any:
        """As h11 has it. Raises RemoteProtocolError, which is the `fault` then."""
        try:
            event = super().next_event()
            if type(event) is not h11.Request:
                return event
            if sum(len(name) + len(value) for name, value in event.headers) > self._most:  # it has come at once
                raise BadRequest(f"a request has at most {self._most} bytes before its body", error_status_hint=431)
            return _checked(event)
        except h11.RemoteProtocolError as error:
            self.fault = error
            raise


def _checked(request: h11.Request) -> h11.Request:
    """The request, with a target that begins with a slash. Raises BadRequest."""
    names = [name for name, _ in request.headers]
    if not request.http_version.startswith(b"1."):
        said = request.http_version.decode()
        raise BadRequest(f"HTTP/{said} is not spoken here, but HTTP/1.1", error_status_hint=505)
    if b"transfer-encoding" in names:
        if b"content-length" in names:
            raise BadRequest("a request has Content-Length or Transfer-Encoding, not both")
        if request.http_version == b"1.0":
            raise BadRequest("a request of HTTP/1.0 has no Transfer-Encoding")
    hosts = [value for name, value in request.headers if name == b"host"]
    target = request.target
    if (absolute := _ABSOLUTE.fullmatch(target)) is not None:  # what it names counts, not the Host (section 3.2.2)
        hosts, rest = [absolute[1]], absolute[2]
        target = rest if rest.startswith(b"/") else b"/" + rest
    elif not target.startswith(b"/") and (request.method, target) != (b"OPTIONS", b"*"):
        raise BadRequest("the target of a request begins with a slash")
    if hosts and _HOST.fullmatch(hosts[0]) is None:
        raise BadRequest("the Host of a request is a name or an address, and perhaps a port")
    if absolute is None:
        return request
    others = [(name, value) for name, value in request.headers if name != b"host"]
    headers = [(b"host", hosts[0]), *others]
    return h11.Request(method=request.method, target=target, headers=headers, http_version=request.http_version)
