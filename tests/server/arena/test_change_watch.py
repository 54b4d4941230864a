"""A running server notices what another process has done to the database."""

import asyncio

import pytest

from palio_db.errors import Unavailable
from palio_server.arena.store_watch import ChangeWatch

pytestmark = [pytest.mark.virtual_clock]


class World:
    """A store's counts, and those who hear of them."""

    def __init__(self):
        self.counts, self.away, self.fails = {}, False, False
        self.looks, self.counted = [], []

    async def changes(self):
        if self.away:
            raise Unavailable("the database does not answer")
        return dict(self.counts)

    async def look(self, *, changed):
        if self.fails:
            raise Unavailable("the database does not answer")
        self.looks.append(changed)

    def recount(self, game):
        self.counted.append(game)


@pytest.fixture
async def world():
    found = World()
    task = asyncio.create_task(ChangeWatch(found, found, found).run())
    yield found
    task.cancel()


async def test_a_change_is_noticed_once_and_within_a_second(world):
    await asyncio.sleep(1)
    assert set(world.looks) == {False}
    world.counts = {"tokens": 1, "results/nim": 1}
    await asyncio.sleep(0.9)
    assert world.looks.count(True) == 1
    assert world.counted == ["nim"]
    world.counts = {"tokens": 1, "results/nim": 2, "results/chess": 1}
    await asyncio.sleep(0.9)
    assert world.looks.count(True) == 1
    assert sorted(world.counted) == ["chess", "nim", "nim"]


async def test_what_has_changed_before_the_start_counts_as_new():
    world = World()
    world.counts = {"tokens": 7, "results/nim": 3}
    await ChangeWatch(world, world, world).look()
    assert world.looks == [True]
    assert world.counted == ["nim"]


@pytest.mark.parametrize("part", ["away", "fails"])
async def test_what_has_changed_while_the_database_was_away_is_not_missed(world, part, caplog):
    await asyncio.sleep(1)
    setattr(world, part, True)
    world.counts = {"tokens": 1}
    await asyncio.sleep(10)
    setattr(world, part, False)
    await asyncio.sleep(0.9)
    assert world.looks.count(True) == 1
    assert len([line for line in caplog.records if "trying again" in line.message]) == 1


async def test_while_the_database_says_when_something_changes_it_is_rarely_asked():
    class Told:
        listening = True

        def on(self, _name, call):
            self.call = call

    world, told = World(), Told()
    asked = []
    answer = world.changes

    async def changes():
        asked.append(asyncio.get_running_loop().time())
        return await answer()

    world.changes = changes
    task = asyncio.create_task(ChangeWatch(world, world, world, told).run())
    await asyncio.sleep(14)
    assert len(asked) == 1
    world.counts = {"tokens": 1}
    told.call()
    await asyncio.sleep(0.01)
    assert world.looks[-1] is True
    assert len(asked) == 2
    told.listening = False
    told.call()
    await asyncio.sleep(4)
    assert len(asked) > 10  # without notices it is looked for, as always
    task.cancel()
