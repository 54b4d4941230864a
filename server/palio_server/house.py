"""The whole server in one process: every part is made here, handed to those that need it, and ended in turn."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from palio_db.store import Store
from palio_server.access import Access
from palio_server.api.app import create_app
from palio_server.arena import Arena
from palio_server.bus import Bus
from palio_server.bus.local import LocalBus
from palio_server.bus.mqtt import MqttBus
from palio_server.ladder import Ladder
from palio_server.leaderboards import Leaderboards
from palio_server.live.feed import Feed
from palio_server.lobby import Lobby
from palio_server.network.http_server import bind, serving, url_of
from palio_server.network.mqtt_gateway import MqttGateway
from palio_server.settings import Settings

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class House:
    """The parts of a running server."""

    url: str  # of the page; bots connect to the same address
    settings: Settings
    store: Store
    bus: Bus
    lobby: Lobby
    access: Access
    feed: Feed
    arena: Arena
    leaderboards: Leaderboards


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[House]:
    """Open the store, take up what was in progress, and serve until the context ends.

    Raises StoreError, BadOption or OSError, each with one sentence and the remedy.
    """
    async with AsyncExitStack() as stack:
        listener = bind(settings.host, settings.port)
        stack.callback(listener.close)
        store = await Store.open(settings.db)
        stack.push_async_callback(store.close)
        bus: Bus = LocalBus() if settings.mqtt is None else await stack.enter_async_context(MqttBus(settings.mqtt))
        lobby = Lobby(bus)
        access = Access(store, "open" if settings.open else "required")
        feed = Feed(bus)
        leaderboards = Leaderboards(store, bus, feed)
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
        house = House(url_of(listener), settings, store, bus, lobby, access, feed, arena, leaderboards)
        await stack.enter_async_context(_tasks(house))
        await stack.enter_async_context(serving(create_app(house), listener))
        log.info("serving on %s", house.url)
        yield house


@asynccontextmanager
async def _tasks(house: House) -> AsyncIterator[None]:
    """Run the server's standing tasks; should one fail, the whole server ends with its error."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(house.arena.run(), name="arena"),
            group.create_task(house.leaderboards.run(), name="leaderboards"),
        ]
        if isinstance(house.bus, MqttBus):
            gateway = MqttGateway(house.bus, house.lobby, house.access)
            tasks.append(group.create_task(gateway.run(), name="mqtt-gateway"))
        if house.settings.ladder:
            ladder = Ladder(house.arena, house.lobby, house.store, house.settings.ladder_time)
            tasks.append(group.create_task(ladder.run(), name="ladder"))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
