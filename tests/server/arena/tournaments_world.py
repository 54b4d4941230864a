"""Tournaments of a server without a database and without play: a store in memory, directors that write down acts."""

import asyncio
from collections.abc import Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from palio_db.errors import Unavailable
from palio_db.event_values import Entry, TournamentDraft, TournamentRow
from palio_rules.errors import BadOption
from palio_server.arena import tournaments
from palio_server.arena.directing import note_of
from palio_server.arena.tournaments import Tournaments
from palio_server.lobby.other_servers import ALONE
from palio_server.tournament.event import Event
from palio_server.tournament.format import Format

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


class MemoryStore:
    """The store's part that the service uses. `down`: the database is away."""

    def __init__(self):
        self.rows: dict[int, TournamentRow] = {}
        self.down, self.unscheduled = False, []

    def _touch(self):
        if self.down:
            raise Unavailable("no database")

    async def create_event(self, draft, *, by):
        self._touch()
        number = len(self.rows) + 1
        fields = {name: getattr(draft, name) for name in draft.__slots__}
        counts = dict.fromkeys(("scheduled", "running", "finished", "aborted"), 0)
        self.rows[number] = TournamentRow(id=number, created_at=THEN, finished_at=None, **fields, **counts)
        return number

    async def tournament(self, number):
        self._touch()
        return self.rows.get(number)

    async def tournaments(self, limit, *, stage, worker=None):
        self._touch()
        return [row for row in self.rows.values() if row.stage == stage and worker in (None, row.worker)]

    async def take_worker(self, number, worker, *, former):
        self._touch()
        taken = self.rows[number].worker == former
        if taken:
            self.rows[number] = replace(self.rows[number], worker=worker)
        return taken

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
    def __init__(self, others=ALONE, store=None):
        self.store = store or MemoryStore()
        self.log, self.here, self.fails = [], [], None
        self.lobby = SimpleNamespace(players=lambda game: self.here)
        self.service = Tournaments(self.store, self.lobby, self.direct, worker="here", now=self.now, others=others)

    async def direct(self, number):
        self.store._touch()
        return Directed(self.store, number, self.log, self.fails)

    def now(self):
        return THEN + timedelta(seconds=asyncio.get_running_loop().time() - BEGAN)

    @asynccontextmanager
    async def open(self):
        """In the context the service runs."""
        task = asyncio.create_task(self.service.run())
        await asyncio.sleep(0.01)
        yield self
        assert not task.done()
        task.cancel()
        await asyncio.wait([task])

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


@pytest.fixture(scope="module")
def king():
    """The format of this world, and no other one."""

    def format_of(name: str, settings: Mapping[str, object] | None = None) -> Format:
        if name != "king":
            raise BadOption(f"unknown format {name!r}")
        return King(King.rules_type(**(settings or {})))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tournaments, "format_of", format_of)
        yield
