"""The event loop in which a bot plays: uvloop where it is installed, else asyncio's own."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`. To wake up and go to sleep again is most of what a quick bot does, and uvloop does it best."""
    with asyncio.Runner(loop_factory=_factory()) as runner:
        return runner.run(work)


def _factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415  # it need not be there, and on Windows it cannot be
    except ImportError:
        return None
    return uvloop.new_event_loop
