"""Openings and instances are looked for beside the event loop, and no longer than somebody waits for them."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from palio_rules.instances.effort import Effort, within

T = TypeVar("T")


async def aside(draw: Callable[[], T], effort: Effort | None = None) -> T:
    """What `draw` finds, in a thread. To cancel this ends the search, which `effort` may limit.

    Raises what `draw` does, TooMuchWork if the effort is used up.
    """
    effort = effort or Effort()
    with within(effort):
        try:
            return await asyncio.to_thread(draw)
        finally:
            effort.stop()
