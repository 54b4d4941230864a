"""Servers of tests: on a free port of this machine, ended with the test, perhaps in a thread of their own."""

import asyncio
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import TypeVar

T = TypeVar("T")
Connected = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(connected: Connected, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port on which whoever comes is met by `connected`, until the context ends."""
    tasks: set[asyncio.Task] = set()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.current_task())
        await connected(reader, writer)

    server = await asyncio.start_server(meet, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def thread_of(serving: Callable[[], AbstractAsyncContextManager[T]]) -> Iterator[T]:
    """What the context gives, which is open in a thread of its own."""
    began, ended, found = threading.Event(), None, []

    async def run() -> None:
        nonlocal ended
        ended = asyncio.Event()
        async with serving() as server:
            found.extend([server, asyncio.get_running_loop()])
            began.set()
            await ended.wait()

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    began.wait()
    try:
        yield found[0]
    finally:
        found[1].call_soon_threadsafe(ended.set)
        thread.join()
