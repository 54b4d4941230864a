"""Tournaments of a server: each act at its stages only, started in time, taken up after a restart."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from tournaments_world import THEN, MemoryStore, World

from palio_db.errors import NotFound
from palio_db.event_values import Entry
from palio_rules.errors import BadOption
from palio_server.arena.directing import NotPossible
from palio_server.lobby.other_servers import NoOtherServers

pytestmark = [pytest.mark.usefixtures("small_games", "king"), pytest.mark.virtual_clock]


@pytest.fixture
async def world():
    found = World()
    async with found.open():
        yield found


async def test_a_tournament_is_started_paused_resumed_and_cancelled(world):
    number = await world.made("ann", "bob")
    for act, stage in (("start", "running"), ("pause", "paused"), ("resume", "running"), ("cancel", "cancelled")):
        await getattr(world.service, act)(number)
        await asyncio.sleep(0.01)
        assert world.stage(number) == stage
        assert world.service.directed() == ([number] if stage == "running" else [])
    assert world.log == [("play", number)] * 2


@pytest.mark.parametrize(
    ("act", "stages"),
    [
        ("start", {"open"}),
        ("pause", {"running"}),
        ("resume", {"paused"}),
        ("cancel", {"open", "running", "paused"}),
        ("extend", {"open", "running", "paused", "finished"}),
        ("add", {"open", "running", "paused"}),
        ("withdraw", {"open", "running", "paused"}),
    ],
)
async def test_each_act_is_refused_at_other_stages_and_says_which_it_needs(world, act, stages):
    more = {"extend": (3,), "add": ("eve",), "withdraw": ("ann",)}.get(act, ())
    for stage in ("open", "running", "paused", "finished", "cancelled"):
        number = await world.made("ann", "bob", stage=stage)
        if stage in stages:
            await getattr(world.service, act)(number, *more)
            continue
        with pytest.raises(NotPossible) as refused:
            await getattr(world.service, act)(number, *more)
        assert f"tournament {number} is {stage}" in str(refused.value)
        assert all(wanted in str(refused.value) for wanted in stages)
        assert world.stage(number) == stage
    with pytest.raises(NotFound, match="no tournament 99"):
        await getattr(world.service, act)(99, *more)


async def test_only_the_server_that_directs_a_tournament_changes_it(world):
    number = await world.made("ann", "bob")
    world.store.rows[number] = replace(world.store.rows[number], worker="elsewhere")
    with pytest.raises(NotPossible, match="directed by the server 'elsewhere'"):
        await world.service.start(number)
    world.store.rows[number] = replace(world.store.rows[number], worker="here", announced="1-3")
    with pytest.raises(NotPossible, match="palio run --resume 1"):
        await world.service.start(number)


async def test_a_tournament_that_its_format_refuses_does_not_start(world):
    number = await world.made("ann")
    with pytest.raises(BadOption, match="two bots at least"):
        await world.service.start(number)
    assert (world.stage(number), world.service.directed()) == ("open", [])


async def test_whoever_is_connected_when_an_open_tournament_starts_takes_part(world):
    world.here = ["eve", "ann", "dan"]
    closed, number = await world.made("ann", "bob"), await world.made("ann", admits="open")
    for each in (closed, number):
        await world.service.start(each)
    assert world.store.rows[closed].bots == ("ann", "bob")
    assert [(entry.bot, entry.number) for entry in world.store.rows[number].entries] == [
        ("ann", 1),
        ("dan", 2),
        ("eve", 3),
    ]


async def test_it_starts_at_its_time_and_not_before(world):
    number = await world.made("ann", "bob", starts_at=THEN + timedelta(seconds=100))
    await asyncio.sleep(99)
    assert world.stage(number) == "open"
    await asyncio.sleep(2)
    assert (world.stage(number), world.service.directed()) == ("running", [number])


async def test_a_start_that_has_to_wait_says_why_and_follows_as_soon_as_it_can(world):
    number = await world.made("ann", starts_at=THEN + timedelta(seconds=10))
    await asyncio.sleep(100)
    assert world.stage(number) == "open"
    assert "two bots at least" in world.note(number)
    await world.service.add(number, "bob")
    await asyncio.sleep(0.1)
    assert (world.stage(number), world.note(number)) == ("running", "")


async def test_a_time_that_comes_while_the_database_is_away_is_kept(world):
    number = await world.made("ann", "bob", starts_at=THEN + timedelta(seconds=10))
    world.store.down = True
    await asyncio.sleep(60)
    world.store.down = False
    await asyncio.sleep(30)
    assert world.stage(number) == "running"


async def test_after_a_restart_it_goes_on_with_what_is_running_and_what_is_due():
    store, before = MemoryStore(), World()
    before.store = before.service._store = store
    running, open_ = await before.made("ann", "bob"), await before.made("a", "b", starts_at=THEN + timedelta(seconds=9))
    paused, told = await before.made("ann", "bob", stage="paused"), await before.made("ann", "bob", stage="running")
    store.rows[running] = replace(store.rows[running], stage="running")
    store.rows[paused] = replace(store.rows[paused], scheduled=2)
    store.rows[told] = replace(store.rows[told], announced="")
    after = World(store=store)
    task = asyncio.create_task(after.service.run())
    await asyncio.sleep(0.01)
    assert after.service.directed() == [running]
    assert store.unscheduled == [paused], "a kill came between the pause and what it takes off"
    await asyncio.sleep(10)
    assert after.service.directed() == [running, open_]
    task.cancel()
    await asyncio.wait([task])
    assert after.stage(running) == "running", "the end of a server is no pause"


async def test_one_that_cannot_go_on_is_paused_with_the_reason_and_the_others_go_on(world, caplog):
    good = await world.made("ann", "bob")
    await world.service.start(good)
    await asyncio.sleep(0.01)
    world.fails = BadOption("the book has no line left; give it more")
    bad = await world.made("ann", "bob")
    await world.service.start(bad)
    await asyncio.sleep(0.01)
    assert (world.stage(good), world.stage(bad)) == ("running", "paused")
    assert "the book has no line left" in world.note(bad)
    world.fails = None
    await world.service.resume(bad)
    assert world.note(bad) == ""


async def test_late_entries_are_the_formats_to_admit(world):
    number = await world.made("ann", "bob", "cid")
    await world.service.start(number)
    entry = await world.service.add(number, "dan", 1500.0, [2])
    assert (entry.number, entry.joined, entry.rating, entry.byes) == (4, 1, 1500.0, {2})
    await world.service.pause(number)
    with pytest.raises(NotPossible, match="no longer be entered in tournament 1: the hill is full"):
        await world.service.add(number, "eve")
    again = await world.service.add(number, "ann", byes=[3])
    assert (again.number, again.byes) == (1, {3}), "whoever is in may be granted a bye at any time"
    assert ("close", number) in world.log


async def test_withdrawals_before_and_during_play(world):
    number = await world.made("ann", "bob", "last")
    await world.service.withdraw(number, "ann")
    with pytest.raises(NotFound, match="bob, last does"):
        await world.service.withdraw(number, "ann")
    await world.service.add(number, "ann")
    assert world.store.rows[number].entries == (Entry("bob", 1), Entry("last", 2), Entry("ann", 3))
    await world.service.start(number)
    await world.service.withdraw(number, "bob")
    with pytest.raises(NotPossible, match="too few are left"):
        await world.service.withdraw(number, "last")
    assert [what for what in world.log if what[0] == "withdraw"] == [("withdraw", "bob"), ("withdraw", "last")]


async def test_more_rounds_before_during_and_after_play(world):
    number = await world.made("ann", "bob")
    with pytest.raises(BadOption, match="2 rounds at least"):
        await world.service.extend(number, 1)
    for stage, rounds in (("open", 3), ("running", 4), ("paused", 5), ("finished", 6)):
        world.store.rows[number] = replace(world.store.rows[number], stage=stage)
        await world.service.extend(number, rounds)
        assert world.store.rows[number].rules["rounds"] == rounds
    assert (world.stage(number), world.service.directed()) == ("running", [number])


class OneOther(NoOtherServers):
    """Another server runs tournament 7."""

    def __init__(self):
        self.asked = []

    async def change_tournament(self, number, act, arguments):
        self.asked.append((number, act, arguments))
        return ["done there"] if number == 7 else []


async def test_what_another_server_runs_is_done_there_and_all_else_here():
    others = OneOther()
    found = World(others)
    async with found.open():
        number = await found.made("ann", "bob")
        assert await found.service.add(7, "cid") == "done there"
        await found.service.pause(7)
        await found.service.start(number)
        assert found.stage(number) == "running"
        assert await found.service.change_here(number, "pause", []) is None
        assert found.stage(number) == "paused"
    assert others.asked == [(7, "add", ("cid", None, ())), (7, "pause", ()), (number, "start", ())]
