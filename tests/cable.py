"""A cable to a server, which can be cut: then no data comes through, and no side is told."""

import asyncio
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Self


class Cable:
    """Passes on what comes to its port, in both directions, until it is cut, and again once it is mended."""

    def __init__(self, to: int) -> None:
        self.port = 0
        self._to = to
        self._whole = asyncio.Event()
        self._whole.set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_error: object) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        self._whole.clear()

    def mend(self) -> None:
        self._whole.set()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._whole.wait()
        with suppress(OSError):
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
            for source, sink in ((reader, far_writer), (far_reader, writer)):
                task = asyncio.create_task(self._pass(source, sink))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                await self._whole.wait()
                sink.write(data)
        except OSError:
            pass
        finally:
            sink.close()


def sent_at_once(port: int) -> list[bool]:
    """Return for each connection to `port` whether it has TCP_NODELAY. Linux only."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError), socket.socket(fileno=os.dup(int(entry.name))) as connection:
            if connection.type == socket.SOCK_STREAM and connection.getpeername()[1:2] == (port,):
                found.append(bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
    return found
