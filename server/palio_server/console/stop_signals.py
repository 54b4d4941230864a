"""Ctrl-C and SIGTERM as an event, so that a command ends in its own order; the second Ctrl-C ends it at once."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_signals() -> Iterator[asyncio.Event]:
    """An event that is set by the first of the signals; while it is not, they have no other effect."""
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
