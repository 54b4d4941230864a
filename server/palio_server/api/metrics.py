"""`/metrics` for Prometheus: the figures that operators watch. Every value is read on request.

Where no token is needed, every client may read it. Otherwise any token is enough (`palio bot add prometheus --scope
watch` makes one for this alone), sent by Prometheus with `authorization`. The address does not decide, because behind a
proxy on this machine all clients come from loopback.
"""

import os
import platform
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from palio_db.errors import StoreError
from palio_db.store import Store
from palio_rules.version import BUILD
from palio_server.api.answers import Json
from palio_server.api.identity import permitted
from palio_server.api.operations import Routes
from palio_server.app_state import ServerParts
from palio_server.arena.journal import Retries
from palio_server.health import HealthWatch, PartStatus, Status, worst
from palio_server.lobby.access import WATCH
from palio_server.metrics import COMMIT_S, CONTENT_TYPE, Family, Histogram, counter, exposition, gauge, histogram, info

# `/api/health`: for operators, and for the probes of process supervisors.

routes = Routes("health")

FRESH = {"Cache-Control": "no-store"}


class PartHealth(msgspec.Struct, frozen=True):
    """One part of the server: `reason` says what is wrong with it, or about to be; `since` when that is so."""

    name: str  # server, database, writes, disk, journal, arena, leases, broker, loop; only those that it uses
    status: Status  # "degraded": it works, but not for long, or late; "failing": it does not do its work
    ok: bool  # false only if it is failing
    since: str  # RFC 3339
    reason: str = ""


class Health(msgspec.Struct, frozen=True):
    """`status` is that of the worst of the `parts`; with "failing" the answer is HTTP 503."""

    status: Status
    version: str
    database: Literal["reachable", "unreachable"]
    matches: int  # in progress
    bots: int  # connected
    parts: list[PartHealth]


class Readiness(msgspec.Struct, frozen=True):
    """The answer if new clients should be sent here; if not, HTTP 503, and `parts` say why not."""

    ready: bool
    parts: list[PartHealth]


class Liveness(msgspec.Struct, frozen=True):
    """Any answer: the process lives and its event loop turns. A supervisor that gets none in time may restart it."""

    alive: bool = True


@routes.operation("GET", "/health", Health, statuses=(200, 503), scope=None)
async def get_health(parts: ServerParts, request: Request) -> Json:
    """Return the health of the server, part by part."""
    found = await _watch(request).look_at_all()
    unreachable = any(each.name == "database" and each.status == "failing" for each in found)
    status = worst(found)
    health = Health(
        status=status,
        version=BUILD,
        database="unreachable" if unreachable else "reachable",
        matches=parts.feed.running(),
        bots=len(parts.lobby.connected()),
        parts=[_part(each) for each in found],
    )
    return Json(health, 503 if status == "failing" else 200, FRESH)


@routes.operation("GET", "/health/live", Liveness, scope=None)
async def get_liveness() -> Json:
    """Answer if the process lives. No part of it is checked: a restart would repair none of them."""
    return Json(Liveness(), 200, FRESH)


@routes.operation("GET", "/health/ready", Readiness, statuses=(200, 503), scope=None)
async def get_readiness(request: Request) -> Json:
    """Return True if new clients should be sent here: not while it stops, nor while it cannot keep up."""
    against = _watch(request).ready()
    return Json(Readiness(not against, [_part(each) for each in against]), 503 if against else 200, FRESH)


def _part(found: PartStatus) -> PartHealth:
    since = found.since.isoformat(timespec="seconds").replace("+00:00", "Z")
    return PartHealth(found.name, found.status, found.status != "failing", since, found.reason)


def _watch(request: Request) -> HealthWatch:
    watch: HealthWatch = request.app.state.health
    return watch


# The system's figures about this process, under the names that every Prometheus client uses. Linux only.

PROC = Path("/proc/self")


def process_metrics() -> Iterator[Family]:
    """Yield CPU, memory and open files."""
    if not PROC.exists():
        return
    import resource  # noqa: PLC0415  # not on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    pages = int((PROC / "statm").read_text(encoding="ascii").split()[1])
    yield counter("process_cpu_seconds_total", "User and system time.", time.process_time())
    yield gauge("process_resident_memory_bytes", "Memory in use.", pages * resource.getpagesize())
    yield gauge("process_open_fds", "Open files and sockets.", sum(1 for _ in (PROC / "fd").iterdir()))
    yield gauge("process_max_fds", "How many there may be.", soft)
    yield gauge("process_start_time_seconds", "When the process started, since 1970.", _started())


@cache
def _started() -> float:
    ticks = int((PROC / "stat").read_bytes().rpartition(b")")[2].split()[19])
    uptime = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    return time.time() - uptime + ticks / os.sysconf("SC_CLK_TCK")


PATH = "/metrics"
LEVELS = {"ok": 0, "degraded": 1, "failing": 2}
# Each is shown with 0, so that a panel has a line before the first bot comes.
TRANSPORTS = ("websocket", "lines", "engine", "mqtt")


def commits_of(store: Store) -> Histogram:
    """Return a histogram of the database's time for each group of writes, from now on."""
    found = Histogram(COMMIT_S)
    store.on_commit(found.observe)
    return found


async def get_metrics(request: Request) -> Response:
    """Return all families of this server."""
    parts: ServerParts = request.app.state.parts
    await permitted(request, parts.access, WATCH)
    families = [*_about(parts, request), *await _waiting(parts), *process_metrics()]
    return Response(exposition(families), media_type=CONTENT_TYPE, headers={"Cache-Control": "no-store"})


def _about(parts: ServerParts, request: Request) -> Iterator[Family]:
    state = request.app.state
    yield info("palio_build_info", "Version of Palio and of Python, and the server's name.", version=BUILD,
               python=platform.python_version(), worker=parts.settings.worker)  # fmt: skip
    yield from _connection_counts(parts)
    yield from _matches(parts)
    yield from _database(parts, state.commits)
    yield gauge("palio_connections", "Open connections: bots, viewers, browsers.", state.entrance.connections)
    viewers = state.hub.viewers() if parts.settings.lets_in else 0
    yield gauge("palio_viewers", "Who watches matches and the lobby live.", viewers)
    yield from _bus(parts)
    watch: HealthWatch = state.health
    yield histogram("palio_loop_lag_seconds", "How late the event loop comes to a timer.", watch.lag.seen)
    yield gauge(
        "palio_health_status", "How a part is: 0 ok, 1 degraded, 2 failing.",
        {each.name: LEVELS[each.status] for each in watch.look()}, "part",
    )  # fmt: skip


def _connection_counts(parts: ServerParts) -> Iterator[Family]:
    here = Counter(dict.fromkeys(TRANSPORTS, 0))
    here.update(session.transport for session in parts.lobby.sessions() if session.connected)
    yield gauge("palio_bots", "Connections of bots that have been let in.", here, "transport")
    yield counter("palio_hellos_refused_total", "Hellos that were refused.", parts.lobby.refusals, "code")


def _matches(parts: ServerParts) -> Iterator[Family]:
    counts = parts.arena.counts
    yield gauge("palio_matches_running", "Matches that are played here.", len(parts.arena.playing()))
    yield counter("palio_matches_finished_total", "Matches with a committed result.", counts.finished, "termination")
    yield counter("palio_matches_aborted_total", "Matches that ended without a result.", counts.aborted)
    yield counter("palio_matches_lost_total", "Matches that another server took away.", counts.lost)
    yield counter(
        "palio_lease_takeovers_total", "Matches taken over from another server.", parts.arena.leases.taken_over
    )
    yield counter("palio_plies_total", "Plies that were played.", counts.plies)
    yield counter("palio_moves_rejected_total", "Moves against the rules.", counts.rejections, "code")
    yield histogram(
        "palio_turn_duration_seconds", "From a move's arrival until the next turn is written; of some plies.",
        counts.turns,
    )  # fmt: skip
    yield histogram(
        "palio_result_commit_duration_seconds", "From a match's end until its result is committed.", counts.results
    )
    yield gauge("palio_tournaments_running", "Tournaments directed here.", len(parts.tournaments.directed()))


def _database(parts: ServerParts, commits: Histogram) -> Iterator[Family]:
    journal = parts.arena.journal
    yield gauge("palio_journal_waiting_plies", "Plies that are not in the database yet.", journal.waiting)
    yield gauge("palio_journal_lag_seconds", "How old the oldest of them is.", journal.behind_s)
    yield histogram("palio_database_commit_duration_seconds", "How long a group of writes takes.", commits)
    yield counter("palio_database_errors_total", "Groups of writes that failed.", parts.store.errors)
    yield counter("palio_database_retries_total", "Waits for the database to answer again.", Retries.count)


def _bus(parts: ServerParts) -> Iterator[Family]:
    yield counter("palio_bus_messages_total", "Messages on the bus of this process.", parts.bus.published)
    if parts.settings.mqtt is not None:
        yield gauge("palio_broker_connected", "1 while the broker is there.", int(parts.bus.connected))
        yield gauge("palio_broker_waiting_messages", "Messages to be sent to the broker.", parts.bus.waiting)
        yield counter("palio_broker_messages_lost_total", "Messages that there was no room for.", parts.bus.lost)


async def _waiting(parts: ServerParts) -> list[Family]:
    """Return the families that need a query; without an answer of the database they are left out."""
    try:
        waiting = await parts.store.count_waiting()
    except StoreError:
        return []
    return [gauge("palio_matches_waiting", "Scheduled matches in the database, of all servers.", waiting)]
