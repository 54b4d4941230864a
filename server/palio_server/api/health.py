"""`/api/health`: for those who watch over servers, and for the probes of whatever starts them."""

from importlib.metadata import version
from typing import Literal

import msgspec
from starlette.requests import Request

from palio_server.api.answers import Json
from palio_server.api.operations import Routes
from palio_server.health import HealthWatch, Standing, Status, worst
from palio_server.parts import ServerParts

routes = Routes("health")

VERSION = version("palio")
FRESH = {"Cache-Control": "no-store"}


class PartHealth(msgspec.Struct, frozen=True):
    """One part of the server: `reason` says what is wrong with it, or about to be; `since` when that is so."""

    name: str  # server, database, writes, disk, journal, arena, leases, broker, loop; only those that it uses
    status: Status  # "degraded": it works, but not for long, or late; "failing": it does not do its work
    ok: bool  # it is not failing
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
    """Whether newcomers should be sent here; if not, HTTP 503, and `parts` say why not."""

    ready: bool
    parts: list[PartHealth]


class Liveness(msgspec.Struct, frozen=True):
    """An answer at all: the process lives and its event loop turns. Whoever gets none in time may restart it."""

    alive: bool = True


@routes.operation("GET", "/health", Health, statuses=(200, 503), scope=None)
async def get_health(parts: ServerParts, request: Request) -> Json:
    """Whether the server is well, part by part."""
    found = await _watch(request).look_at_all()
    unreachable = any(each.name == "database" and each.status == "failing" for each in found)
    status = worst(found)
    health = Health(
        status=status,
        version=VERSION,
        database="unreachable" if unreachable else "reachable",
        matches=parts.feed.running(),
        bots=len(parts.lobby.connected()),
        parts=[_part(each) for each in found],
    )
    return Json(health, 503 if status == "failing" else 200, FRESH)


@routes.operation("GET", "/health/live", Liveness, scope=None)
async def get_liveness() -> Json:
    """Whether the process lives. No part of it is looked at: to restart it would heal none of them."""
    return Json(Liveness(), 200, FRESH)


@routes.operation("GET", "/health/ready", Readiness, statuses=(200, 503), scope=None)
async def get_readiness(request: Request) -> Json:
    """Whether newcomers should be sent here: not while it stops, nor while it cannot keep up."""
    against = _watch(request).ready()
    return Json(Readiness(not against, [_part(each) for each in against]), 503 if against else 200, FRESH)


def _part(found: Standing) -> PartHealth:
    since = found.since.isoformat(timespec="seconds").replace("+00:00", "Z")
    return PartHealth(found.name, found.status, found.status != "failing", since, found.reason)


def _watch(request: Request) -> HealthWatch:
    watch: HealthWatch = request.app.state.health
    return watch
