"""The arena when the database comes late, and after kill -9."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.contract.messages import Over, Turn
from palio_rules.records import fault

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]


async def test_a_database_that_comes_late_is_waited_for(new_world, setup):
    world = new_world()
    world.bot("ann"), world.bot("bob")
    match = await world.arena.schedule(setup("ann", "bob"))
    world.store.down = True
    async with world.open():
        await asyncio.sleep(10)
        world.store.down = False
        await world.over(match)


async def test_after_a_restart_a_match_goes_on_where_its_journal_ends_and_waits_for_its_bots(new_world, setup):
    world = new_world()
    world.bot("ann", think=1.0), world.bot("bob", think=1.0)
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob", stones=10))
        await asyncio.sleep(5.5)
    row = world.store.rows[match]
    assert (row.status, sorted(row.plies)) == ("running", [1, 2, 3, 4, 5])
    again = new_world(world.store)
    async with again.open():
        await asyncio.sleep(10)
        again.bot("bob")
        await asyncio.sleep(10)
        ann = again.bot("ann")
        await again.over(match)
    assert [ply.ms for ply in row.record.plies] == [1000] * 5 + [50] * 5
    assert fault(row.record) is None
    assert ann.of(Turn)[0].id > 2_000_000


@settings(max_examples=settings().max_examples // 4)
@given(st.lists(st.floats(0.0, 6.0), max_size=5), st.randoms(use_true_random=False))
def test_killed_at_any_moment_every_match_ends_once_and_reproduces(virtually, new_world, setup, crashes, rng):
    """A kill: nothing is flushed, everything in memory is gone; the store keeps what it was given."""

    async def story():
        store, announced = None, []
        matches = []
        for crash in [*crashes, None]:
            world = new_world(store, concurrency=3)
            store = world.store
            world.arena._flush = _nothing
            world.arena.on_result.append(lambda record: announced.append(record.match))
            for name in ("ann", "bob", "cid", "dan"):
                world.bot(name, think=rng.choice([0.0, 0.1, 0.4]))
            async with world.open():
                if not matches:
                    pairs = [("ann", "bob"), ("cid", "dan"), ("bob", "ann"), ("dan", "ann"), ("cid", "bob")]
                    matches += [await world.arena.schedule(setup(*pair, stones=rng.randint(1, 12))) for pair in pairs]
                if crash is None:
                    await world.over(*matches)
                else:
                    await asyncio.sleep(crash)
        finished = [match for what, match in store.log if what == "finish"]
        return store, matches, finished, announced

    store, matches, finished, announced = virtually(story())
    assert sorted(finished) == matches
    assert len(announced) == len(set(announced))
    assert set(announced) <= set(finished)
    assert all(fault(store.rows[match].record) is None for match in matches)


async def _nothing(*_):
    pass


async def test_a_match_that_comes_back_from_another_worker_is_played_on_once(new_world, setup, caplog):
    world = new_world()
    ann, bob = world.bot("ann", think=3.0, slots=2), world.bot("bob", think=3.0, slots=2)
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await asyncio.sleep(1.0)
        row = world.store.rows[match]
        row.status, row.epoch = "scheduled", row.epoch + 1  # after a pause of this worker: claimed, and given back
        await world.over(match)
    assert row.epoch == 3
    assert world.results == [row.record]
    assert [len(bot.of(Over)) for bot in (ann, bob)] == [1, 1]
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
