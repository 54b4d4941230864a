"""How a command runs: on the fastest event loop there is, until its work is done or somebody ends it."""

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

import click

from palio_server.cli.printing import say, say_text

# `--log json`: what a command says on stderr, as lines for people or for programs.


def _choose(_ctx: click.Context, _param: click.Parameter, value: str) -> None:
    if value == "json":
        from palio_server.log_lines import log_json

        log_json()
        if os.environ.get("PALIO_DEBUG") == "1":
            import logging

            logging.getLogger("palio_server").setLevel(logging.INFO)


log_option = click.option(
    "--log",
    type=click.Choice(["text", "json"]),
    default="text",
    envvar="PALIO_LOG",
    callback=_choose,
    expose_value=False,
    help="How to log: for people (text, the default), or a JSON object a line (also: PALIO_LOG).",
)


def logs_json() -> bool:
    """Whether `--log json` was chosen; asked by whoever has a sentence for stderr."""
    lines = sys.modules.get("palio_server.log_lines")  # who has not chosen it has not loaded it, and need not
    return lines is not None and bool(lines.as_json())


def on_stderr(sentence: str, level: str = "info") -> None:
    """A sentence on stderr; in a log for programs it is a line like every other."""
    if not logs_json():
        say(sentence, err=True, lines=True)
        return
    import logging

    logger = logging.getLogger("palio")
    if level == "info":  # what a command says by itself is always shown, as it is in text
        logger.setLevel(logging.INFO)
    logger.log(getattr(logging, level.upper()), "%s", sentence)


def teller() -> Callable[[str], None]:
    """Says on stdout where people read it; in a log for programs, on stderr like everything else."""
    return on_stderr if logs_json() else say_text


T = TypeVar("T")

SIGNALS = (signal.SIGINT, signal.SIGTERM)
LONGEST_END_S = 9.0  # from the first signal to the end of a server, also where its database hangs


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run` on uvloop where it is installed, which halves what a small message costs."""
    if find_spec("uvloop") is None:  # it does not run on Windows
        return asyncio.run(main)
    import uvloop

    return uvloop.run(main)


@contextmanager
def stop_signals() -> Iterator[asyncio.Event]:
    """An event that the first Ctrl-C or SIGTERM sets, so that a command ends in its own order.

    Until then the signals have no other effect; the second one ends the command at once. That is as safe as to kill it:
    what has been announced is committed, and the programs that it has started end with it.
    """
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def restore() -> None:
        for each in SIGNALS:
            loop.remove_signal_handler(each)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def heard(number: int) -> None:
        if stop.is_set():
            end_at_once(128 + number)  # as a shell tells of a signal
        stop.set()

    for each in SIGNALS:
        loop.add_signal_handler(each, heard, each)
    try:
        yield stop
    finally:
        restore()


def end_at_once(code: int) -> None:
    """End this process without a further word, and without waiting for anything."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def ends_in_time(seconds: float = LONGEST_END_S) -> None:
    """From now on this process has so many seconds to end: then it does, whatever it still waits for."""

    def late() -> None:
        on_stderr("the server could not end in time, perhaps the database hangs; it ends all the same", "error")
        end_at_once(1)

    timer = threading.Timer(seconds, late)
    timer.daemon = True
    timer.start()


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
