"""A server within a command whose games are played by a cluster: it has no bots beside it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from palio_rules.registry import game as rules_of
from palio_server.cli.local_server import database_files
from palio_server.cli.run_options import ChosenCluster
from palio_server.cli.run_plan import RunPlan
from palio_server.cli.source import database_url
from palio_server.cluster import wire
from palio_server.cluster.cluster_arena import ClusterArena
from palio_server.cluster.connecting import cluster_client, restore
from palio_server.cluster.fleet import Fleet
from palio_server.cluster.parcels import Parcels
from palio_server.cluster.tasks_out import GoesOn, Unplayables
from palio_server.cluster.worker import nodes_per_second
from palio_server.network.listeners import listening
from palio_server.processes import Broken, fail_if_broken
from palio_server.sandbox.bubblewrap import parse_size
from palio_server.settings import Settings

if TYPE_CHECKING:
    from palio_server.app_state import ServerParts


class DistantBots:
    """The interface of bots for a tournament, where they run on workers."""

    def __init__(self, arena: ClusterArena) -> None:
        self._arena = arena

    async def stderr(self, name: str) -> list[str]:
        """Return the stderr that came with the bot's newest fault."""
        return self._arena.stderr.pop(name, [])

    def end(self) -> None:
        """Do nothing: they end with the run."""


@asynccontextmanager
async def server_on_cluster(
    settings: Settings,
    plan: RunPlan,
    chosen: ChosenCluster,
    say: Callable[[str], None],
    goes_on: GoesOn,
    most: int | None = None,
    broken: Broken = fail_if_broken,
) -> AsyncIterator[tuple["ServerParts", DistantBots]]:
    """Yield a running server, when the first worker is ready; `most`: games at once; `broken`: called with bots that
    cannot travel.

    When a bot cannot be played with, the context's body is cancelled and BotFailed is raised, unless `goes_on` returns
    True. Raises BadOption, and the errors of `running`.
    """
    settings = structs.replace(settings, db=database_url(settings.db))
    parse_size(settings.memory)  # refuses a bad one now
    parcels = Parcels(plan.playing, plan.game, database_files(settings.db), broken)
    reference = await asyncio.to_thread(nodes_per_second) if chosen.calibrate else 0.0
    run = f"{plan.worker}-{secrets.token_hex(3)}"
    roster = wire.Roster(
        run,
        parcels.game,
        parcels.bots,
        settings.sandbox,
        settings.memory,
        settings.processes,
        datetime.now(UTC),
        reference,
    )
    unplayables = Unplayables(goes_on, say)
    try:
        async with asyncio.TaskGroup() as tasks:
            failing = tasks.create_task(_fail(unplayables))
            async with AsyncExitStack() as stack:
                client = await stack.enter_async_context(cluster_client(chosen.spec, chosen.tls))
                fleet = Fleet(client, roster, parcels, say, _cores(plan))
                fleet.restore = partial(restore, chosen.spec, client)
                listeners = stack.enter_context(listening(settings))

                def arena_type(*parts: Any, **settings: Any) -> ClusterArena:
                    arena = ClusterArena(*parts, **settings, fleet=fleet, most=most, unplayables=unplayables)
                    arena.tournament = 0  # begin no matches yet, and none of other tournaments
                    return arena

                from palio_server.server import running

                server = await stack.enter_async_context(running(settings, listeners, arena_type=arena_type))
                if refused := await fleet.first_worker():
                    unplayables.fail(refused)
                    await asyncio.Event().wait()  # until that ends all
                for bot, why in (await fleet.unplayable([bot.name for bot in parcels.bots], plan.game)).items():
                    broken(bot, why)
                assert isinstance(server.arena, ClusterArena)
                yield server, DistantBots(server.arena)
            failing.cancel()
    except ExceptionGroup as group:  # outside of the server, which makes groups of its own
        if (only := _only(group)) is None:
            raise
        raise only from None


def _only(error: BaseException) -> BaseException | None:
    """Return the error, if there is only one."""
    while isinstance(error, BaseExceptionGroup):
        if len(error.exceptions) > 1:
            return None
        error = error.exceptions[0]
    return error


async def _fail(unplayables: Unplayables) -> None:
    raise await unplayables.failed


def _cores(plan: RunPlan) -> int:
    """Return how many bots think at once in a game."""
    if rules_of(plan.game).kind != "race":
        return 1
    return len(plan.entrants) if plan.format.name == "round_robin" else 2
