"""A thread with one plain connection: the event loop hands it work and goes on."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from palio_db.connections import Connection

T = TypeVar("T")

GRACE_S = 15.0  # for work whose caller was cancelled; longer than SQLite waits for another writer


async def finished(work: "asyncio.Future[T]") -> T:
    """What it comes to. A caller that is cancelled is so only when the work is done.

    What has been sent to a thread or a server cannot be called back.
    """
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work], timeout=GRACE_S)
        if work.done() and not work.cancelled():
            work.exception()  # nobody is left to hear of it
        raise


class ConnectionThread:
    """Runs work on a connection of its own, one after the other; connects when there is something to do, and again
    after the connection was lost.
    """

    def __init__(self, name: str, connect: Callable[[], Connection]) -> None:
        self._name, self._connect = name, connect
        self._work: SimpleQueue[tuple[Callable[[Connection], Any], asyncio.Future[Any]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._connection: Connection | None = None

    def run(self, work: Callable[[Connection], T]) -> "asyncio.Future[T]":
        """What `work` returns or raises. On a connection that turns out to have been lost before, it is run twice."""
        if self._thread is None:
            # A daemon: whoever leaves without closing the store shall not wait. What is not committed was not promised.
            self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._thread.start()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._work.put((work, future))
        return future

    @property
    def connected(self) -> bool:
        """Whether it has a connection now."""
        return self._connection is not None

    async def close(self) -> None:
        """Do what there is to do, then close the connection."""
        if self._thread is not None:
            self._work.put(None)
            await asyncio.to_thread(self._thread.join)
            self._thread = None

    def _serve(self) -> None:
        while (item := self._work.get()) is not None:
            work, future = item
            value, error = None, None
            try:
                value = self._run(work)
            except BaseException as caught:  # noqa: BLE001  whatever it is, it belongs to who asked
                error = caught
            with suppress(RuntimeError):  # the loop was closed: nobody waits any more
                future.get_loop().call_soon_threadsafe(_settle, future, value, error)
            del item, work, future, value, error  # or they would live until the next work comes
        self._drop()

    def _run(self, work: Callable[[Connection], T]) -> T:
        again = self._connection is not None
        while True:
            connection = self._connection = self._connection or self._connect()
            try:
                return work(connection)
            except BaseException as error:
                connection.rollback()
                if not connection.lost(error):
                    raise
                self._drop()
                # A server that was restarted shall cost no failed transaction. One that may have been committed is
                # another matter: its caller knows what to do then.
                if connection.committing or not again or connection.kind == "sqlite":
                    raise
                again = False

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
            self._connection = None


def _settle(future: "asyncio.Future[Any]", value: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)
