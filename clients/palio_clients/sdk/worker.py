"""One thread for one match, in which an author's plain methods take their time while the connection stays alive."""

import asyncio
import inspect
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from palio_clients.sdk.failures import PlayerFailed, traceback_text


class Job(NamedTuple):
    future: asyncio.Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    certain: bool  # it is done even if nobody waits for it any more


class Worker:
    """Calls functions one after the other in a thread of its own.

    The thread is a daemon: a search that never ends cannot keep the program from ending. That is why this is no
    ThreadPoolExecutor, which the interpreter waits for.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._unfinished = 0

    @property
    def busy(self) -> bool:
        """Whether a call is going on or waits, perhaps one that nobody waits for."""
        return self._unfinished > 0

    def call(self, function: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        """Call `function` in the thread, even if the future is cancelled: then nobody waits for it."""
        return self._queue(function, arguments, certain=True)

    def ask(self, function: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        """As `call`, but what has not begun when the future is cancelled will not be done."""
        return self._queue(function, arguments, certain=False)

    def _queue(self, function: Callable[..., Any], arguments: tuple[Any, ...], *, certain: bool) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        self._unfinished += 1
        self._jobs.put(Job(future, function, arguments, certain))
        return future

    def close(self) -> None:
        """Let the thread end after the calls that are waiting."""
        if self._thread is not None:
            self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            result, error = _done(job)
            with suppress(RuntimeError):  # the loop has been closed: nobody is interested any more
                job.future.get_loop().call_soon_threadsafe(self._deliver, job.future, result, error)
            del job, result, error  # they may be large, and the next one may be long in coming

    def _deliver(self, future: asyncio.Future[Any], result: Any, error: Exception | None) -> None:
        self._unfinished -= 1
        if future.cancelled():
            if inspect.iscoroutine(result):
                result.close()
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)


def _done(job: Job) -> tuple[Any, Exception | None]:
    """The result of a call, or its error; one that a future cannot carry as a PlayerFailed."""
    if job.future.cancelled() and not job.certain:
        return None, None
    try:
        return job.function(*job.arguments), None
    except StopIteration as error:
        return None, PlayerFailed(traceback_text(error, (__file__,)))
    except Exception as error:  # noqa: BLE001  # whatever it is belongs to the caller, who waits for it
        return None, error
    except BaseException as error:  # noqa: BLE001  # as above
        return None, PlayerFailed(traceback_text(error, (__file__,)))
