"""The whole server in one process: every part is made here, handed to those that need it, and ended in turn."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from palio_db.store import Store
from palio_server.api.app import create_app
from palio_server.arena.analysis_queue import AnalysisQueue
from palio_server.arena.arena import Arena
from palio_server.arena.directing import directing
from palio_server.arena.house import House, starter
from palio_server.arena.ladder import Ladder
from palio_server.arena.leaderboards import Leaderboards
from palio_server.arena.tables import Tables
from palio_server.arena.tournaments import Tournaments
from palio_server.bus import Bus
from palio_server.bus.local import LocalBus
from palio_server.garbage import rarely_collected
from palio_server.live.feed import Feed
from palio_server.lobby.access import Access
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.visits import Visits
from palio_server.network.http_server import serving
from palio_server.network.listeners import Listeners, listening
from palio_server.parts import ServerParts
from palio_server.processes.hint_process import HintProcess
from palio_server.settings import Settings

log = logging.getLogger(__name__)


@asynccontextmanager
async def running(settings: Settings, listeners: Listeners | None = None) -> AsyncIterator[ServerParts]:
    """Open the store, take up what was in progress, and serve until the context ends.

    On `listeners`, if somebody listens already. Raises StoreError, BadOption or OSError, each with one sentence and the
    remedy.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(rarely_collected())
        listeners = listeners or stack.enter_context(listening(settings))
        store = await Store.open(settings.db)
        stack.push_async_callback(store.close)
        bus = await stack.enter_async_context(_bus(settings))
        visits = Visits(store)
        lobby = Lobby(bus, visits=visits)
        access = Access(store, "open" if settings.open else "required", with_guests=settings.with_guests)
        feed = Feed(bus)
        leaderboards = Leaderboards(store, bus, feed, anchors=settings.anchors)
        arena = Arena(
            store,
            bus,
            lobby,
            feed,
            worker=settings.worker,
            concurrency=settings.concurrency,
            lease_s=settings.lease_s,
            on_result=[leaderboards.note],
        )
        tournaments = Tournaments(store, lobby, directing(store, arena, lobby), worker=settings.worker)
        house = House(starter(listeners.local_url, access.guests.token))
        tables = Tables(store, bus, lobby, arena, house, limit=settings.house_tables)
        parts = ServerParts(
            listeners.url,
            listeners.local_url,
            settings,
            store,
            bus,
            lobby,
            visits,
            access,
            feed,
            arena,
            leaderboards,
            tournaments,
            tables,
            await stack.enter_async_context(HintProcess()),
            AnalysisQueue(store, bus),
        )
        await stack.enter_async_context(_tasks(parts))
        app = create_app(parts)
        await stack.enter_async_context(serving(app, *listeners.sockets, lines=app.state.lines, doors=listeners.doors))
        log.info("serving on %s", parts.url)
        yield parts


@asynccontextmanager
async def _bus(settings: Settings) -> AsyncIterator[Bus]:
    if settings.mqtt is None:
        yield LocalBus()
        return
    from palio_server.bus.mqtt import MqttBus  # noqa: PLC0415  # its library is for those who have a broker

    async with MqttBus(settings.mqtt) as bus:
        yield bus


@asynccontextmanager
async def _tasks(parts: ServerParts) -> AsyncIterator[None]:
    """Run the server's standing tasks; should one fail, the whole server ends with its error."""
    async with asyncio.TaskGroup() as group:
        standing = {
            "arena": parts.arena.run,
            "leaderboards": parts.leaderboards.run,
            "tournaments": parts.tournaments.run,
            "tables": parts.tables.run,
            "visits": parts.visits.run,
            "analyses": parts.analyses.run,
        }
        if parts.settings.mqtt is not None:
            from palio_server.bus.mqtt import MqttBus  # noqa: PLC0415  # as above
            from palio_server.network.mqtt_gateway import MqttGateway  # noqa: PLC0415

            assert isinstance(parts.bus, MqttBus)
            standing["mqtt-gateway"] = MqttGateway(parts.bus, parts.lobby, parts.access).run
        if parts.settings.ladder:
            ladder = Ladder(
                parts.arena, parts.lobby, parts.store, parts.settings.ladder_time, leaders=parts.leaderboards.leaders
            )
            standing["ladder"] = ladder.run
        tasks = [group.create_task(run(), name=name) for name, run in standing.items()]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
