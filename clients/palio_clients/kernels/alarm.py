"""Stopping a kernel, which knows no clock and cannot be interrupted: a flag, and a thread that raises it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from palio_clients.kernels.jit import Flag
from palio_clients.search.game_tree import Stop, Stopped, never

EVERY_S = 0.001  # between two looks at `stop`: how late a kernel may hear of its deadline


@contextmanager
def watched(stop: Stop = never) -> Iterator[Flag]:
    """A flag that is raised when `stop` says so: at once if it does already, or else at most a millisecond later.

    What `stop` raises is raised at the end of the `with` block; the flag is up then, too.
    """
    flag = np.zeros(1, np.uint8)
    if stop is never:
        yield flag
        return
    done, faults = threading.Event(), list[BaseException]()

    def watch() -> None:
        try:
            while not stop() and not done.wait(EVERY_S):
                pass
        except BaseException as fault:  # noqa: BLE001 - handed over to the thread that waits for the kernel
            faults.append(fault)
        flag[0] = 1

    flag[0] = stop()
    watcher = threading.Thread(target=watch, name="alarm", daemon=True)
    watcher.start()
    try:
        yield flag
    finally:
        done.set()
        watcher.join()
    if faults:
        raise faults[0]


@contextmanager
def stoppable(stop: Stop) -> Iterator[Flag]:
    """As `watched`, for a search that is worth nothing once the flag is up: then it raises Stopped at the end."""
    with watched(stop) as flag:
        yield flag
        if flag[0]:
            raise Stopped
