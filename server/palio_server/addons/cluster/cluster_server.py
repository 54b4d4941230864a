"""A server within a command whose games are played by a cluster: it has no bots beside it."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import structs

from palio_rules.registry import game as rules_of
from palio_server.addons.cluster import wire
from palio_server.addons.cluster.batch_system import Jobs
from palio_server.addons.cluster.cluster_arena import ClusterArena
from palio_server.addons.cluster.connecting import ClusterSpec, Tls, cluster_client, restore
from palio_server.addons.cluster.fleet import NO_WORKER, Fleet
from palio_server.addons.cluster.parcels import Parcels
from palio_server.addons.cluster.tasks_out import GoesOn, Unplayables
from palio_server.addons.cluster.worker import nodes_per_second
from palio_server.cli.event_loop import until
from palio_server.cli.run_plan import MAX_CRASHES, RunPlan
from palio_server.cli.source import database_url
from palio_server.network.listeners import listening
from palio_server.processes import Broken, fail_if_broken
from palio_server.sandbox.bubblewrap import parse_size
from palio_server.settings import Settings, database_files

if TYPE_CHECKING:
    from palio_server.app_state import ServerParts


class DistantBots:
    """The bots of a tournament, where workers run them."""

    def __init__(self, arena: ClusterArena, unplayables: Unplayables, specs: Mapping[str, str]) -> None:
        self._arena, self._unplayables, self._specs = arena, unplayables, specs
        self._tasks: set[asyncio.Task[bool]] = set()

    async def stderr(self, name: str) -> list[str]:
        """Return the stderr that came with the bot's newest fault."""
        return self._arena.stderr.pop(name, [])

    def give_up(self, name: str, why: str) -> None:
        """Let the event do without a bot, or fail; `why` is what it has done."""
        sentence = f"the bot {name} ({self._specs[name]}) {why}"
        task = asyncio.ensure_future(self._unplayables.goes_on(name, sentence))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def end(self) -> None:
        """They end with the run."""


@asynccontextmanager
async def server_on_cluster(
    settings: Settings,
    plan: RunPlan,
    spec: ClusterSpec,
    tls: Tls | None,
    say: Callable[[str], None],
    goes_on: GoesOn,
    most: int | None = None,
    broken: Broken = fail_if_broken,
    *,
    stop: asyncio.Event,
    calibrate: bool = False,
) -> AsyncIterator[tuple["ServerParts", DistantBots]]:
    """A running server, when the first worker is ready, or `stop` is set; `most`: games at once; `broken`: bots that
    cannot travel.

    When a bot cannot be played with, the context's body is cancelled and BotFailed is raised, unless it `goes_on`
    without that bot. Raises BadOption, and what `running` raises.
    """
    settings = structs.replace(settings, db=database_url(settings.db))
    parse_size(settings.memory)  # refuses a bad one now
    parcels = Parcels(plan.playing, plan.game, database_files(settings.db), broken)
    reference = await asyncio.to_thread(nodes_per_second) if calibrate else 0.0
    run = f"{plan.worker}-{secrets.token_hex(3)}"
    roster = wire.Roster(
        run,
        parcels.game,
        parcels.bots,
        settings.sandbox,
        settings.memory,
        settings.processes,
        reference,
        plan.settings.get(MAX_CRASHES) is not None,
    )
    unplayables = Unplayables(goes_on, say)
    try:
        async with asyncio.TaskGroup() as tasks:
            failing = tasks.create_task(_fail(unplayables))
            async with AsyncExitStack() as stack:
                client, jobs = await stack.enter_async_context(cluster_client(spec, tls))
                fleet = Fleet(client, roster, parcels, say, _cores(plan))
                fleet.restore = partial(restore, spec, client)
                listeners = stack.enter_context(listening(settings))

                def arena_type(*parts: Any, **settings: Any) -> ClusterArena:
                    arena = ClusterArena(*parts, **settings, fleet=fleet, most=most, unplayables=unplayables)
                    arena.tournament = 0  # begin nothing yet, and nothing of others
                    return arena

                from palio_server.server import running

                server = await stack.enter_async_context(running(settings, listeners, arena_type=arena_type))

                async def until_ready() -> None:
                    if refused := await fleet.first_worker(jobs, spec.wait_s):
                        unplayables.fail(_with_remedy(spec, jobs, refused))
                        await asyncio.Event().wait()  # until that ends all
                    for bot, why in (await fleet.unplayable([bot.name for bot in parcels.bots], plan.game)).items():
                        broken(bot, why)

                await until(until_ready(), stop)
                assert isinstance(server.arena, ClusterArena)
                yield server, DistantBots(server.arena, unplayables, {bot.name: bot.spec for bot in plan.entrants})
            failing.cancel()
    except ExceptionGroup as group:  # outside of the server, which makes groups of its own
        if (only := _only(group)) is None:
            raise
        raise only from None


def _with_remedy(spec: ClusterSpec, jobs: Jobs, why: str) -> str:
    """Return why no worker plays, and where to look."""
    if jobs.refusal:
        return f"{spec}: {why}"
    if not spec.jobs or not why.startswith(NO_WORKER):
        return why
    state = f"{jobs.accepted} of {spec.jobs} jobs are in the queue"
    return f"{spec}: {why}; {state}: look there, and write wait=4:00:00 to wait longer"


def _only(error: BaseException) -> BaseException | None:
    """Return the error in a group, if it is the only one."""
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
