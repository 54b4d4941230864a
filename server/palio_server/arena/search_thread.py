"""Openings and instances are searched for in a thread, and no longer than somebody waits for them."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from palio_rules.instances.effort import Effort, within

T = TypeVar("T")


async def search_in_thread(search: Callable[[], T], effort: Effort | None = None) -> T:
    """What `search` finds, while the event loop goes on. To cancel this ends the search, which `effort` may limit.

    Raises what `search` does, TooMuchWork if the effort is used up.
    """
    effort = effort or Effort()
    with within(effort):
        try:
            return await asyncio.to_thread(search)
        finally:
            effort.stop()
