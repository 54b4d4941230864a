"""One thread for one match, in which an author's plain methods take their time while the connection stays alive."""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call ended; a value either way, because neither a future nor a coroutine can carry a StopIteration."""

    result: Any = None
    error: BaseException | None = None


class Worker:
    """Calls functions one after the other in a thread of its own.

    The thread is a daemon: a search that never ends cannot keep the program from ending. That is why this is no
    ThreadPoolExecutor, which the interpreter waits for.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[tuple[Future[Ended], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, function: Callable[..., Any], *args: Any) -> Ended:
        """Call `function` in the thread. If the caller is cancelled, it stops waiting; the call itself goes on."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        future: Future[Ended] = Future()
        self._jobs.put((future, lambda: function(*args)))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Let the thread end after the calls that are waiting."""
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                ended = Ended(result=call())
            except BaseException as error:  # noqa: BLE001  # whatever it is belongs to the caller, who waits for it
                ended = Ended(error=error)
            future.set_result(ended)
