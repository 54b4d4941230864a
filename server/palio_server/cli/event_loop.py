"""How a command runs: on the fastest event loop there is, until its work is done or somebody ends it."""

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Coroutine, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, TypeVar

T = TypeVar("T")

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` on uvloop where it is installed, which halves what a small message costs."""
    if find_spec("uvloop") is None:  # it does not run on Windows
        return asyncio.run(main)
    import uvloop

    return uvloop.run(main)


@contextmanager
def stop_signals() -> Iterator[asyncio.Event]:
    """An event that the first Ctrl-C or SIGTERM sets, so that a command ends in its own order.

    Until then the signals have no other effect; the second Ctrl-C ends the command at once.
    """
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def restore() -> None:
        for name in SIGNALS:
            loop.remove_signal_handler(name)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def first() -> None:
        stop.set()
        restore()

    for name in SIGNALS:
        loop.add_signal_handler(name, first)
    try:
        yield stop
    finally:
        restore()


async def until(work: Awaitable[Any], stop: asyncio.Event) -> bool:
    """Wait for `work` or for `stop`, whichever comes first; True if the work is done. Raises what `work` does."""
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
