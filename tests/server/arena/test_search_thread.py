"""A search beside the event loop ends with the callers that wait for it."""

import asyncio
import threading

import pytest

from palio_rules.instances.effort import Effort, SearchCancelled, TooMuchWork, spend
from palio_server.arena.analysis_queue import search_in_thread


class Search:
    """One that never finds anything."""

    def __init__(self):
        self.begun, self.ended = threading.Event(), threading.Event()

    def __call__(self, *_):
        self.begun.set()
        try:
            while True:
                spend(1)
        except SearchCancelled:
            self.ended.set()
            raise


async def test_the_search_ends_when_nobody_waits_for_it_any_more():
    search = Search()
    waiting = asyncio.create_task(search_in_thread(search))
    await asyncio.to_thread(search.begun.wait)
    waiting.cancel()
    assert await asyncio.to_thread(search.ended.wait, 60)
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_what_is_found_is_given_and_too_much_work_is_refused():
    assert await search_in_thread(lambda: 7) == 7
    with pytest.raises(TooMuchWork):
        await search_in_thread(Search(), Effort(1000))
