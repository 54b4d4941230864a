"""The numbers of printed results are saved soon, in few writes, and certainly at the end."""

import asyncio

import pytest

from palio_db.errors import Unavailable
from palio_server.cli.ticker import PAUSE_S, announcing
from palio_server.tournament.progress import PrintedResults

pytestmark = pytest.mark.virtual_clock


class Store:
    def __init__(self, takes=0.0, fails=0):
        self.written, self.takes, self.fails, self.at_once = [], takes, fails, 0

    async def write(self, text):
        self.at_once += 1
        assert self.at_once == 1
        try:
            await asyncio.sleep(self.takes)
        finally:
            self.at_once -= 1
        if self.fails:
            self.fails -= 1
            raise Unavailable("the database is away")
        self.written.append(text)


async def test_a_number_is_kept_at_once_and_those_that_come_together_in_one_write():
    store = Store(takes=0.01)
    async with announcing(PrintedResults("1-3"), store.write) as announcer:
        announcer.note(4)
        await asyncio.sleep(0.02)
        assert store.written == ["1-4"]
        for number in (7, 6, 5):
            announcer.note(number)
        await asyncio.sleep(PAUSE_S + 0.02)
        assert store.written == ["1-4", "1-7"]
        await asyncio.sleep(60)
    assert store.written == ["1-4", "1-7"]


async def test_in_the_end_everything_is_kept():
    store = Store(takes=0.01)
    async with announcing(PrintedResults(), store.write) as announcer:
        announcer.note(1)
        await asyncio.sleep(0.005)  # the write is under way
        announcer.note(3)
    assert store.written[-1] == "1,3"


async def test_a_store_that_is_away_is_asked_again():
    store = Store(fails=2)
    async with announcing(PrintedResults(), store.write) as announcer:
        announcer.note(1)
        await asyncio.sleep(0)
        announcer.note(2)
        await asyncio.sleep(10)
        assert store.written == ["1-2"]


async def test_a_store_that_stays_away_does_not_spoil_the_end():
    store = Store(fails=99)
    async with announcing(PrintedResults(), store.write) as announcer:
        announcer.note(1)
        await asyncio.sleep(10)
    assert store.written == []


async def test_what_is_not_to_be_seen_yet_is_not_kept_yet():
    store = Store()
    async with announcing(PrintedResults(), store.write, shown_after_s=0.2) as announcer:
        announcer.note(1)
        await asyncio.sleep(0.19)
        announcer.note(2)
        assert store.written == []
        await asyncio.sleep(0.02)
        assert store.written == ["1"]
        await asyncio.sleep(1)
        assert store.written == ["1", "1-2"]


async def test_an_event_without_news_writes_nothing():
    store = Store()
    async with announcing(PrintedResults("1-3"), store.write):
        await asyncio.sleep(10)
    assert store.written == []
