"""`/api/health`: for those who watch over servers."""

import asyncio
from importlib.metadata import version
from typing import Literal

import msgspec

from palio_db.errors import StoreError
from palio_server.api.answers import Json
from palio_server.api.operations import Routes
from palio_server.parts import ServerParts

routes = Routes("health")

DATABASE_S = 2.0  # a database that takes longer to answer counts as not there
VERSION = version("palio")


class Health(msgspec.Struct, frozen=True):
    """`status` is "ok", or "degraded" while the database does not answer (then with HTTP 503)."""

    status: Literal["ok", "degraded"]
    version: str
    database: Literal["reachable", "unreachable"]
    matches: int  # in progress
    bots: int  # connected


@routes.operation("GET", "/health", Health, statuses=(200, 503), scope=None)
async def get_health(parts: ServerParts) -> Json:
    """Whether the server is well."""
    try:
        async with asyncio.timeout(DATABASE_S):
            await parts.store.matches(limit=1)
        good = True
    except (StoreError, TimeoutError):
        good = False
    health = Health(
        status="ok" if good else "degraded",
        version=VERSION,
        database="reachable" if good else "unreachable",
        matches=parts.feed.running(),
        bots=len(parts.lobby.connected()),
    )
    return Json(health, 200 if good else 503, {"Cache-Control": "no-store"})
