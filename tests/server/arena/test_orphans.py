"""Matches that a server releases are taken over by another one: soon, before new ones, by one only, never too early."""

import asyncio
import random
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_db.values import Orphan
from palio_server.arena.next_matches import BATCH, BESIDE, POLITE_S, PUT_BACK_S, LocalCapacity, plan

BOTS = ("ann", "bob", "cleo", "dan", "eve", "fay")

orphans = st.lists(
    st.tuples(st.permutations(BOTS).map(lambda bots: tuple(bots[:2])), st.floats(-15, 5)), max_size=60
).map(
    lambda found: [
        Orphan(f"m{number:02}", "nim", bots, None, 100 + left, left) for number, (bots, left) in enumerate(found)
    ]
)
names = st.sets(st.sampled_from(BOTS))


@given(orphans, names, names, st.integers(-3, 40), st.integers(0, 40))
def test_a_plan_takes_only_what_is_over_and_free_and_keeps_the_bots_of_the_others(lost, here, busy, room, beside):
    found = plan(lost, LocalCapacity(here.__contains__, lambda bot, _game: bot in here - busy, room, room + beside))
    known = {orphan.match: orphan for orphan in lost}
    taken = [known[match] for match in found.take]
    seated = [bot for orphan in taken for bot in orphan.bots]
    assert len(set(seated)) == len(seated)  # each bot has one slot that we know of
    assert set(seated) <= here - busy
    assert all(-PUT_BACK_S < orphan.left_s < 0 for orphan in taken)
    assert len(taken) <= min(BATCH, max(room, room + beside, 0))
    assert sum(orphan.left_s > -POLITE_S for orphan in taken) <= max(room, 0)
    assert found.put_back == [orphan.match for orphan in lost if orphan.left_s <= -PUT_BACK_S]
    waiting = [o for o in lost if o.match not in found.put_back and set(o.bots) <= here]
    assert found.held == {bot for orphan in waiting for bot in orphan.bots}
    assert found.again_s > 0
    for orphan in waiting:  # none is passed over without a reason
        if orphan.match not in found.take and orphan.left_s < 0:
            blocked = set(orphan.bots) & (busy | set(seated))
            no_room = len(taken) >= min(BATCH, room if orphan.left_s > -POLITE_S else max(room, room + beside))
            assert blocked or no_room


@given(orphans, names)
def test_a_plan_looks_again_when_the_next_lease_is_over(lost, here):
    found = plan(lost, LocalCapacity(here.__contains__, lambda _bot, _game: True, 100, 100))
    soon = [orphan.left_s for orphan in lost if set(orphan.bots) <= here and orphan.left_s >= 0]
    assert found.again_s <= max(0.05, min(soon, default=inf))


pytestmark = pytest.mark.usefixtures("small_games")


def lose(world, match, lease_s, worker="elsewhere"):
    """Another worker takes the match, and is never heard of again."""
    world.store._take(match, worker, lease_s)


@pytest.mark.virtual_clock
@pytest.mark.parametrize("waiting", [False, True])
async def test_a_full_worker_takes_over_within_five_seconds_of_the_lease(new_world, setup, waiting):
    world = new_world(lease_s=6.0, concurrency=1)
    for name in BOTS:
        world.bot(name, think=60.0, slots=2)
    orphan = await world.arena.schedule(setup("ann", "bob"))
    lose(world, orphan, 6.0)
    for bots in [("cleo", "dan"), ("ann", "bob"), ("eve", "fay")] if waiting else [("cleo", "dan")]:
        await world.arena.schedule(setup(*bots))
    async with world.open():
        await asyncio.sleep(5.9)
        assert world.store.rows[orphan].worker == "elsewhere"
        assert len(world.arena.playing()) == 1  # full
        await asyncio.sleep(5.1)
        assert world.store.rows[orphan].worker == "here"
        assert orphan in world.arena.playing()
        assert len(world.arena.playing()) == 2  # beside the other one, and nothing new with it


@pytest.mark.virtual_clock
async def test_bots_that_are_here_keep_their_slots_for_an_orphan(new_world, setup):
    world = new_world(lease_s=6.0, concurrency=8)
    world.bot("ann", think=30.0), world.bot("bob", think=30.0)
    orphan = await world.arena.schedule(setup("ann", "bob"))
    lose(world, orphan, 3.0)
    world.store.log.clear()
    async with world.open():
        await asyncio.sleep(1.5)  # two looks: that lease is not renewed
        await world.arena.schedule(setup("ann", "bob"))
        await asyncio.sleep(3.0)
        assert world.arena.playing() == [orphan]
    assert world.store.log == [("claim", orphan)]


@pytest.mark.virtual_clock
async def test_what_nobody_here_can_play_holds_up_nothing_and_goes_back_to_the_list(new_world, setup):
    world = new_world(lease_s=6.0, concurrency=1)
    world.bot("ann"), world.bot("bob")
    strange = await world.arena.schedule(setup("ann", "zoe"))
    lose(world, strange, 1.0)
    async with world.open():
        await asyncio.sleep(3.0)
        match = await world.arena.schedule(setup("ann", "bob"))
        await world.over(match, within=5)
        assert world.store.rows[strange].status == "running"  # perhaps another server has zoe
        await asyncio.sleep(12.0)
        assert world.store.rows[strange].status == "scheduled"
        world.bot("zoe")
        await world.over(strange, within=60)


@pytest.mark.virtual_clock
async def test_a_lease_that_is_renewed_elsewhere_holds_nobody(new_world, setup):
    world = new_world(lease_s=30.0)
    world.bot("ann"), world.bot("bob")
    strange = await world.arena.schedule(setup("ann", "bob"))
    lose(world, strange, 3.0)

    async def renews():
        while True:
            world.store.rows[strange].lease = asyncio.get_running_loop().time() + 3.0
            await asyncio.sleep(1.0)

    async with world.open():
        renewing = asyncio.create_task(renews())
        await asyncio.sleep(2)
        match = await world.arena.schedule(setup("ann", "bob"))
        await world.over(match, within=30)
        assert world.store.rows[strange].epoch == 1
        renewing.cancel()


@pytest.mark.virtual_clock
async def test_the_matches_of_a_large_server_are_spread_over_the_others(new_world, setup):
    """Three servers on one database; the fourth, with hundreds of matches, has died. Each of its bots is everywhere."""
    store = None
    worlds = []
    for number in range(3):
        world = new_world(store, worker=f"w{number}", lease_s=6.0, concurrency=100)
        store = world.store
        worlds.append(world)
    lost = []
    for number in range(240):
        bots = f"a{number}", f"b{number}"
        lost.append(await store.schedule(setup(*bots)))
        store._take(lost[-1], "dead", 6.0)
        for world in worlds:
            for bot in bots:
                world.bot(bot, think=1000.0)
    tasks = [asyncio.create_task(world.arena.run()) for world in worlds]
    await asyncio.sleep(11.0)
    assert {store.rows[match].worker for match in lost} == {"w0", "w1", "w2"}
    assert {store.rows[match].epoch for match in lost} == {2}
    shares = [sum(row.worker == world.arena._leases._worker for row in store.rows.values()) for world in worlds]
    assert max(shares) <= 100
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


@pytest.mark.virtual_clock
async def test_a_worker_never_has_more_than_so_many_beside_its_own(new_world, setup):
    world = new_world(lease_s=6.0, concurrency=2)
    lost = []
    for number in range(50):
        bots = f"a{number}", f"b{number}"
        for bot in bots:
            world.bot(bot, think=random.uniform(500, 1000))
        lost.append(await world.arena.schedule(setup(*bots)))
        lose(world, lost[-1], 1.0)
    async with world.open():
        await asyncio.sleep(8)
        assert len(world.arena.playing()) == 2 + BESIDE
        assert world.arena.playing() == lost[: 2 + BESIDE]  # oldest first
