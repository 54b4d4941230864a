"""The parts of a simulated server beside its matches: ladder, tables, analyses, news of other servers' matches."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from palio_db.errors import StoreError
from palio_db.store import Store
from palio_rules.records.record import JudgedPly, Record, Setup
from palio_rules.time_control import TimeControl
from palio_server.arena.analysis_queue import AnalysisQueue, QueueFull
from palio_server.arena.arena import Arena
from palio_server.arena.house import House
from palio_server.arena.ladder import Ladder
from palio_server.arena.table import TableOrder, TablePlace, TableRefused
from palio_server.arena.tables import Tables
from palio_server.bus import Bus
from palio_server.live.feed import Feed
from palio_server.lobby.lobby import Lobby

if TYPE_CHECKING:
    from palio_simulation.process import Incarnation

NOBODY = 2**31 - 1  # the number of no process: the kernel's are smaller
JUDGED_S = 0.02  # a position is judged within so long
LEAVES_S = 0.7  # seconds after which some people leave their table
NEWS_MS = 6  # how long one server's news is on its way to another one, at most


class Beside:
    """The parts of one run of a server, as far as the schedule has them."""

    def __init__(self, server: "Incarnation") -> None:
        self._server, self._world = server, server.world
        self.analysed: list[str] = []  # matches whose analysis was asked for
        self.tables: Tables | None = None
        self._queue: AnalysisQueue | None = None
        self._ladder: asyncio.Task[None] | None = None
        self._chance = Random(f"beside {server.world.schedule.seed} {server.label}")

    def made(
        self, store: Store, bus: Bus, lobby: Lobby, feed: Feed, arena: Arena
    ) -> list[Callable[[], Awaitable[None]]]:
        """Make the parts; return what runs as long as the server does."""
        schedule, standing = self._world.schedule, list[Callable[[], Awaitable[None]]]()
        if schedule.servers > 1:
            arena.on_start.append(lambda match: self._tell_others(match, over=False))
            arena.on_result.append(lambda record: self._tell_others(record.match, over=True))
        if schedule.tables:
            self.tables = Tables(store, bus, lobby, arena, House(_start_none), limit=0)
            standing.append(self.tables.run)
        if schedule.analyses:
            self._queue = AnalysisQueue(store, bus)
            arena.on_result.append(self._ask_for_analysis)
            standing.append(self._queue.run)
        if schedule.ladder and self._server.name == "server-1" and not self._world.healed:
            ladder = Ladder(arena, lobby, store, TimeControl(1000), rng=self._chance)
            ladder._encounters = SmallEncounters(self)  # type: ignore[assignment]

            async def until_healed() -> None:
                self._ladder = asyncio.create_task(ladder.run(), name="ladder")
                await asyncio.wait([self._ladder])
                if not self._ladder.cancelled():
                    self._ladder.result()

            standing.append(until_healed)
        return standing

    def setup(self, game: str, bots: Sequence[str]) -> Setup:
        return self._world.setup(game, tuple(bots), self._chance)

    def end_ladder(self) -> None:
        """Schedule no further match, or a world would have no end."""
        if self._ladder is not None:
            self._ladder.cancel()

    def to_be_scheduled(self) -> list[str]:
        """Return what may still schedule a match: the ladder in its last round, tables without one."""
        found = ["the ladder"] if self._ladder is not None and not self._ladder.done() else []
        tables = [] if self.tables is None else self.tables._tables.values()
        return found + [f"table {table.id}" for table in tables if not table.closed and table.match is None]

    async def sit_down(self, setup: Setup, *, leaves: bool) -> None:
        """A person, for whom a bot plays, opens a table against another bot, and perhaps leaves it soon."""
        if self.tables is None:
            return
        order = SmallOrder(game=setup.game, options=setup.options, time=setup.time, seed=0, agreed=setup)
        person, other = setup.bots
        with suppress(StoreError, TableRefused):  # then the person knows, or the table waits for the database
            table = await self.tables.open(
                order, TablePlace("person", person, token="secret"), [TablePlace("bot", other)]
            )
            if leaves:
                await asyncio.sleep(LEAVES_S)
                await self.tables.leave(table)

    # --- analyses -----------------------------------------------------------------------------------------------------

    def _ask_for_analysis(self, record: Record) -> None:
        assert self._queue is not None
        with suppress(QueueFull):
            self._queue.ask(record)
            self.analysed.append(record.match)

    def to_be_analysed(self) -> list[str]:
        """The matches whose analysis goes on, or waits."""
        if self._queue is None:
            return []
        states = ((match, self._queue.state(match, kept=False).state) for match in self.analysed)
        return [match for match, state in states if state in ("queued", "running")]

    # --- other servers ------------------------------------------------------------------------------------------------

    def _tell_others(self, match: str, *, over: bool) -> None:
        """Let all other servers know, as servers that share a broker do."""
        for other in self._world.incarnations:
            if other is not self._server and other.ended_at is None:
                when = self._world.loop.time() + self._chance.randrange(1, NEWS_MS) / 1000
                self._world.loop.call_at(when, other.beside.hear_remote, match, over, context=other.context)

    def hear_remote(self, match: str, over: bool) -> None:  # as a timer calls it
        """Another server has begun a match, or ended it."""
        arena = self._server.arena
        for listener in [] if arena is None or self._server.dead else [*arena.on_remote]:
            listener(match, over)


class SmallOrder(TableOrder, frozen=True, kw_only=True):
    """The order of a table, with the short limits of a simulated match."""

    agreed: Setup

    def setup(self, bots: Sequence[str], state: str = "") -> Setup:
        del state
        return msgspec.structs.replace(self.agreed, bots=tuple(bots))


class SmallEncounters:
    """Small games instead of what the ladder plays."""

    def __init__(self, beside: Beside) -> None:
        self._beside = beside

    def setups(self, game: str, names: tuple[str, ...], *, met_before: bool) -> list[Setup]:
        del met_before
        return [self._beside.setup(game, names), self._beside.setup(game, names[::-1])]


async def _start_none(_entrant: Any) -> Any:
    raise OSError("no bots of the house in a simulation")


class Judge:
    """A process that judges matches, without a process."""

    pid = NOBODY

    def stop(self) -> None: ...

    async def plies(self, record: Record) -> AsyncIterator[JudgedPly]:
        for number in range(1 + len(record.setup.opening) + len(record.plies)):
            await asyncio.sleep(JUDGED_S)
            yield JudgedPly(number, 0, "")


@asynccontextmanager
async def judging(_seconds: float, _goodbye_s: float) -> AsyncIterator[Judge]:
    """Yield what judges a match in virtual time."""
    yield Judge()
