"""Plies reach the store in groups; a database that is away costs only memory, and not much of that."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from palio_db.errors import Unavailable
from palio_db.values import Claim
from palio_rules.records.record import Ply, RejectedMove, Setup
from palio_server.arena.journal import GROUP, Journal

pytestmark = pytest.mark.virtual_clock

SETUP = Setup(game="heap2", bots=("ann", "bob"))


def claim(match="m", epoch=1):
    return Claim(match, epoch, SETUP)


class Shelf:
    """The store that the journal writes to."""

    def __init__(self):
        self.groups = []
        self.down = False
        self.slow = 0.0

    async def journal(self, entries):
        entries = list(entries)
        await asyncio.sleep(self.slow)
        if self.down:
            raise Unavailable("no database")
        self.groups.append(entries)

    def numbers(self, match="m"):
        return [entry.number for group in self.groups for entry in group if entry.match == match]


@asynccontextmanager
async def running(journal):
    task = asyncio.create_task(journal.run())
    yield
    task.cancel()
    await asyncio.wait([task])


def play(journal, count, match="m", first=1):
    for number in range(first, first + count):
        journal.note(claim(match), number, Ply(number % 2, 1, 5))


async def test_what_comes_together_is_written_together():
    shelf = Shelf()
    journal = Journal(shelf, every_s=0.1)
    async with running(journal):
        play(journal, 3)
        play(journal, 2, "n")
        journal.note(claim(), 1, RejectedMove(3, 1, "9", "no", "no"))
        await asyncio.sleep(0.09)
        assert not shelf.groups
        await asyncio.sleep(0.05)
        assert [len(group) for group in shelf.groups] == [6]
        play(journal, 1, first=4)
        await asyncio.sleep(1)
        assert [len(group) for group in shelf.groups] == [6, 1]


async def test_a_forgotten_match_is_not_written():
    shelf = Shelf()
    journal = Journal(shelf)
    play(journal, 3)
    play(journal, 1, "n")
    journal.forget("m")
    await journal.flush()
    assert (shelf.numbers("m"), shelf.numbers("n")) == ([], [1])


async def test_large_groups_are_split_and_keep_their_order():
    shelf = Shelf()
    journal = Journal(shelf)
    play(journal, GROUP + 10)
    await journal.flush()
    assert [len(group) for group in shelf.groups] == [GROUP, 10]
    assert shelf.numbers() == list(range(1, GROUP + 11))


async def test_what_comes_while_a_group_is_being_written_follows_in_the_next():
    shelf = Shelf()
    shelf.slow = 1.0
    journal = Journal(shelf)
    async with running(journal):
        play(journal, 2)
        await asyncio.sleep(0.5)
        play(journal, 2, first=3)
        play(journal, 1, "n")
        await asyncio.sleep(5)
    assert shelf.numbers() == [1, 2, 3, 4]
    assert shelf.numbers("n") == [1]


async def test_a_match_that_is_forgotten_and_begun_again_while_its_group_is_being_written_loses_nothing_new():
    shelf = Shelf()
    shelf.slow = 1.0
    journal = Journal(shelf)
    play(journal, 2)
    flush = asyncio.create_task(journal.flush())
    await asyncio.sleep(0.5)
    journal.forget("m")
    journal.note(claim(epoch=2), 1, Ply(0, 1, 5))
    await flush
    assert [(entry.epoch, entry.number) for group in shelf.groups for entry in group] == [(1, 1), (1, 2), (2, 1)]
    assert journal._count == 0


async def test_while_the_database_is_away_play_goes_on_and_everything_follows_later(caplog):
    shelf = Shelf()
    shelf.down = True
    journal = Journal(shelf)
    async with running(journal):
        play(journal, 5)
        await asyncio.sleep(60)
        assert not shelf.groups
        play(journal, 5, first=6)
        shelf.down = False
        await asyncio.sleep(10)
    assert shelf.numbers() == list(range(1, 11))
    waits = [record for record in caplog.records if "waits" in record.message]
    assert 5 < len(waits) < 30  # it tried again and again, but not all the time


async def test_memory_is_bounded_and_what_is_kept_has_no_gap(caplog):
    shelf = Shelf()
    journal = Journal(shelf, most=5)
    play(journal, 4)
    play(journal, 3, "n")
    await journal.flush()
    play(journal, 1, "n", first=4)
    play(journal, 1, first=5)
    await journal.flush()
    assert shelf.numbers() == [1, 2, 3, 4, 5]
    assert shelf.numbers("n") == [1]  # not 4: a journal with a gap could not be replayed
    assert caplog.text.count("journal is full") == 1


async def test_the_last_entries_are_written_at_the_end():
    shelf = Shelf()
    journal = Journal(shelf)
    async with running(journal):
        play(journal, 3)
    await journal.flush()
    assert shelf.numbers() == [1, 2, 3]
