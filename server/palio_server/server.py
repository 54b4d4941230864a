"""The whole server in one process: every part is made here, handed to those that need it, and ended in turn."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    AsyncExitStack,
    asynccontextmanager,
    suppress,
)
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from palio_db.errors import ReadOnly, Unavailable
from palio_db.notices import Notices
from palio_db.pausing import is_paused
from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_rules.extras import install
from palio_server.app_state import ServerParts
from palio_server.arena.analysis_queue import AnalysisQueue
from palio_server.arena.arena import Arena
from palio_server.arena.directing import directing
from palio_server.arena.house import House, starter
from palio_server.arena.housekeeping import Housekeeping
from palio_server.arena.leaderboards import Leaderboards
from palio_server.arena.missed_results import MissedResults
from palio_server.arena.store_watch import ChangeWatch
from palio_server.arena.tables import Tables
from palio_server.arena.tournaments import Tournaments
from palio_server.bus import Bus
from palio_server.bus.local import LocalBus
from palio_server.edge.addresses import Proxies
from palio_server.edge.places import SocketRoom, raise_limit
from palio_server.garbage import infrequent_collection
from palio_server.health import HealthWatch
from palio_server.live.feed import Feed
from palio_server.lobby.access import Access, AccessMode
from palio_server.lobby.bans import BanList, BanWatch
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.lobby.programs import announce_stop, notice
from palio_server.lobby.token_watch import TokenWatch
from palio_server.lobby.visits import Visits
from palio_server.log_lines import keep_out_of_logs
from palio_server.network.entrance import Entrance
from palio_server.network.gateway import BotEndpoint
from palio_server.network.http_server import serving
from palio_server.network.listeners import Listeners, listening
from palio_server.network.own_socket import serving_own
from palio_server.operating import Operating
from palio_server.processes.hint_process import HintProcess
from palio_server.registry import addon
from palio_server.settings import Settings

if TYPE_CHECKING:
    from palio_server.courses.served_courses import ServedCourses

log = logging.getLogger(__name__)

DRAIN_S = 2.0  # seconds in which a stopping server still answers: bots that leave, clients that ask why it refuses


@asynccontextmanager
async def running(
    settings: Settings,
    listeners: Listeners | None = None,
    *,
    arena_type: Callable[..., Arena] = Arena,
    watched: bool = True,
) -> AsyncIterator[ServerParts]:
    """Open the store, take up matches in progress, and serve until the context ends.

    It serves on `listeners`, if they exist already; `arena_type` makes the arena where other programs play the matches.
    Unless it is going to be `watched`, the page and the API are loaded when the first request for them comes.
    Raises StoreError, BadOption or OSError, each with one sentence and the remedy.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(infrequent_collection())
        keep_out_of_logs()
        listeners = listeners or stack.enter_context(listening(settings, private=bool(settings.course)))
        store = await Store.open(settings.db)
        stack.push_async_callback(store.close)
        await _check_takes_results(store)
        bus = await stack.enter_async_context(_bus(settings))
        hints = await stack.enter_async_context(HintProcess())
        notices = store.notices()
        courses = await asyncio.to_thread(_courses, settings, store)  # before others see that it serves: it may fail
        parts = _parts(settings, listeners, store, bus, notices, hints, courses, arena_type)
        health = HealthWatch(parts)
        operating = stack.enter_context(Operating(parts, health))
        parts.others.serve_operator(operating)
        parts.arena.pause(paused=is_paused(await store.changes()))
        parts.access.bans.update(await store.barred())
        await stack.enter_async_context(_tasks(parts, health, notices, operating))
        await stack.enter_async_context(_answering(parts, health, operating, listeners, watched=watched))
        stack.push_async_callback(drain, parts, drain_s=0)
        log.info("serving on %s", parts.url)
        yield parts


def _courses(settings: Settings, store: Store) -> "ServedCourses | None":
    """Return the courses that the settings name; None if there are none. Raises BadOption for a faulty one."""
    if not (settings.lets_in and settings.course_folders):
        return None
    from palio_server.course_server import read_courses

    return read_courses(settings, store)


def _parts(
    settings: Settings,
    listeners: Listeners,
    store: Store,
    bus: Bus,
    notices: Notices,
    hints: HintProcess,
    courses: "ServedCourses | None",
    arena_type: Callable[..., Arena],
) -> ServerParts:
    """Return all parts, connected with each other; no task runs yet."""
    visits = Visits(store)
    others: OtherServers = addon("other_servers")(settings, bus) if settings.shares else ALONE
    lobby = Lobby(bus, visits=visits, others=others)
    mode: AccessMode = "open" if settings.open else "required"
    bans = BanList(Proxies.parse(settings.forwarded_from))
    access = Access(store, mode, with_guests=settings.with_guests, private=settings.private, bans=bans)
    feed = Feed(bus, others)
    leaderboards = Leaderboards(store, bus, feed, anchors=settings.anchors, others=others)
    arena = arena_type(
        store,
        bus,
        lobby,
        feed,
        worker=settings.worker,
        concurrency=settings.concurrency,
        lease_s=settings.lease_s,
        on_result=[leaderboards.note],
        others=others,
        notices=notices,
    )
    practice = None
    if courses is not None:
        from palio_server.course_server import practice_games

        practice = practice_games(settings, listeners, store, arena, lobby, courses)
    house = House(starter(listeners.local_url, access.guests.token))
    direct = directing(store, arena, lobby, tokens_required=access.mode == "required")
    parts = ServerParts(
        url=listeners.url,
        local_url=listeners.local_url,
        settings=settings,
        store=store,
        bus=bus,
        lobby=lobby,
        visits=visits,
        access=access,
        feed=feed,
        arena=arena,
        leaderboards=leaderboards,
        tournaments=Tournaments(store, lobby, direct, worker=settings.worker, others=others),
        tables=Tables(store, bus, lobby, arena, house, limit=settings.house_tables),
        hints=hints,
        analyses=AnalysisQueue(store, bus),
        courses=courses,
        practice=practice,
        others=others,
    )
    others.connect(parts)
    return parts


class Application:
    """The page and the API, as one ASGI application that is made once: by `load`, or at the first request."""

    def __init__(self, create: Callable[[], Starlette]) -> None:
        self._create, self._loading = create, asyncio.Lock()
        self._loaded: Starlette | None = None

    async def load(self) -> Starlette:
        """Import what it needs in a thread, while matches go on, and make it."""
        async with self._loading:
            if self._loaded is None:
                await asyncio.to_thread(import_module, "palio_server.api.app")
                self._loaded = self._create()
        return self._loaded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self._loaded or await self.load())(scope, receive, send)

    async def close(self) -> None:
        """End what is being answered."""
        for endpoint in () if self._loaded is None else getattr(self._loaded.state, "endpoints", ()):
            await endpoint.close()


@asynccontextmanager
async def _answering(
    parts: ServerParts, health: HealthWatch, operating: Operating, listeners: Listeners, *, watched: bool
) -> AsyncIterator[None]:
    """Answer the clients of the listeners."""
    settings = parts.settings
    entrance = Entrance(SocketRoom.within(raise_limit()), Proxies.parse(settings.forwarded_from))
    operating.limits["floods of an address"] = entrance.floods
    bots = BotEndpoint(parts.lobby, parts.bus, parts.access) if settings.lets_in else None

    def create() -> Starlette:
        from palio_server.api.app import create_app

        return create_app(parts, health, operating, bots, entrance)

    async with AsyncExitStack() as stack:
        app = Application(create)
        if watched:
            await app.load()
        served = stack.enter_context(_telemetry(parts)).traced(app) if settings.telemetry else app
        lines = None if bots is None else bots.lines
        await stack.enter_async_context(serving(served, *listeners.sockets, lines=lines, entrance=entrance))
        if bots is not None:
            await stack.enter_async_context(serving_own(bots, entrance, listeners.own, listeners.late))
        stack.push_async_callback(app.close)
        yield


async def _check_takes_results(store: Store) -> None:
    """Check that the store accepts results. A full disk may have room again; a read-only one is useless. Raises
    StoreError.
    """
    try:
        await store.probe()
    except ReadOnly:
        raise
    except Unavailable as error:
        log.warning("nothing can be written for now: %s", error)


async def drain(parts: ServerParts, *, drain_s: float = DRAIN_S) -> None:
    """Tell all clients that the server ends, begin no further match, and suspend running ones in the journal.

    It still answers for `drain_s` seconds, or until all bots have left. May be called twice.
    """
    if parts.lobby.stopping is not None:
        return
    announce_stop(parts.lobby, parts.bus, notice(parts.settings.back_s))
    parts.others.stop()
    deadline = asyncio.get_running_loop().time() + drain_s
    await parts.arena.suspend()
    if parts.others.can_take_over():
        await parts.arena.hand_over()
    with suppress(TimeoutError):
        async with asyncio.timeout_at(deadline):
            while any(session.connected for session in parts.lobby.sessions()):
                await parts.lobby.changed()


class Traces(Protocol):
    """Traces of a server's work (`palio_server.addons.telemetry`)."""

    def traced(self, app: ASGIApp) -> ASGIApp:
        """Trace each request to the application."""


def _telemetry(parts: ServerParts) -> AbstractContextManager[Traces]:
    """Return the traces. Raises BadOption if their libraries are not installed."""
    try:
        telemetry = addon("telemetry")
    except ImportError as error:
        raise BadOption(f"--telemetry needs {error.name}; {install('telemetry')}") from None
    found: AbstractContextManager[Traces] = telemetry(parts)
    return found


@asynccontextmanager
async def _bus(settings: Settings) -> AsyncIterator[Bus]:
    if settings.mqtt is None:
        yield LocalBus()
        return
    opened: AbstractAsyncContextManager[Bus] = addon("mqtt_bus")(settings.mqtt, shared=settings.shares)
    async with opened as bus:
        yield bus


@asynccontextmanager
async def _tasks(
    parts: ServerParts, health: HealthWatch, notices: Notices, operating: Operating
) -> AsyncIterator[None]:
    """Run the server's permanent tasks; if one fails, the whole server ends with its error."""
    async with asyncio.TaskGroup() as group:
        standing = _standing(parts, health, notices) | {"operating": operating.run}
        tasks = [group.create_task(run(), name=name) for name, run in standing.items()]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


def _pause(arena: Arena) -> Callable[[bool], None]:
    return lambda paused: arena.pause(paused=paused)


def _standing(
    parts: ServerParts, health: HealthWatch, notices: Notices
) -> dict[str, Callable[[], Coroutine[None, None, None]]]:
    """Return the permanent tasks by name: all of them, or those of its role."""
    settings, lobby, store = parts.settings, parts.lobby, parts.store
    tokens = TokenWatch(store, lobby, parts.access.readers)
    bans = BanWatch(store, lobby, parts.access.bans)
    standing: dict[str, Callable[[], Coroutine[None, None, None]]] = {
        "changes": ChangeWatch(store, tokens, parts.leaderboards, notices, _pause(parts.arena), bans.look).run,
        "housekeeping": Housekeeping(store, settings.audit_addresses_days).run,
        "notices": notices.run,
        "health": health.run,
        "loop-lag": health.lag.run,
    }
    if parts.others.sharing:
        standing["other-servers"] = parts.others.run
    if settings.plays:
        standing |= {
            "arena": parts.arena.run,
            "leaderboards": parts.leaderboards.run,
            "tournaments": parts.tournaments.run,
        }
    else:
        standing["store-watch"] = parts.arena.watch.run
    if settings.lets_in:
        standing |= {
            "tables": parts.tables.run,
            "visits": parts.visits.run,
            "missed-results": MissedResults(store, lobby).run,
            "analyses": parts.analyses.run,
        }
    if parts.courses is not None and parts.practice is not None:
        from palio_server.course_server import course_tasks

        standing |= course_tasks(parts, parts.courses, parts.practice)
    if settings.lets_in and settings.mqtt is not None:
        standing["mqtt-gateway"] = addon("mqtt_gateway")(parts).run
    if settings.plays and settings.ladder:
        from palio_server.arena.ladder import Ladder

        leaders = parts.leaderboards.leaders
        time, boards = settings.ladder_time, settings.ladder_boards
        ladder = Ladder(parts.arena, lobby, store, time, leaders=leaders, boards=boards, others=parts.others)
        standing["ladder"] = ladder.run
    return standing
