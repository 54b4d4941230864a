"""A database that takes nothing: nothing is begun, bots hear why once, and all goes on by itself."""

import asyncio
import sqlite3

import pytest

from palio_db.connections import SqliteConnection
from palio_db.errors import Unavailable
from palio_db.schema import FreeSpace
from palio_db.store import Store
from palio_rules.contract.messages import Error
from palio_server.arena.store_watch import StoreWatch

MIB = 2**20


@pytest.mark.parametrize(
    ("free", "size", "full", "low"),
    [
        (0, MIB, True, True),
        (MIB // 20, MIB, False, True),  # a small disk
        (MIB // 2, MIB, False, False),
        (MIB - 1, 1000 * MIB, True, True),
        (99 * MIB, 10**12, False, True),
        (101 * MIB, 10**12, False, False),
    ],
)
def test_what_counts_as_full_and_as_nearly_full(free, size, full, low):
    room = FreeSpace(free, size)
    assert (room.full, room.low) == (full, low)


@pytest.mark.virtual_clock
@pytest.mark.usefixtures("small_games")
async def test_while_the_disk_is_full_no_match_begins_and_what_is_played_goes_on(new_world, setup):
    world = new_world(concurrency=9)
    ann, _ = world.bot("ann", think=1.0), world.bot("bob", think=1.0)
    async with world.open():
        first = await world.arena.schedule(setup("ann", "bob", stones=20))
        await asyncio.sleep(3)
        cid, _ = world.bot("cid"), world.bot("dan")
        world.store.room = lambda: FreeSpace(0, 100 * MIB)
        await asyncio.sleep(2)
        second = await world.arena.schedule(setup("cid", "dan"))
        await world.over(first)
        await asyncio.sleep(10)
        assert world.store.rows[second].status == "scheduled"
        for bot in (ann, cid):
            [told] = bot.of(Error)
            assert told.code == "store-unavailable"
            assert "no space left on the database's disk" in told.reason
        world.store.room = lambda: FreeSpace(50 * MIB, 100 * MIB)
        await world.over(second)


async def test_a_write_that_failed_is_trouble_until_another_one_is_taken(tmp_path, monkeypatch):
    told = []
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store:
        watch = StoreWatch(store, told.append)
        await watch.look()
        assert (watch.trouble, told) == ("", [])

        def full(_self):
            raise sqlite3.OperationalError("database or disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(SqliteConnection, "begin", full)
            with pytest.raises(Unavailable, match="no space left on the database's disk; make room"):
                await store.probe()
            await watch.look()
            await watch.look()
        assert told == [watch.trouble] == [store.write_error]
        await watch.look()
        assert (watch.trouble, store.write_error, len(told)) == ("", "", 1)
