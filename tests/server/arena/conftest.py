"""A store in memory, bots on the local bus, and an arena between them, all on virtual time."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from tournaments_world import king  # noqa: F401  # a fixture

from palio_db.errors import LeaseLost, Unavailable
from palio_db.values import Claim, Orphan, WaitingMatch
from palio_rules.contract import topics
from palio_rules.contract.codec import decode_from_server, encode
from palio_rules.contract.messages import GameMessage, Hello, Move, Ready, Turn
from palio_rules.records.record import Ply, Setup
from palio_rules.time_control import TimeControl
from palio_server.arena.arena import Arena
from palio_server.bus.local import LocalBus
from palio_server.live.feed import Feed
from palio_server.lobby.lobby import Lobby


@dataclass
class Row:
    setup: Setup
    status: str = "scheduled"
    epoch: int = 0
    worker: str = ""
    lease: float = 0.0
    plies: dict = field(default_factory=dict)
    refusals: dict = field(default_factory=dict)
    record: object = None
    reason: str = ""
    over: asyncio.Event = field(default_factory=asyncio.Event)


class MemoryStore:
    """The store's part that the arena uses, in the loop's own time. `down`: the database is away."""

    def __init__(self):
        self.rows, self.down, self.log, self.after_claim = {}, False, [], None
        self.looks = 0  # at the list of waiting matches

    write_error, url = "", "memory"

    def room(self):
        return None

    async def probe(self):
        self._touch()

    async def check_open_file(self):
        self._touch()

    def _touch(self):
        if self.down:
            raise Unavailable("no database")

    async def schedule(self, setup, event="", by=None):
        self._touch()
        match = f"m{len(self.rows):03}"
        self.rows[match] = Row(setup)
        return match

    def _take(self, match, worker, lease_s):
        row = self.rows[match]
        row.status, row.epoch, row.worker, row.lease = "running", row.epoch + 1, worker, now() + lease_s
        journal = [tuple(kind[number] for number in sorted(kind)) for kind in (row.plies, row.refusals)]
        self.log.append(("claim", match))
        return Claim(match, row.epoch, row.setup, journal=journal[0], refusals=journal[1])

    async def matches(self, *, status, limit):
        self._touch()
        return [
            SimpleNamespace(id=match, worker=row.worker) for match, row in self.rows.items() if row.status == status
        ]

    async def claim_some(self, worker, lease_s, most, *, free, tournament):
        self._touch()
        await asyncio.sleep(0.001)
        for match, row in self.rows.items():
            if row.status == "scheduled" and set(row.setup.bots) <= set(free.get(row.setup.game, ())):
                claim = self._take(match, worker, lease_s)
                if self.after_claim:
                    self.after_claim(claim)
                return [claim]
        return []

    async def schedule_many(self, setups, *, event=""):
        return [await self.schedule(setup, event=event) for setup in setups]

    async def waiting(self, limit, *, tournament=None):
        self._touch()
        self.looks += 1
        await asyncio.sleep(0.001)
        return [
            WaitingMatch(match, row.setup.game, row.setup.bots)
            for match, row in self.rows.items()
            if row.status == "scheduled"
        ][:limit]

    async def claim_these(self, worker, lease_s, matches):
        self._touch()
        await asyncio.sleep(0.001)
        claims = [self._take(match, worker, lease_s) for match in matches if self.rows[match].status == "scheduled"]
        for claim in claims:
            if self.after_claim:
                self.after_claim(claim)
        return claims

    async def still_waiting(self, matches):
        self._touch()
        return {match: self.rows[match].epoch for match in matches if self.rows[match].status == "scheduled"}

    async def reclaim(self, worker, lease_s, *, own=True, lapsed=True):
        self._touch()
        lost = [
            match
            for match, row in self.rows.items()
            if row.status == "running" and ((lapsed and row.lease < now()) or (own and row.worker == worker))
        ]
        return [self._take(match, worker, lease_s) for match in lost]

    def _over(self, matches, after_s=0.0):
        rows = ((match, self.rows[match]) for match in matches)
        return [match for match, row in rows if row.status == "running" and row.lease < now() - after_s]

    async def orphans(self, within_s):
        self._touch()
        await asyncio.sleep(0.001)
        return [
            Orphan(match, row.setup.game, row.setup.bots, None, row.lease, row.lease - now())
            for match, row in self.rows.items()
            if row.status == "running" and row.lease < now() + within_s
        ]

    async def take_over(self, worker, lease_s, matches):
        self._touch()
        await asyncio.sleep(0.001)
        return [self._take(match, worker, lease_s) for match in self._over(matches)]

    async def reschedule(self, matches, after_s):
        self._touch()
        found = self._over(matches, after_s)
        for match in found:
            self.rows[match].status = "scheduled"
            self.log.append(("put back", match))
        return found

    def held(self, claim):
        row = self.rows[claim.match]
        return row.status == "running" and row.epoch == claim.epoch

    async def renew(self, claims, lease_s):
        self._touch()
        kept = {claim.match for claim in claims if self.held(claim)}
        for match in kept:
            self.rows[match].lease = now() + lease_s
        return kept

    async def release(self, claim):
        self._touch()
        self.rows[claim.match].status = "scheduled"
        self.log.append(("release", claim.match))
        return True

    async def journal(self, entries):
        self._touch()
        for entry in entries:
            row = self.rows[entry.match]
            if row.status == "running" and row.epoch == entry.epoch:
                kind = row.plies if isinstance(entry.entry, Ply) else row.refusals
                kind.setdefault(entry.number, entry.entry)

    async def finish(self, claim, record, addresses=()):
        self._touch()
        await asyncio.sleep(0.001)
        row = self.rows[claim.match]
        if row.record == record:
            return
        if not self.held(claim):
            raise LeaseLost("not yours")
        row.status, row.record = "finished", record
        row.over.set()
        self.log.append(("finish", claim.match))

    async def abort(self, match, reason, *, epoch=None, by=None):
        self._touch()
        row = self.rows[match]
        if row.status not in ("scheduled", "running") or row.epoch != epoch:
            return False
        row.status, row.reason = "aborted", reason
        row.over.set()
        self.log.append(("abort", match))
        return True


def now():
    return asyncio.get_running_loop().time()


GAMES = ("heap2", "broken_heap")


class BusBot:
    """A bot that is connected to the lobby, and plays the first listed move after `think` seconds."""

    def __init__(
        self, bus, lobby, name, *, think=0.05, choose=lambda turn: turn.moves[0], slots=1, mute=False, games=GAMES
    ):
        self.games = list(games)
        self.bus, self.lobby, self.name, self.think, self.choose, self.mute = bus, lobby, name, think, choose, mute
        self.slots = slots
        self.heard = []
        self.join()

    def join(self):
        self.session = self.lobby.join(Hello(self.name, self.games, slots=self.slots), self, "test")

    def leave(self):
        self.lobby.leave(self.session)

    def post(self, topic, envelope):
        message = envelope.read(decode_from_server)
        self.heard.append(message)
        match message:
            case GameMessage(match=name) if not self.mute:
                self.say(Ready(name))
            case Turn(match=name):
                move = Move(name, message.id, self.choose(message))
                asyncio.get_running_loop().call_later(self.think, self.say, move)

    def say(self, message):
        if self.session.connected:
            self.bus.publish(topics.bot_out(self.name, message.match), encode(message))

    def close(self, code, reason):
        pass

    def of(self, kind):
        return [message for message in self.heard if isinstance(message, kind)]


class World:
    """Everything around an arena."""

    def __init__(self, store=None, **options):
        self.store = store or MemoryStore()
        self.bus = LocalBus()
        self.lobby = Lobby(self.bus, games=(*GAMES, "heap3", "chexers_solo", "breakthrough"))
        self.feed = Feed(self.bus)
        self.results = []
        options = {"worker": "here", "concurrency": 2, "lease_s": 30.0} | options
        self.arena = Arena(self.store, self.bus, self.lobby, self.feed, on_result=[self.results.append], **options)

    def bot(self, name, **how):
        return BusBot(self.bus, self.lobby, name, **how)

    @asynccontextmanager
    async def open(self):
        task = asyncio.create_task(self.arena.run())
        try:
            yield self
        finally:
            failed = task.done()
            task.cancel()
            await asyncio.wait([task])
            assert not failed, task.exception()

    async def over(self, *matches, within=600):
        """Return when the matches are over."""
        async with asyncio.timeout(within):
            for match in matches:
                await self.store.rows[match].over.wait()
        await asyncio.sleep(0.01)


def agreed(*bots, game="heap2", stones=6, **more):
    """A setup with plenty of time."""
    return Setup(game=game, bots=bots, options={"stones": stones}, time=TimeControl.parse("60"), **more)


@pytest.fixture(scope="session")
def new_world():
    """Makes a `World`: an arena with all that it needs."""
    return World


@pytest.fixture(scope="session")
def setup():
    return agreed
