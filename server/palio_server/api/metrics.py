"""`/metrics`: what operators watch, as Prometheus scrapes it. Everything is read when somebody asks.

Where nobody needs a token, anybody may read it. Elsewhere any token will do (`palio bot add prometheus --scope watch`
makes one for nothing else), as Prometheus sends it with `authorization`: not the address decides, because behind a
proxy on this machine all the world comes from loopback.
"""

import platform
from collections import Counter
from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from palio_db.errors import StoreError
from palio_db.store import Store
from palio_server.api.asking import permitted
from palio_server.api.health import VERSION
from palio_server.api.process_metrics import process_metrics
from palio_server.arena.retry import Retries
from palio_server.health import HealthWatch
from palio_server.lobby.access import WATCH
from palio_server.metrics import CONTENT_TYPE, Family, Histogram, counter, exposition, gauge, histogram, info
from palio_server.metrics.histogram import COMMIT_S
from palio_server.parts import ServerParts

PATH = "/metrics"
LEVELS = {"ok": 0, "degraded": 1, "failing": 2}
TRANSPORTS = ("websocket", "lines", "mqtt")  # shown with 0, so that a panel has a line before the first bot comes


def commits_of(store: Store) -> Histogram:
    """How long the database takes for each group of writes, from now on."""
    found = Histogram(COMMIT_S)
    store.on_commit(found.observe)
    return found


async def get_metrics(request: Request) -> Response:
    """All families of this server."""
    parts: ServerParts = request.app.state.parts
    await permitted(request, parts.access, WATCH)
    families = [*_about(parts, request), *await _waiting(parts), *process_metrics()]
    return Response(exposition(families), media_type=CONTENT_TYPE, headers={"Cache-Control": "no-store"})


def _about(parts: ServerParts, request: Request) -> Iterator[Family]:
    state = request.app.state
    yield info("palio_build_info", "Version of Palio and of Python, and the server's name.", version=VERSION,
               python=platform.python_version(), worker=parts.settings.worker)  # fmt: skip
    yield from _comings(parts)
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


def _comings(parts: ServerParts) -> Iterator[Family]:
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
    """What the database has to be asked for: without an answer it is left out, and the rest is told."""
    try:
        waiting = await parts.store.count_waiting()
    except StoreError:
        return []
    return [gauge("palio_matches_waiting", "Scheduled matches in the database, of all servers.", waiting)]
