"""A coordinator with a real Dask scheduler and a real worker, both in the process of the test."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import pytest
from distributed import Client, LocalCluster
from msgspec import structs

from palio_rules.records.record import Record, Setup
from palio_rules.time_control import TimeControl
from palio_server.addons.cluster import wire
from palio_server.addons.cluster.cluster_arena import ClusterArena
from palio_server.addons.cluster.connecting import NO_DASHBOARD
from palio_server.addons.cluster.fleet import Fleet
from palio_server.addons.cluster.parcels import Parcels
from palio_server.addons.cluster.tasks_out import Unplayables
from palio_server.app_state import ServerParts
from palio_server.processes import entrants
from palio_server.server import running
from palio_server.settings import load

FREE = TimeControl()


@dataclass
class Coordinator:
    server: ServerParts
    arena: ClusterArena
    fleet: Fleet
    said: list[str]
    results: list[Record] = field(default_factory=list)

    async def games(self, count: int, time: TimeControl = FREE, bots: tuple[str, ...] = ("a", "b")) -> list[str]:
        """Schedule so many; their identities."""
        setups = [Setup("breakthrough", bots, {"rows": 5, "cols": 4}, time=time) for _ in range(count)]
        return await self.arena.schedule_many(setups)

    async def until(self, ready: Callable[[], Awaitable[bool]], seconds: float = 30) -> None:
        async with asyncio.timeout(seconds):
            while not await ready():  # noqa: ASYNC110  # the store is another process's business
                await asyncio.sleep(0.02)

    async def over(self, matches: list[str]) -> list[str | None]:
        """When all are over: why each has no result, None where it has one."""

        async def ended() -> bool:
            return not await self.server.store.still_open(matches)

        await self.until(ended)
        rows = [await self.server.store.match(match) for match in matches]
        return [None if row.status == "finished" else row.reason for row in rows]


@pytest.fixture
def coordinator():
    """A context: bots by their specs, and what else a fleet is told."""

    @asynccontextmanager
    async def opened(*specs: str, goes_on: bool = False, reference: float = 0.0) -> AsyncIterator[Coordinator]:
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        said: list[str] = []

        async def without(bot: str, why: str) -> bool:
            return goes_on

        async with AsyncExitStack() as stack:
            cluster = await stack.enter_async_context(
                LocalCluster(
                    n_workers=1,
                    threads_per_worker=2,
                    processes=False,
                    asynchronous=True,
                    dashboard_address=None,
                    scheduler_kwargs=NO_DASHBOARD,
                    memory_limit=0,
                    silence_logs=logging.CRITICAL,
                )
            )
            client = await stack.enter_async_context(Client(cluster, asynchronous=True, set_as_default=False))
            parcels = Parcels(entrants(specs or ("a=random", "b=random")), "breakthrough")
            run = f"run-{id(client):x}"
            roster = wire.Roster(run, parcels.game, parcels.bots, "off", "1G", 32, reference)
            fleet = Fleet(client, roster, parcels, said.append, 1)
            settings = structs.replace(load({}, port=0, db="sqlite://", worker="here", house_bots=0), ladder=False)
            made = partial(ClusterArena, fleet=fleet, most=None, unplayables=Unplayables(without, said.append))
            server = await stack.enter_async_context(running(settings, arena_type=made))
            found = Coordinator(server, server.arena, fleet, said)
            server.arena.on_result.append(found.results.append)
            yield found

    return opened
