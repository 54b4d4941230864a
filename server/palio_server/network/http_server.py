"""The one port: uvicorn within our own event loop, without its signal handlers and without its `sys.exit`."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn

from palio_rules.wire import MAX_BYTES
from palio_server.network.http_protocol import HttpProtocol
from palio_server.network.websocket_protocol import WebSocketProtocol

BACKLOG = 2048
SHUTDOWN_S = 2  # for open connections to say goodbye; after that they are cut off


class _Embedded(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield  # Ctrl-C belongs to the command that embeds us


def bind(host: str, port: int) -> socket.socket:
    """A listening socket. Raises OSError with the address and the remedy."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio turns Nagle's algorithm off for every connection; unnamed, a turn takes 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        why = error.strerror or str(error)
        raise OSError(error.errno, f"cannot listen on {host}:{port} ({why}); choose another --host or --port") from None
    listener.setblocking(False)
    return listener


def url_of(listener: socket.socket) -> str:
    """The address as a browser takes it."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):  # noqa: S104  # compared with, not bound to
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@asynccontextmanager
async def serving(app: Any, listener: socket.socket) -> AsyncIterator[None]:
    """Serve the ASGI `app` on `listener` for as long as the context lasts; the socket is closed at its end."""
    config = uvicorn.Config(
        app,
        http=HttpProtocol,
        ws=WebSocketProtocol,
        ws_max_size=MAX_BYTES,
        ws_per_message_deflate=False,  # it costs 40 KiB a connection, and turns are small
        ws_ping_interval=20,
        ws_ping_timeout=20,
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    server = _Embedded(config)
    task = asyncio.create_task(server.serve(sockets=[listener]), name="http")
    try:
        while not server.started:
            if task.done():
                task.result()
                raise RuntimeError("the HTTP server ended before it had started")
            await asyncio.sleep(0.005)
        yield
    finally:
        server.should_exit = True
        with contextlib.suppress(asyncio.CancelledError):
            await task
        for connection in list(server.server_state.connections):
            connection.transport.abort()  # whoever has not said goodbye by now
        listener.close()
