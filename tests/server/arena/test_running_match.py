"""A match that is played: what is announced, and what a fault in it leaves alone."""

import asyncio

import pytest

from palio_rules.contract.messages import Over, Played

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


async def test_a_match_that_another_worker_took_is_dropped_without_a_word(new_world, setup, caplog):
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
    assert "was lost to another worker" in caplog.text
    assert "aborted" not in caplog.text


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


@pytest.mark.parametrize(("stones", "fault"), [(13, "ZeroDivisionError"), (14, "TimeoutError")])
async def test_a_fault_in_the_rules_ends_its_match_only(new_world, setup, caplog, stones, fault):
    world = new_world()
    ann, _ = world.bot("ann", choose=lambda turn: stones), world.bot("bob")
    world.bot("cid", think=1.0), world.bot("dan", think=1.0)
    async with world.open():
        broken = await world.arena.schedule(setup("ann", "bob", game="broken_heap", stones=20))
        sound = await world.arena.schedule(setup("cid", "dan"))
        await world.over(broken, sound)
    assert (world.store.rows[broken].status, world.store.rows[sound].status) == ("aborted", "finished")
    assert world.store.rows[broken].reason == f"a fault in the server: {fault}: a fault in the rules"
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
