"""A server as a process that can be killed, stopped, paused and started again: made of the product's own parts."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from contextvars import Context, copy_context
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from palio_db.errors import StoreError
from palio_db.schema import prepare_tables
from palio_db.store import Store
from palio_rules.contract import topics
from palio_server.addons.shared.mqtt import MqttBus
from palio_server.addons.shared.mqtt_gateway import MqttGateway
from palio_server.arena.arena import Arena
from palio_server.arena.directing import directing
from palio_server.arena.leaderboards import Leaderboards
from palio_server.arena.missed_results import MissedResults
from palio_server.arena.tournaments import Tournaments
from palio_server.bus import Bus
from palio_server.bus.local import LocalBus
from palio_server.live.feed import Feed
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.other_servers import ALONE
from palio_server.lobby.register import LobbyLimits
from palio_server.lobby.visits import Visits
from palio_server.match.referee import Referee
from palio_server.network.entrance import Entrance, ReadBudget
from palio_server.network.gateway import BotEndpoint
from palio_server.server import drain
from palio_simulation.beside import Beside
from palio_simulation.database import SimulatedDatabase, SimulatedStore
from palio_simulation.ledger import observed
from palio_simulation.loop import OWNER
from palio_simulation.network import Accepted

if TYPE_CHECKING:
    from palio_simulation.world import World

AGAIN_S = 0.5  # until a server that could not open its database is started again


class Incarnation:
    """One run of a server, from its start to its end. Callbacks belong to it by their context."""

    def __init__(self, world: "World", name: str, number: int) -> None:
        self.world, self.name, self.label = world, name, f"{name}#{number}"
        self.frozen = self.dead = False
        self.at_the_end = False  # it was stopped when all was over, and not before
        self.since = world.loop.time()
        self.paused: list[tuple[float, float]] = []  # from when until when it has stood still
        self.ended_at: float | None = None
        self.database = SimulatedDatabase(world.disk, self)
        self.context: Context = copy_context()
        self.context.run(OWNER.set, self)
        self.connections: set[Any] = set()
        self.entrance = Entrance(now=world.loop.time)
        self.entrance.pace = ReadBudget(world.loop.time)
        self.accepted: list[Accepted] = []
        self.endpoint: BotEndpoint | None = None  # while it listens
        self.arena: Arena | None = None
        self.tournaments: Tournaments | None = None
        self.bus: Bus | None = None
        self.beside = Beside(self)
        self._stop = asyncio.Event()
        self.task = world.loop.create_task(self._run(), name=self.label, context=self.context)

    # --- its life -----------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        world = self.world
        try:
            store: Store = SimulatedStore(self.database)
            while True:
                try:
                    await prepare_tables(self.database)
                    break
                except StoreError:
                    await asyncio.sleep(AGAIN_S)
            async with AsyncExitStack() as stack:
                stack.push_async_callback(store.close)
                bus = self.bus = observed(LocalBus(), self)
                if world.broker is not None and self.name == world.at_broker:
                    bus = self.bus = observed(MqttBus("mqtt://broker"), self)
                    bus.connection._client = lambda: world.broker.client(bus.connection, self)
                    await stack.enter_async_context(bus)
                await self._serve(store, bus)
        except* StoreError as error:
            world.complain(f"{self.label} ended with {error.exceptions[0]!r}")
        finally:
            self.endpoint = None
            self.ended_at = world.loop.time()

    async def _serve(self, store: Store, bus: Bus) -> None:
        world = self.world
        visits = Visits(store)
        sessions = max(LobbyLimits().sessions, 2 * world.schedule.bots)  # all of them, and their former selves
        lobby = Lobby(bus, visits=visits, limits=LobbyLimits(sessions=sessions))
        access = Access(store, "open")
        feed = Feed(bus)
        leaderboards = Leaderboards(store, bus, feed)
        arena = self.arena = Arena(
            store, bus, lobby, feed,
            worker=self.name, concurrency=world.schedule.concurrency, lease_s=world.schedule.lease_ms / 1000,
            on_result=[leaderboards.note], referee=Referee(resend_s=world.schedule.resend_ms / 1000),
        )  # fmt: skip
        self.tournaments = Tournaments(store, lobby, directing(store, arena, lobby), worker=self.name)
        if world.schedule.viewer:
            bus.subscribe(topics.match_event("+"), lambda _, envelope: world.watch(self, envelope.message))
        standing: list[Callable[[], Awaitable[None]]] = [arena.run, visits.run, MissedResults(store, lobby).run]
        standing += self.beside.made(store, bus, lobby, feed, arena)
        if world.schedule.entrants:
            standing.append(self.tournaments.run)
        if world.schedule.ratings:
            standing.append(leaderboards.run)
        if isinstance(bus, MqttBus):
            standing.append(MqttGateway(bus, lobby, access).run)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run()) for run in standing]  # type: ignore[arg-type]
            self.endpoint = BotEndpoint(lobby, bus, access)
            try:
                await self._stop.wait()
                settings = SimpleNamespace(back_s=None)
                parts: Any = SimpleNamespace(lobby=lobby, bus=bus, arena=arena, settings=settings, others=ALONE)
                await drain(parts)
            finally:
                self.endpoint = None
                for accepted in [*self.accepted]:
                    accepted.protocol.shutdown()
                await asyncio.gather(*(each.task for each in self.accepted), return_exceptions=True)
                for task in tasks:
                    task.cancel()

    def stop(self) -> None:
        """SIGTERM: it ends in order."""
        self.world.loop.call_soon(self._stop.set, context=self.context)

    def kill(self) -> None:
        """SIGKILL: it stops running, and all that it has not committed is undone."""
        if self.dead or self.ended_at is not None:
            return
        self.dead = self.frozen = True
        self.ended_at = self.world.loop.time()
        self.world.disk.drop(self)
        for accepted in [*self.accepted]:
            accepted.transport.reset()
        if self.world.broker is not None:
            self.world.broker.lose(self)
        self.world.note(f"{self.label} is killed")

    def suffer(self, fate: str, seconds: float) -> None:
        """Something befalls it when it commits."""
        if fate == "pause-before":
            self.pause(seconds)
        elif fate.startswith("crash"):
            self.world.call_later(seconds, self.world.start, self.name)

    def pause(self, seconds: float) -> None:
        """SIGSTOP, and SIGCONT after so many seconds."""
        if self.dead or self.frozen:
            return
        now = self.world.loop.time()
        self.frozen = True
        self.paused.append((now, now + seconds))
        self.world.call_later(seconds, self._resume)

    def _resume(self) -> None:
        if not self.dead:
            self.frozen = False
            self.world.loop.thaw()

    @property
    def up(self) -> bool:
        return self.endpoint is not None and not self.dead

    # --- after its end ------------------------------------------------------------------------------------------------

    def bury(self) -> None:
        """Let the tasks of a dead process end, without effect on the world."""
        self.frozen = False
        for task in self.world.loop.tasks:
            if task.owner is self and not task.done():
                task.cancel()
