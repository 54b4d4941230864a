"""The arena: which match is played when, by whom, and in which order its result becomes known."""

import asyncio

import pytest

from palio_rules.contract.messages import Over
from palio_rules.records import fault
from palio_server.arena import next_matches
from palio_server.arena.arena import LOOK_S

pytestmark = [pytest.mark.virtual_clock, pytest.mark.usefixtures("small_games")]


async def test_a_result_is_committed_then_shown_then_told_to_the_bots(new_world, setup):
    world = new_world()
    ann, bob = world.bot("ann"), world.bot("bob")
    order = world.store.log
    world.arena.on_start.append(lambda match: order.append(("start", match)))
    world.arena.on_result.append(lambda record: order.append(("result", record.match)))
    note = world.feed.note
    world.feed.note = lambda match, event: (order.append((type(event).__name__, match)), note(match, event))
    over = []
    post = ann.post
    ann.post = lambda match, data: (
        post(match, data),
        over.append(list(order)) if isinstance(ann.heard[-1], Over) else None,
    )
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await world.over(match)
    assert [what for what, _ in order if what != "Played"] == [
        "claim",
        "start",
        "Started",
        "finish",
        "Finished",
        "result",
    ]
    assert over == [order]
    record = world.store.rows[match].record
    assert fault(record) is None
    assert world.results == [record]
    assert world.feed.snapshot(match).summary.result == record.result
    assert bob.of(Over)[0].outcome == record.result
    assert sorted(world.lobby.free("heap2")) == ["ann", "bob"]


async def test_bots_that_are_kept_for_a_match_play_no_other_one(new_world, setup):
    world = new_world()
    for name in ("ann", "bob", "cid", "dan"):
        world.bot(name)
    async with world.open():
        with world.arena.keeping_for_first(["ann", "bob"]):
            other = await world.arena.schedule(setup("ann", "bob"))
            free = await world.arena.schedule(setup("cid", "dan"))
            own = await world.arena.enqueue_first(setup("ann", "bob"))
            await world.over(free, own)
            await asyncio.sleep(2 * LOOK_S)
            assert [match for what, match in world.store.log if what == "claim" and match == other] == []
        await world.over(other)


async def test_the_oldest_playable_match_comes_first(new_world, setup):
    world = new_world(concurrency=1)
    for name in ("ann", "bob", "cid"):
        world.bot(name)
    absent = await world.arena.schedule(setup("ann", "zoe"))
    others = [await world.arena.schedule(setup(*pair)) for pair in (("ann", "bob"), ("bob", "cid"), ("ann", "cid"))]
    async with world.open():
        await world.over(*others)
        assert [match for what, match in world.store.log if what == "claim"] == others
        world.bot("zoe")
        await world.over(absent)


async def test_whoever_comes_too_late_for_a_match_takes_the_next_one_at_once(new_world, setup):
    world = new_world()
    for name in ("ann", "bob", "cid"):
        world.bot(name)
    claim_these = world.store.claim_these

    async def late(worker, lease_s, matches):
        world.store.claim_these = claim_these
        await claim_these("faster", lease_s, matches)
        return await claim_these(worker, lease_s, matches)

    world.store.claim_these = late
    first, second = [await world.arena.schedule(setup("ann", other)) for other in ("bob", "cid")]
    async with world.open():
        await asyncio.sleep(LOOK_S / 2)
        assert world.store.rows[first].worker == "faster"
        assert world.store.rows[second].worker == "here"
        await world.over(second)


async def test_so_many_matches_at_once_and_no_more(new_world, setup):
    world = new_world(concurrency=3)
    for number in range(8):
        world.bot(f"bot{number}", think=0.5)
    most = 0
    async with world.open():
        matches = [await world.arena.schedule(setup(f"bot{n}", f"bot{n + 1}")) for n in range(0, 8, 2)]
        for _ in range(100):
            await asyncio.sleep(0.1)
            most = max(most, len(world.arena.playing()))
        await world.over(*matches)
    assert most == 3


async def test_a_bot_with_two_slots_plays_two_matches_at_once(new_world, setup):
    world = new_world()
    world.bot("ann", slots=2, think=1.0)
    world.bot("bob"), world.bot("cid")
    async with world.open():
        matches = [await world.arena.schedule(setup("ann", other)) for other in ("bob", "cid")]
        await asyncio.sleep(0.5)
        assert world.arena.playing() == matches
        await world.over(*matches)


async def test_a_match_whose_bot_leaves_before_it_is_seated_goes_back_to_the_list(new_world, setup):
    world = new_world()
    ann, _ = world.bot("ann"), world.bot("bob")
    world.store.after_claim = lambda claim: (ann.leave(), setattr(world.store, "after_claim", None))
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await asyncio.sleep(5)
        assert world.store.rows[match].status == "scheduled"
        ann.join()
        await world.over(match)
    assert world.store.rows[match].status == "finished"


async def test_if_nobody_gets_ready_the_match_does_not_count(new_world, setup):
    world = new_world()
    ann, _ = world.bot("ann", mute=True), world.bot("bob", mute=True)
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob", ready_ms=4000))
        await world.over(match)
    assert world.store.rows[match].status == "aborted"
    assert world.store.rows[match].reason == "nobody was ready: seat 0 never-ready, seat 1 never-ready"
    assert not world.results
    assert ann.of(Over)[0].outcome.reason == "nobody-ready"


async def test_a_match_that_cannot_be_played_is_refused_and_one_from_elsewhere_is_aborted(new_world, setup):
    world = new_world()
    world.bot("ann"), world.bot("bob")
    with pytest.raises(ValueError, match="cannot play itself"):
        await world.arena.schedule(setup("ann", "ann"))
    match = await world.store.schedule(setup("ann", "ann"))
    async with world.open():
        await world.over(match)
    assert (
        world.store.rows[match].reason == "it cannot be played: a bot cannot play itself: ann, ann; name different bots"
    )


async def test_an_operator_may_stop_a_match(new_world, setup):
    world = new_world()
    world.bot("ann", think=9.0), world.bot("bob", think=9.0)
    async with world.open():
        match = await world.arena.schedule(setup("ann", "bob"))
        await asyncio.sleep(1)
        assert not world.arena.stop("other", "why")
        assert world.arena.stop(match, "closing\0 time")
        await world.over(match)
    result = world.store.rows[match].record.result
    assert (result.termination, result.reason) == ("adjudicated", "closing time")


async def test_many_matches_begin_oldest_first_and_those_of_one_bot_one_after_the_other(new_world, setup):
    world = new_world(concurrency=100)
    for number in range(80):
        world.bot(f"bot{number}", think=0.5)
    async with world.open():
        pairs = [(f"bot{n}", f"bot{n + 1}") for n in range(0, 80, 2)]
        matches = await world.arena.schedule_many([setup(*pair) for pair in [*pairs, pairs[0]]], "cup")
        await asyncio.sleep(0.3)
        assert world.arena.playing() == matches[:-1]
        await world.over(*matches)
    assert [match for what, match in world.store.log if what == "claim"] == matches
    with pytest.raises(ValueError, match="cannot play itself"):
        await world.arena.schedule_many([setup("a", "b"), setup("a", "a")])
    assert len(world.store.rows) == len(matches)


async def test_a_match_begins_though_more_than_fit_into_memory_wait_before_it(new_world, setup, monkeypatch):
    monkeypatch.setattr(next_matches, "PAGE", 3)
    world = new_world(concurrency=4)
    for name in ("ann", "bob", "cid", "dan"):
        world.bot(name, think=0.5)
    async with world.open():
        await world.arena.schedule_many([setup("ann", "zoe")] * 5)
        two = await world.arena.schedule_many([setup("ann", "bob"), setup("cid", "dan")])
        await world.over(*two)


async def test_bots_that_get_free_ask_the_database_nothing(new_world, setup):
    world = new_world(concurrency=4)
    ann, _ = world.bot("ann"), world.bot("bob")
    async with world.open():
        await world.arena.schedule(setup("ann", "zoe"))
        await asyncio.sleep(5.5)
        looks = world.store.looks
        for _ in range(15):  # without a match in between, further hellos are limited
            ann.leave(), ann.join()
            await asyncio.sleep(0.001)
        assert world.store.looks == looks
        await asyncio.sleep(2)
        assert world.store.looks > looks, "others may have scheduled something"
