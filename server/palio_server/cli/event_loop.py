"""The event loop of a command: the fastest available, until its work is done or a signal ends it."""

import asyncio
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, TypeVar

from palio_server.cli.log_option import on_stderr

T = TypeVar("T")

SIGNALS = (signal.SIGINT, signal.SIGTERM)
LONGEST_END_S = 9.0  # seconds from the first signal to the end of a server, even if its database hangs


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` with `asyncio.run`, on uvloop where it is installed, which halves the cost of a small message."""
    if find_spec("uvloop") is None:  # it does not run on Windows
        return asyncio.run(main)
    import uvloop

    return uvloop.run(main)


@contextmanager
def stop_signals(last_words: Callable[[], None] | None = None) -> Iterator[asyncio.Event]:
    """Yield an event that the first Ctrl-C or SIGTERM sets, so that a command ends in its own order.

    Until then the signals have no other effect; the second one ends the command at once. That is as safe as killing it:
    announced results are committed, and the programs that it has started end with it. `last_words` are called before.
    """
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def restore() -> None:
        for each in SIGNALS:
            loop.remove_signal_handler(each)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def heard(number: int) -> None:
        if stop.is_set():
            if last_words is not None:
                last_words()
            end_at_once(128 + number)  # the code of a shell for a signal
        stop.set()

    for each in SIGNALS:
        loop.add_signal_handler(each, heard, each)
    try:
        yield stop
    finally:
        restore()


def end_at_once(code: int) -> None:
    """End this process without a further message, and without waiting."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def ends_in_time(seconds: float = LONGEST_END_S) -> None:
    """Give this process so many seconds to end: then it is ended, even if it still waits for something."""

    def late() -> None:
        on_stderr("the server could not end in time, perhaps the database hangs; it ends now", "error")
        end_at_once(1)

    timer = threading.Timer(seconds, late)
    timer.daemon = True
    timer.start()


async def until(work: Awaitable[Any], stop: asyncio.Event) -> bool:
    """Wait for the first of `work` and `stop`; return True if the work is done. Raises what `work` does."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
            return True
        return False
    finally:
        for task in (working, stopping):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
