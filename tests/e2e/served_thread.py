"""A whole server in a thread of its own, for tests that speak to it by plain sockets, byte by byte."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from serving import server_in

WAIT_S = 20.0  # for anything that has to come; on a loaded machine, too


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, int]]:
    """A server's address while the context lasts."""
    address: list[tuple[str, int]] = []
    ready, loops = threading.Event(), []
    ending = asyncio.Event()

    async def serve() -> None:
        async with server_in(folder) as server:
            parts = urlsplit(server.url)
            address.append((parts.hostname or "", parts.port or 0))
            loops.append(asyncio.get_running_loop())
            ready.set()
            await ending.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert ready.wait(WAIT_S), "the server has not started"
        yield address[0]
    finally:
        if loops:
            loops[0].call_soon_threadsafe(ending.set)
        thread.join()


class Peer:
    """A client's end of a connection, which knows no protocol."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, WAIT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.got = b""

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def more(self) -> bool:
        """Wait for some bytes more; False at the end. A reset raises ConnectionError: an answer may be lost by it."""
        data = self.socket.recv(65536)
        self.got += data
        return bool(data)

    def until(self, end: bytes) -> bytes:
        """Return the input up to `end`, and remove it."""
        while end not in self.got:
            assert self.more(), f"the connection ended with {self.got!r}"
        found, _, self.got = self.got.partition(end)
        return found + end

    def rest(self) -> bytes:
        """All that comes until the end."""
        while self.more():
            pass
        return self.got
