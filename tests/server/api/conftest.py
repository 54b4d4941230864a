"""A server with real parts: the store in memory, the arena at work, bots that play; served over real sockets or not."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import msgspec
import pytest

from palio_db.event_values import Plan
from palio_db.store import Store
from palio_rules.contract.codec import decode_from_server, encode
from palio_rules.contract.messages import GameMessage, Hello, Move, Ready, Turn
from palio_rules.contract.topics import bot_out
from palio_rules.errors import BadOption
from palio_server.api.app import create_app
from palio_server.api.event_views import ranked_by_points
from palio_server.arena.analysis_queue import AnalysisQueue
from palio_server.arena.arena import Arena
from palio_server.arena.directing import directing
from palio_server.arena.house import House
from palio_server.arena.leaderboards import Leaderboards
from palio_server.arena.tables import Tables
from palio_server.arena.tournaments import Tournaments
from palio_server.bus import Envelope
from palio_server.bus.local import LocalBus
from palio_server.courses.check_queue import CheckQueue
from palio_server.courses.served_courses import ServedCourse, ServedCourses
from palio_server.courses.values import Assignment, Course, LateRule
from palio_server.live.feed import Feed
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.lobby.visits import Visits
from palio_server.network.http_server import serving
from palio_server.network.listeners import bind, url_of
from palio_server.processes.hint_process import HintProcess
from palio_server.settings import Settings
from palio_server.tournament import format as formats
from palio_server.tournament.format import Format, FormatRules

BREAKTHROUGH = {"game": "breakthrough", "options": {"rows": 5, "cols": 3}, "seed": 1}


@dataclass
class Player:
    """The link to a bot in this process, which plays the first legal move; `patient` ones wait to be told to go on."""

    server: "TestServer"
    name: str
    patient: bool = False
    turns: list[Turn] = field(default_factory=list)

    def post(self, topic_leaf: str, envelope: Envelope) -> None:
        match envelope.read(decode_from_server):
            case GameMessage(match=match):
                self.say(match, Ready(match))
            case Turn() as turn if self.patient:
                self.turns.append(turn)
            case Turn() as turn:
                self.play(turn)

    def play(self, turn: Turn) -> None:
        self.say(turn.match, Move(turn.match, turn.id, turn.moves[0]))

    def say(self, match: str, message: Any) -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(self.server.bus.publish, bot_out(self.name, match), encode(message))

    def close(self, code: int, reason: str) -> None: ...


class NoPractice:
    """Practice games are played in tests/e2e."""

    def wake(self) -> None:
        pass


@dataclass
class TestServer:
    __test__ = False

    settings: Settings
    store: Store
    bus: LocalBus
    lobby: Lobby
    visits: Visits
    access: Access
    feed: Feed
    arena: Arena
    leaderboards: Leaderboards
    tournaments: Tournaments
    tables: Tables
    analyses: AnalysisQueue
    courses: ServedCourses | None = None
    practice: NoPractice = field(default_factory=NoPractice)
    hints: HintProcess = field(default_factory=HintProcess)
    others: OtherServers = ALONE

    def join(self, name, games=("breakthrough",), *, patient=False, slots=8, **said):
        player = Player(self, name, patient)
        self.lobby.join(Hello(name, list(games), slots=slots, **said), player, "websocket")
        return player

    async def until(self, condition, seconds=20):
        async with asyncio.timeout(seconds):
            while not (found := await condition()):  # noqa: ASYNC110  # the store has no event for it
                await asyncio.sleep(0.01)
        return found

    async def finished(self, match):
        return await self.until(lambda: self.store.record(match))


async def no_process(entrant):
    """House bots are joined by tests."""
    await asyncio.get_running_loop().create_future()


@contextlib.asynccontextmanager
async def open_server(settings: Settings) -> AsyncIterator[TestServer]:
    async with await Store.open("sqlite://") as store:
        bus = LocalBus()
        visits = Visits(store)
        lobby, feed = Lobby(bus, visits=visits), Feed(bus)
        mode = "open" if settings.open else "required"
        access = Access(store, mode, with_guests=settings.with_guests, private=settings.private)
        leaderboards = Leaderboards(store, bus, feed)
        arena = Arena(store, bus, lobby, feed, worker="test", concurrency=8, lease_s=30, on_result=[leaderboards.note])
        tournaments = Tournaments(store, lobby, directing(store, arena, lobby), worker="test")
        tables = Tables(store, bus, lobby, arena, House(no_process), limit=settings.house_tables)
        analyses = AnalysisQueue(store, bus)
        tasks = [asyncio.create_task(part.run()) for part in (arena, leaderboards, tournaments, tables, analyses)]
        try:
            async with HintProcess() as hints:
                parts = (leaderboards, tournaments, tables, analyses, hints)
                yield TestServer(settings, store, bus, lobby, visits, access, feed, arena, *parts)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
async def server():
    async with open_server(Settings()) as found:
        yield found


@pytest.fixture
async def guarded_server():
    """One that wants tokens."""
    async with open_server(Settings(auth="required")) as found:
        yield found


@pytest.fixture
async def private_server():
    """One where reading needs a token, too."""
    async with open_server(Settings(private=True)) as found:
        yield found


@pytest.fixture
def client_of():
    """A client of a server's application, without sockets between them."""
    return lambda server, host="localhost:8000": httpx.AsyncClient(
        transport=httpx.ASGITransport(create_app(server), raise_app_exceptions=False), base_url=f"http://{host}"
    )


@pytest.fixture
async def client(server, client_of):
    async with client_of(server) as found:
        yield found


@pytest.fixture
async def url(server):
    """The server's address on a real port."""
    listener = bind("127.0.0.1", 0)
    async with serving(create_app(server), listener):
        yield url_of(listener)


async def no_check(assignment, folder, *, records):
    raise AssertionError("nothing is checked in this test")


@pytest.fixture
def serve_course(tmp_path):
    """Lets a server serve a course called `ai`; returns the queue of its checks."""

    def serve(server, assignments=(), check=no_check):
        course = Course("ai", tmp_path, "AI", ZoneInfo("UTC"), staff=("carla",), assignments=tuple(assignments))
        queue = CheckQueue(server.store, course, check)
        server.courses = ServedCourses({"ai": ServedCourse(queue, 0.0)})
        return queue

    return serve


@pytest.fixture
def make_assignment(tmp_path):
    """Makes an assignment that is open, unless told otherwise."""

    def make(name, **more):
        values = {
            "name": name,
            "folder": tmp_path,
            "title": name.title(),
            "game": "dominoes",
            "spec": "handout:dominoes:{folder}/bot.py",
            "files": ("bot.py",),
            "opens": datetime.now(UTC) - timedelta(days=1),
            "due": datetime.now(UTC) + timedelta(days=1),
            "size": 1000,
            "late": LateRule(days=2, free=3),
            "submissions_a_day": 3,
        }
        return Assignment(**(values | more))

    return make


@pytest.fixture
def breakthrough():
    return dict(BREAKTHROUGH)


@pytest.fixture
def as_type():
    """Read JSON strictly as a type."""
    return lambda data, kind: msgspec.json.decode(data, type=kind)


# --- a format of our own ----------------------------------------------------------------------------------------------


class PodiumRules(FormatRules, frozen=True, kw_only=True):
    medals: int = 3


class Podium(Format):
    """All meet once, and points decide; `palio.formats` has it for these tests."""

    name, title, rules_type = "podium", "Podium", PodiumRules

    def check(self, event):
        if len(event.entries) < 2:
            raise BadOption("a podium needs two bots at least; name one more")

    def next(self, event, most):
        met = {frozenset(encounter.bots) for encounter in event.encounters}
        pairs = combinations([entry.bot for entry in event.entries if entry.left is None], 2)
        return [Plan(1, board, pair, games=2) for board, pair in enumerate(pairs, 1) if frozenset(pair) not in met]

    def over(self, event):
        return event.all_over and not self.next(event, 1)

    def standings(self, event):
        return [replace(line, tie_breaks=(float(line.wins),)) for line in ranked_by_points(event)]

    def tie_breaks(self, event):
        return ("wins",)

    def total(self, event):
        bots = len(event.entries)
        return bots * (bots - 1)

    def rounds_in_all(self, event):
        return 3 if event.encounters else None

    def admits_late(self, event):
        return ""

    def extended(self, event, rounds):
        return Podium(msgspec.structs.replace(self.rules, rounds=rounds))


class Installed:
    def __init__(self, kind):
        self.load = lambda: kind


@pytest.fixture
def podium(monkeypatch):
    """The format is installed."""
    entries = {**formats._entries(), "podium": Installed(Podium)}
    monkeypatch.setattr(formats, "_entries", lambda: entries)
    return Podium
