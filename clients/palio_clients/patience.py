"""Long work that Ctrl-C ends well: it is told to stop, and what it has found until then is not lost."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Generic, TypeVar

T = TypeVar("T")

LOOK_S = 0.1  # how often progress is drawn
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Worked(Generic[T]):
    """What came of it."""

    def __init__(self) -> None:
        self.interrupted = False
        self.value: T | None = None
        self.error: BaseException | None = None


def patiently(work: Callable[[], T], cancel: Callable[[], None], draw: Callable[[], None] = lambda: None) -> Worked[T]:
    """Do `work` in a thread, calling `draw` now and then; what it raises is raised here.

    The first Ctrl-C, or SIGTERM, calls `cancel`, and the work is waited for; a second one ends the program at once. To
    be called in the main thread, which a compiled search must not hold: it would hear of no signal.
    """
    found = Worked[T]()

    def run() -> None:
        try:
            found.value = work()
        except BaseException as error:  # noqa: BLE001 - handed over to the thread that waits
            found.error = error

    def stop() -> None:
        found.interrupted = True
        cancel()

    thread = threading.Thread(target=run, name="work", daemon=True)
    with _first_signal(stop):
        thread.start()
        while thread.is_alive():
            thread.join(LOOK_S)
            draw()
    if found.error is not None:
        raise found.error
    return found


@contextmanager
def _first_signal(call: Callable[[], None]) -> Iterator[None]:
    before = {name: signal.getsignal(name) for name in SIGNALS}

    def restore() -> None:
        for name, handler in before.items():
            signal.signal(name, handler)

    def first(_number: int, _frame: FrameType | None) -> None:
        restore()
        call()

    for name in SIGNALS:
        signal.signal(name, first)
    try:
        yield
    finally:
        restore()
