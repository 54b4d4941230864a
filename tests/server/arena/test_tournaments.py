"""Tournaments of a server: each act at its stages only, started in time, taken up after a restart."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from palio_db.errors import NotFound, Unavailable
from palio_db.event_values import Entry, TournamentDraft, TournamentRow
from palio_rules.errors import BadOption
from palio_server.arena import tournaments as under_test
from palio_server.arena.directed import NotPossible
from palio_server.arena.event_note import note_of
from palio_server.arena.tournaments import Tournaments
from palio_server.tournament.event import Event
from palio_server.tournament.format import Format

pytestmark = [pytest.mark.usefixtures("small_games", "king"), pytest.mark.virtual_clock]

THEN = datetime(2026, 11, 22, 12, tzinfo=UTC)
BEGAN = 1000.0  # where virtual time begins


class King(Format):
    """Two bots at least; others may come late while there are fewer than four."""

    name, title = "king", "King of the hill"

    def check(self, event):
        if len(event.entries) < 2:
            raise BadOption("a king needs somebody to rule; name two bots at least")

    def next(self, event, most):
        return []

    def over(self, event):
        return False

    def standings(self, event):
        return []

    def tie_breaks(self, event):
        return ()

    def admits_late(self, event):
        return "the hill is full" if len(event.entries) >= 4 else ""

    def extended(self, event, rounds):
        if rounds < 2:
            raise BadOption("a king reigns for 2 rounds at least")
        return King(type(self.rules)(rounds=rounds))


@pytest.fixture(scope="module")
def king():
    def format_of(name: str, settings: Mapping[str, object] | None = None) -> Format:
        if name != "king":
            raise BadOption(f"unknown format {name!r}")
        return King(King.rules_type(**(settings or {})))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(under_test, "format_of", format_of)
        yield


class MemoryStore:
    """The store's part that the service uses. `down`: the database is away."""

    def __init__(self):
        self.rows: dict[int, TournamentRow] = {}
        self.down, self.unscheduled = False, []

    def _touch(self):
        if self.down:
            raise Unavailable("no database")

    async def create_event(self, draft):
        self._touch()
        number = len(self.rows) + 1
        fields = {name: getattr(draft, name) for name in draft.__slots__}
        counts = dict.fromkeys(("scheduled", "running", "finished", "aborted"), 0)
        self.rows[number] = TournamentRow(id=number, created_at=THEN, finished_at=None, **fields, **counts)
        return number

    async def tournament(self, number):
        self._touch()
        return self.rows.get(number)

    async def tournaments(self, limit, *, stage, worker):
        self._touch()
        return [row for row in self.rows.values() if (row.stage, row.worker) == (stage, worker)]

    async def set_stage(self, number, stage, *, only_from):
        self._touch()
        if self.rows[number].stage not in only_from:
            return False
        self.rows[number] = replace(self.rows[number], stage=stage)
        return True

    async def set_rules(self, number, rules):
        self.rows[number] = replace(self.rows[number], rules=rules)

    async def enter(self, number, entry):
        row = self.rows[number]
        others = [each for each in row.entries if each.bot != entry.bot]
        entries = sorted((*others, entry), key=lambda each: each.number)
        self.rows[number] = replace(row, entries=tuple(entries))

    async def remove_entry(self, number, bot):
        row = self.rows[number]
        kept = [entry for entry in row.entries if entry.bot != bot]
        entries = tuple(replace(entry, number=place) for place, entry in enumerate(kept, 1))
        self.rows[number] = replace(row, entries=entries)

    async def set_settings(self, number, settings):
        self._touch()
        self.rows[number] = replace(self.rows[number], settings=settings)

    async def unschedule(self, number):
        self.unscheduled.append(number)
        return ["m1"]


class Directed:
    """A director that plays until it is told to end, and writes down what it is told."""

    def __init__(self, store, number, log, fails):
        self.store, self.number, self.log, self.fails = store, number, log, fails
        self.row = store.rows[number]
        self.event, self.format = Event(self.row.game, self.row.entries), King(King.rules_type())
        self.done = asyncio.Event()

    async def play(self):
        self.log.append(("play", self.number))
        if self.fails:
            raise self.fails
        await self.done.wait()

    async def enter(self, entry):
        self.log.append(("enter", entry))
        await self.store.enter(self.number, entry)

    async def withdraw(self, bot):
        self.log.append(("withdraw", bot))
        return bot != "last"

    async def extend(self, rounds):
        self.log.append(("extend", rounds))
        await self.store.set_rules(self.number, {"rounds": rounds})

    async def pause(self):
        await self.store.set_stage(self.number, "paused", only_from=("running",))
        self.done.set()

    async def cancel(self):
        await self.store.set_stage(self.number, "cancelled", only_from=("running", "paused"))
        self.done.set()

    def close(self):
        self.log.append(("close", self.number))


class World:
    def __init__(self, store=None):
        self.store = store or MemoryStore()
        self.log, self.here, self.fails = [], [], None
        self.lobby = SimpleNamespace(players=lambda game: self.here)
        self.service = Tournaments(self.store, self.lobby, self.direct, worker="here", now=self.now)

    async def direct(self, number):
        self.store._touch()
        return Directed(self.store, number, self.log, self.fails)

    def now(self):
        return THEN + timedelta(seconds=asyncio.get_running_loop().time() - BEGAN)

    async def made(self, *bots, stage="open", **more):
        entries = tuple(Entry(bot, number) for number, bot in enumerate(bots, 1))
        draft = TournamentDraft("cup", "heap2", "king", {}, {}, entries, **more)
        number = await self.service.create(draft)
        self.store.rows[number] = replace(self.store.rows[number], stage=stage)
        return number

    def note(self, number):
        return note_of(self.store.rows[number])

    def stage(self, number):
        return self.store.rows[number].stage


@pytest.fixture
async def world():
    found = World()
    task = asyncio.create_task(found.service.run())
    await asyncio.sleep(0.01)
    yield found
    assert not task.done()
    task.cancel()
    await asyncio.wait([task])


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
    after = World(store)
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
    with pytest.raises(NotPossible, match="any more: the hill is full"):
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
