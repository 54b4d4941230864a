"""uvicorn's HTTP protocol, with patience that ends: who does not finish a request, or read the answer, is cut off.

uvicorn alone waits for such peers for ever, and each of them costs a file descriptor, of which a server has a thousand
or so.
"""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_S = 20.0  # from the connection, or from a request's first byte, to its last; the longest has 64 KiB
READ_S = 20.0  # in which a peer has to read something of a long answer


class HttpProtocol(H11Protocol):
    """One HTTP connection, until it becomes a WebSocket."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.request, self.reading = _Patience(transport), _Patience(transport)
        self.request.begin(REQUEST_S)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        owner: Any = self.transport.get_protocol()
        if owner is self and self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.request.begin(REQUEST_S)
        else:  # it has come whole, or has become a WebSocket
            self.request.end()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.reading.begin(READ_S)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.reading.end()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.request.end()
        self.reading.end()


class _Patience:
    """Waits for something, and then no longer. To begin again does not prolong it: drop by drop is too slow."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._transport.abort)

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
