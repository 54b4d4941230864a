"""A worker holds what it plays, and takes over what others have let go of."""

import asyncio

import pytest

from palio_rules.contract.messages import Over

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]


async def test_leases_are_renewed_for_as_long_as_a_match_takes(new_world, setup):
    world = new_world(lease_s=3.0)
    world.bot("ann", think=4.0), world.bot("bob", think=4.0)
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await world.over(match)
    assert world.store.rows[match].epoch == 1


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
        assert world.store.rows[match].status == "scheduled"  # and no bot has forfeited it
        world.bot("bob")
        await world.over(match)
    assert world.store.rows[match].status == "finished"


async def test_a_match_that_another_worker_has_when_it_ends_is_followed_there_and_not_aborted(new_world, setup):
    world = new_world()
    ann, _ = world.bot("ann", think=0.1), world.bot("bob", think=0.1)
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await asyncio.sleep(0.1)
        assert world.store.rows[match].worker == "here"
        world.store._take(match, "elsewhere", 1000)
        await asyncio.sleep(60)
    assert (world.arena.counts.lost, world.arena.counts.aborted) == (1, 0)
    assert (world.store.rows[match].status, world.store.rows[match].worker) == ("running", "elsewhere")
    assert ann.of(Over) == []


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
