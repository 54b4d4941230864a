"""The arena when things go wrong: the database, other workers, the rules, listeners, and kill -9."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.messages import Over, Played, Turn
from palio_rules.record import fault

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]


async def test_nothing_is_announced_while_the_database_is_away(new_world, setup):
    world = new_world()
    ann, _ = world.bot("ann"), world.bot("bob")
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await asyncio.sleep(0.1)
        world.store.down = True
        await asyncio.sleep(20)
        assert len(ann.of(Played)) == 6  # played on to the end
        assert not ann.of(Over)
        assert not world.results
        assert world.feed.snapshot(match).summary.result is None
        world.store.down = False
        await world.over(match)
        await asyncio.sleep(1)
    assert len(ann.of(Over)) == len(world.results) == 1


async def test_a_database_that_comes_late_is_waited_for(new_world, setup):
    world = new_world()
    world.bot("ann"), world.bot("bob")
    match = await world.arena.schedule(setup("ann", "bob"))
    world.store.down = True
    async with world.open():
        await asyncio.sleep(10)
        world.store.down = False
        await world.over(match)


async def test_leases_are_renewed_for_as_long_as_a_match_takes(new_world, setup):
    world = new_world(lease_s=3.0)
    world.bot("ann", think=4.0), world.bot("bob", think=4.0)
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await world.over(match)
    assert world.store.rows[match].epoch == 1


async def test_a_match_that_another_worker_took_is_dropped_without_a_word(new_world, setup):
    world = new_world(lease_s=3.0)
    ann, bob = world.bot("ann", think=1.0), world.bot("bob", think=1.0)
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob", stones=60))
        await asyncio.sleep(2.5)
        world.store._take(match, "elsewhere", 60)
        await asyncio.sleep(1.1)
        assert world.arena.playing() == []
        assert not ann.of(Over)
        assert not bob.of(Over)
        assert not world.results
        assert sorted(world.lobby.free("heap2")) == ["ann", "bob"]
    assert world.store.rows[match].status == "running"


async def test_a_result_that_comes_after_the_lease_was_lost_is_not_announced(new_world, setup):
    world = new_world()
    ann, _ = world.bot("ann"), world.bot("bob")
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await asyncio.sleep(0.1)
        world.store.down = True
        await asyncio.sleep(5)
        world.store._take(match, "elsewhere", 600)
        world.store.down = False
        await asyncio.sleep(10)
    assert not ann.of(Over)
    assert not world.results
    assert world.arena.playing() == []


async def test_another_workers_match_is_taken_over_when_its_lease_is_over(new_world, setup):
    world = new_world(lease_s=3.0)
    world.bot("ann"), world.bot("bob")
    match = await world.arena.schedule(setup("ann", "bob"))
    world.store._take(match, "elsewhere", 10)
    async with world.open():
        await asyncio.sleep(5)
        assert world.store.rows[match].worker == "elsewhere"
        await world.over(match)
    assert world.store.rows[match].epoch == 2


async def test_another_workers_match_waits_on_the_list_until_its_bots_are_here(new_world, setup):
    world = new_world(lease_s=3.0)
    world.bot("ann")
    match = await world.arena.schedule(setup("ann", "bob"))
    world.store._take(match, "elsewhere", 1)
    async with world.open():
        await asyncio.sleep(120)
        assert world.store.rows[match].status == "scheduled"  # and nobody has forfeited it
        world.bot("bob")
        await world.over(match)
    assert world.store.rows[match].status == "finished"


async def test_a_fault_in_the_rules_ends_its_match_only(new_world, setup, caplog):
    world = new_world()
    ann, _ = world.bot("ann", choose=lambda turn: 13), world.bot("bob")
    world.bot("cid", think=1.0), world.bot("dan", think=1.0)
    async with world.open():
        broken = await world.arena.schedule(setup("ann", "bob", game="broken_heap", stones=20))
        sound = await world.arena.schedule(setup("cid", "dan"))
        await world.over(broken, sound)
    assert (world.store.rows[broken].status, world.store.rows[sound].status) == ("aborted", "finished")
    assert world.store.rows[broken].reason == "a fault in the server: ZeroDivisionError: a fault in the rules"
    assert "Traceback" in caplog.text
    assert ann.of(Over)[0].outcome.reason == "aborted"


async def test_a_listener_or_an_audience_that_fails_does_not_disturb_the_match(new_world, setup, caplog):
    world = new_world()
    world.bot("ann"), world.bot("bob")
    world.arena.on_result.insert(0, lambda record: 1 / 0)
    world.arena.on_start.insert(0, lambda match: 1 / 0)
    world.feed.note = lambda match, event: 1 / 0
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await world.over(match)
    assert len(world.results) == 1
    assert caplog.text.count("cannot be shown") == 1


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


@settings(max_examples=25)
@given(st.lists(st.floats(0.0, 6.0), max_size=5), st.randoms(use_true_random=False))
def test_killed_at_any_moment_every_match_ends_once_and_reproduces(virtually, new_world, setup, crashes, rng):
    """A kill: nothing is flushed, everything in memory is gone; the store keeps what it was given."""

    async def story():
        store, told = None, []
        matches = []
        for crash in [*crashes, None]:
            world = new_world(store, concurrency=3)
            store = world.store
            world.arena._flush = _nothing
            world.arena.on_result.append(lambda record: told.append(record.match))
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
        return store, matches, finished, told

    store, matches, finished, told = virtually(story())
    assert sorted(finished) == matches
    assert len(told) == len(set(told))
    assert set(told) <= set(finished)
    assert all(fault(store.rows[match].record) is None for match in matches)


async def _nothing():
    pass


async def test_a_match_is_not_taken_from_ourselves_while_it_waits_to_be_committed(new_world, setup):
    world = new_world(lease_s=3.0)
    ann, _ = world.bot("ann"), world.bot("bob")
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await asyncio.sleep(0.1)
        world.store.down = True
        await asyncio.sleep(30)  # the lease is long over
        world.store.down = False
        await world.over(match)
    assert world.store.rows[match].epoch == 1
    assert len(ann.of(Over)) == 1
