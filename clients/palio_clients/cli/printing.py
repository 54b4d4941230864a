"""Output of all commands: text of other people, a server or a bot must not control the terminal."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Generic, NamedTuple, TypeVar

import click

from palio_rules.plain_text import plain


def say(text: str = "", *, err: bool = False, lines: bool = False) -> None:
    """Print a line; with `lines`, a text of several."""
    click.echo(plain(text, lines=lines), err=err)


def draw_line(text: str) -> None:
    """Draw a line on stderr that `erase_line` removes again."""
    click.echo(plain(text), err=True, nl=False)


def erase_line() -> None:
    """Remove the line of `draw_line`."""
    click.echo("\r\033[K", err=True, nl=False)


# Work that Ctrl-C ends in an orderly way: it stops, and its results so far are kept.

T = TypeVar("T")

DRAW_S = 0.1  # how often progress is drawn
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Worked(NamedTuple, Generic[T]):
    value: T
    interrupted: bool


async def until_stopped(work: Coroutine[Any, Any, T]) -> T | None:
    """Run `work` until it ends, or until Ctrl-C or SIGTERM cancels it (None); a second one ends the program at once."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        task.cancel()
        for name in SIGNALS:
            loop.remove_signal_handler(name)

    for name in SIGNALS:
        with suppress(NotImplementedError):  # Windows: there Ctrl-C raises KeyboardInterrupt, which also ends it
            loop.add_signal_handler(name, stop)
    with suppress(asyncio.CancelledError):
        return await task
    return None


def run_interruptible(
    work: Callable[[], T], cancel: Callable[[], None], draw: Callable[[], None] = lambda: None
) -> Worked[T]:
    """Do `work` in a thread, calling `draw` now and then; its exceptions are raised here.

    The first Ctrl-C, or SIGTERM, calls `cancel` and waits for the work; a second one ends the program at once. Call it
    in the main thread. The work has its own thread, because a compiled search blocks signals.
    """
    found, interrupted = Future[T](), threading.Event()

    def run() -> None:
        try:
            found.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised in the waiting thread
            found.set_exception(error)

    def stop() -> None:
        interrupted.set()
        cancel()

    with _first_signal(stop):
        threading.Thread(target=run, name="work", daemon=True).start()
        while not found.done():
            wait([found], DRAW_S)
            draw()
    return Worked(found.result(), interrupted.is_set())


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
