"""`/api/health`: for those who watch over servers."""

import asyncio
from collections.abc import Iterator
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
BEHIND = 10_000  # plies that wait for the journal: seconds of what a busy server plays


class PartHealth(msgspec.Struct, frozen=True):
    """One part of the server: `reason` says what is wrong with it, or about to be."""

    name: str  # server, database, writes, disk, journal, broker; a server has only those that it uses
    ok: bool
    reason: str = ""


class Health(msgspec.Struct, frozen=True):
    """`status` is "ok", or "degraded" (then with HTTP 503) while one of the `parts` is not ok."""

    status: Literal["ok", "degraded"]
    version: str
    database: Literal["reachable", "unreachable"]
    matches: int  # in progress
    bots: int  # connected
    parts: list[PartHealth]


@routes.operation("GET", "/health", Health, statuses=(200, 503), scope=None)
async def get_health(parts: ServerParts) -> Json:
    """Whether the server is well, part by part."""
    database = await _database(parts)
    found = [_server(parts), database, *_store(parts), *_broker(parts)]
    good = all(part.ok for part in found)
    health = Health(
        status="ok" if good else "degraded",
        version=VERSION,
        database="reachable" if database.ok else "unreachable",
        matches=parts.feed.running(),
        bots=len(parts.lobby.connected()),
        parts=found,
    )
    return Json(health, 200 if good else 503, {"Cache-Control": "no-store"})


def _server(parts: ServerParts) -> PartHealth:
    stopping = parts.lobby.stopping
    return PartHealth("server", stopping is None, "" if stopping is None else stopping.reason)


async def _database(parts: ServerParts) -> PartHealth:
    try:
        async with asyncio.timeout(DATABASE_S):
            await parts.store.matches(limit=1)
    except StoreError as error:
        return PartHealth("database", ok=False, reason=_public(parts, str(error)))
    except TimeoutError:
        return PartHealth("database", ok=False, reason=f"no answer within {DATABASE_S:g} s")
    return PartHealth("database", ok=True)


def _store(parts: ServerParts) -> Iterator[PartHealth]:
    """Whether what is written is taken, and kept."""
    watch, journal, trouble = parts.arena.watch, parts.arena.journal, parts.store.trouble
    yield PartHealth("writes", not trouble, _public(parts, trouble))
    yield PartHealth("disk", not watch.no_room, watch.no_room or watch.warning)
    behind = f"{journal.waiting:,} plies wait to be written" if journal.waiting > BEHIND else ""
    cut = f"no room in memory for all plies of {journal.cut} matches" if journal.cut else ""
    yield PartHealth("journal", not behind and not cut, cut or behind)


def _public(parts: ServerParts, reason: str) -> str:
    """The sentence for everybody: where the database lies is the operator's business, and in the log."""
    return reason.replace(f"cannot use {parts.store.url}: ", "").replace(parts.store.url, "the database")


def _broker(parts: ServerParts) -> Iterator[PartHealth]:
    if parts.settings.mqtt is not None:
        there = parts.bus.connected
        yield PartHealth("broker", there, "" if there else "the broker is away; bots and viewers there wait")
