"""The whole server in one process: every part is made here, handed to those that need it, and ended in turn."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING

from palio_db.errors import ReadOnly, Unavailable
from palio_db.notices import Notices
from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_rules.extras import install
from palio_server.api.app import create_app
from palio_server.app_state import ServerParts
from palio_server.arena.analysis_queue import AnalysisQueue
from palio_server.arena.arena import Arena
from palio_server.arena.directing import directing
from palio_server.arena.house import House, starter
from palio_server.arena.ladder import Ladder
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
from palio_server.lobby.lobby import Lobby
from palio_server.lobby.programs import announce_stop, notice
from palio_server.lobby.token_watch import TokenWatch
from palio_server.lobby.visits import Visits
from palio_server.log_lines import keep_out_of_logs
from palio_server.network.entrance import Entrance
from palio_server.network.http_server import serving
from palio_server.network.listeners import Listeners, listening
from palio_server.processes.hint_process import HintProcess
from palio_server.settings import Settings

if TYPE_CHECKING:
    from palio_server.arena.shared_work import SharedWork
    from palio_server.nodes.node import Node
    from palio_server.telemetry import Telemetry

log = logging.getLogger(__name__)

# seconds after a dead server's leases end in which its matches' bots are kept: taking them up takes so long
HOLD_S = 5.0
DRAIN_S = 2.0  # seconds in which a stopping server still answers: bots that leave, and clients that ask why it refuses


@asynccontextmanager
async def running(
    settings: Settings, listeners: Listeners | None = None, *, arena_type: Callable[..., Arena] = Arena
) -> AsyncIterator[ServerParts]:
    """Open the store, take up matches in progress, and serve until the context ends.

    It serves on `listeners`, if they exist already; `arena_type` makes the arena where matches are played elsewhere.
    Raises StoreError, BadOption or OSError, each with one sentence and the remedy.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(infrequent_collection())
        keep_out_of_logs()
        listeners = listeners or stack.enter_context(listening(settings))
        store = await Store.open(settings.db)
        stack.push_async_callback(store.close)
        await _check_takes_results(store)
        bus = await stack.enter_async_context(_bus(settings))
        hints = await stack.enter_async_context(HintProcess())
        notices = store.notices()
        parts = _parts(settings, listeners, store, bus, notices, hints, arena_type)
        health = HealthWatch(parts)
        await stack.enter_async_context(_tasks(parts, health, notices))
        await stack.enter_async_context(_answering(parts, health, listeners))
        stack.push_async_callback(drain, parts, drain_s=0)
        log.info("serving on %s", parts.url)
        yield parts


def _parts(
    settings: Settings,
    listeners: Listeners,
    store: Store,
    bus: Bus,
    notices: Notices,
    hints: HintProcess,
    arena_type: Callable[..., Arena],
) -> ServerParts:
    """Return all parts, connected with each other; no task runs yet."""
    visits = Visits(store)
    lobby = Lobby(bus, visits=visits)
    node = _node(settings, bus, lobby)
    mode: AccessMode = "open" if settings.open else "required"
    access = Access(store, mode, with_guests=settings.with_guests, private=settings.private)
    feed = Feed(bus)
    leaderboards = Leaderboards(store, bus, feed, anchors=settings.anchors)
    arena = arena_type(
        store,
        bus,
        lobby,
        feed,
        worker=settings.worker,
        concurrency=settings.concurrency,
        lease_s=settings.lease_s,
        on_result=[leaderboards.note],
        seating=None if node is None else node.seating,
        notices=notices,
    )
    house = House(starter(listeners.local_url, access.guests.token))
    return ServerParts(
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
        tournaments=_tournaments(settings, store, arena, lobby, node),
        tables=Tables(store, bus, lobby, arena, house, limit=settings.house_tables),
        hints=hints,
        analyses=AnalysisQueue(store, bus),
        node=node,
        shared=_shared_work(node, arena, feed, leaderboards),
    )


@asynccontextmanager
async def _answering(parts: ServerParts, health: HealthWatch, listeners: Listeners) -> AsyncIterator[None]:
    """Answer the clients of the listeners."""
    async with AsyncExitStack() as stack:
        app = create_app(parts, health)
        entrance = Entrance(SocketRoom.within(raise_limit()), Proxies.parse(parts.settings.forwarded_from))
        app.state.entrance = entrance
        served = stack.enter_context(_telemetry(parts)).traced(app) if parts.settings.telemetry else app
        serves = serving(
            served, *listeners.sockets, lines=app.state.lines, entrance=entrance, own=listeners.own, late=listeners.late
        )
        await stack.enter_async_context(serves)
        if (models_in := getattr(app.state, "models_in", None)) is not None:
            stack.push_async_callback(models_in.close)
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
    if parts.node is not None:
        parts.node.stop()
    deadline = asyncio.get_running_loop().time() + drain_s
    await parts.arena.suspend()
    if parts.node is not None and any(member.beat.referee for member in parts.node.roster.members.values()):
        await parts.arena.hand_over()
    with suppress(TimeoutError):
        async with asyncio.timeout_at(deadline):
            while any(session.connected for session in parts.lobby.sessions()):
                await parts.lobby.changed()


def _telemetry(parts: ServerParts) -> AbstractContextManager["Telemetry"]:
    """Return the traces. Raises BadOption if their libraries are not installed."""
    try:
        from palio_server.telemetry import telemetry  # noqa: PLC0415  # for those who ask for it
    except ImportError as error:
        raise BadOption(f"--telemetry needs {error.name}; {install('telemetry')}") from None
    return telemetry(parts)


@asynccontextmanager
async def _bus(settings: Settings) -> AsyncIterator[Bus]:
    if settings.mqtt is None:
        yield LocalBus()
        return
    from palio_server.bus.mqtt import MqttBus  # noqa: PLC0415  # its library is for those who have a broker

    async with MqttBus(settings.mqtt, shared=settings.shares) as bus:
        yield bus


def _node(settings: Settings, bus: Bus, lobby: Lobby) -> "Node | None":
    if not settings.shares:
        return None
    from palio_server.bus.mqtt import MqttBus  # noqa: PLC0415  # as above
    from palio_server.nodes.node import Node  # noqa: PLC0415  # for those who share the work

    assert isinstance(bus, MqttBus)
    return Node(bus, lobby, worker=settings.worker, role=settings.role, hold_s=settings.lease_s + HOLD_S)


def _shared_work(node: "Node | None", arena: Arena, feed: Feed, leaderboards: Leaderboards) -> "SharedWork | None":
    if node is None:
        return None
    from palio_server.arena.shared_work import SharedWork  # noqa: PLC0415  # as above

    return SharedWork(node, arena, feed, leaderboards)


def _tournaments(settings: Settings, store: Store, arena: Arena, lobby: Lobby, node: "Node | None") -> Tournaments:
    direct = directing(store, arena, lobby)
    if node is None:
        return Tournaments(store, lobby, direct, worker=settings.worker)
    from palio_server.arena.tournaments_anywhere import TournamentsAnywhere  # noqa: PLC0415  # as above

    shared = TournamentsAnywhere(store, lobby, direct, worker=settings.worker)
    shared.share(node, directs=settings.plays)
    return shared


@asynccontextmanager
async def _tasks(parts: ServerParts, health: HealthWatch, notices: Notices) -> AsyncIterator[None]:
    """Run the server's permanent tasks; if one fails, the whole server ends with its error."""
    async with asyncio.TaskGroup() as group:
        standing = _standing(parts, health, notices)
        tasks = [group.create_task(run(), name=name) for name, run in standing.items()]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


def _standing(
    parts: ServerParts, health: HealthWatch, notices: Notices
) -> dict[str, Callable[[], Coroutine[None, None, None]]]:
    """Return the permanent tasks by name: all of them, or those of its role."""
    settings, lobby, store = parts.settings, parts.lobby, parts.store
    tokens = TokenWatch(store, lobby, parts.access.readers)
    standing: dict[str, Callable[[], Coroutine[None, None, None]]] = {
        "changes": ChangeWatch(store, tokens, parts.leaderboards, notices).run,
        "notices": notices.run,
        "health": health.run,
        "loop-lag": health.lag.run,
    }
    if parts.node is not None:
        from palio_server.arena.shared_work import LobbyTeller  # noqa: PLC0415  # for those who share the work

        standing |= {"node": parts.node.run, "lobby-teller": LobbyTeller(parts.feed, parts.node).run}
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
    if settings.lets_in and settings.mqtt is not None:
        from palio_server.bus.mqtt import MqttBus  # noqa: PLC0415  # as above
        from palio_server.network.mqtt_gateway import MqttGateway  # noqa: PLC0415

        assert isinstance(parts.bus, MqttBus)
        assigned_here = None if parts.node is None else parts.node.assigned_here
        gateway = MqttGateway(parts.bus, lobby, parts.access, assigned_here)
        if parts.node is not None:
            parts.node.on_gone.append(lambda _process: gateway.look_again())
            parts.node.on_settled.append(gateway.look_again)
        parts.arena.on_absent.append(gateway.ask_absent)
        standing["mqtt-gateway"] = gateway.run
    if settings.plays and settings.ladder:
        leaders = parts.leaderboards.leaders
        leads = (lambda: True) if parts.node is None else parts.node.leads
        ladder = Ladder(parts.arena, lobby, store, settings.ladder_time, leaders=leaders, leads=leads)
        standing["ladder"] = ladder.run
    return standing
