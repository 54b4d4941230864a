"""`/api/admin`: for operators, with a token of scope `admin`. Servers and what waits, pause and drain; the audit; bans;
matches and names of bots.
"""

import asyncio
from datetime import datetime
from typing import Annotated

import msgspec
from starlette.requests import Request

from palio_db.bans import Ban
from palio_db.pausing import is_paused
from palio_db.values import Act, Actor
from palio_rules.errors import nearest
from palio_server import moderation
from palio_server.api.answers import ApiError, Json
from palio_server.api.operations import Number, Routes
from palio_server.app_state import ServerParts
from palio_server.lobby.access import ADMIN
from palio_server.lobby.other_servers import NoAnswer
from palio_server.moderation import BanRequest, ForgetRequest, Renamed, RenameRequest, VoidedMany, VoidMany
from palio_server.operating import Draining, Operating, ServerFigures

routes = Routes("admin")

FRESH = {"Cache-Control": "no-store"}
Lines = Annotated[int, msgspec.Meta(ge=1, le=1000)]


class AdminView(msgspec.Struct, frozen=True):
    """All servers that share the work, and what is common to them. `here` names the one that answers."""

    here: str
    paused: bool  # no server begins a new match
    scheduled: int  # matches that wait in the database
    servers: list[ServerFigures]  # by name


class AuditItem(msgspec.Struct, frozen=True):
    """One line of the audit log."""

    id: int
    at: datetime
    who: str
    address: str
    act: str
    what: str
    outcome: str
    detail: str


class Paused(msgspec.Struct, frozen=True):
    """The state of the pause, and whether this request changed it."""

    paused: bool
    changed: bool


class Drained(msgspec.Struct, frozen=True):
    """The server that was told to drain, or to play again: `draining` says which."""

    worker: str
    draining: bool


@routes.get("/admin", AdminView, scope=ADMIN)
async def get_admin(parts: ServerParts, request: Request) -> Json:
    """Return all servers with their speed, failures, queues and rate limits."""
    changes, waiting, others = await asyncio.gather(
        parts.store.changes(), parts.store.count_waiting(), parts.others.figures()
    )
    servers = sorted([_operating(request).figures(), *others], key=lambda each: each.worker)
    return Json(AdminView(parts.settings.worker, is_paused(changes), waiting, servers), headers=FRESH)


@routes.get("/admin/audit", list[AuditItem], 422, scope=ADMIN)
async def get_audit(parts: ServerParts, limit: Lines = 100) -> Json:
    """Return the newest lines of the audit log, the newest first."""
    lines = await parts.store.audit(limit=limit)
    items = [
        AuditItem(each.id, each.at, each.who, each.address, each.act, each.what, each.outcome, each.detail)
        for each in reversed(lines)
    ]
    return Json(items, headers=FRESH)


@routes.operation("POST", "/admin/pause", Paused, scope=ADMIN)
async def pause(parts: ServerParts, actor: Actor) -> Json:
    """Pause all servers of this database: no new match begins, those in play go on. A restart does not end it."""
    return await _set_paused(parts, actor, paused=True)


@routes.operation("POST", "/admin/resume", Paused, scope=ADMIN)
async def resume(parts: ServerParts, actor: Actor) -> Json:
    """Let all servers of this database begin matches again."""
    return await _set_paused(parts, actor, paused=False)


@routes.operation("POST", "/admin/servers/{worker}/drain", Drained, 404, 409, 422, scope=ADMIN)
async def drain(
    parts: ServerParts,
    request: Request,
    worker: str,
    actor: Actor,
    body: Draining = Draining(),  # noqa: B008
) -> Json:
    """Let a server begin no further match. Its matches end, or others go on with them; then it waits, or stops."""
    return await _drain(parts, request, worker, actor, body)


@routes.operation("POST", "/admin/servers/{worker}/resume", Drained, 404, 409, 422, scope=ADMIN)
async def undrain(parts: ServerParts, request: Request, worker: str, actor: Actor) -> Json:
    """Let a drained server play again."""
    return await _drain(parts, request, worker, actor, None)


@routes.operation("POST", "/admin/void", VoidedMany, 404, scope=ADMIN)
async def void_many(parts: ServerParts, actor: Actor, body: VoidMany) -> Json:
    """Void up to 200 matches of a bot, from an address, or both; repeat it until none is left. See `VoidMany`."""
    return Json(await moderation.void_many(parts.store, body, actor))


@routes.operation("POST", "/admin/rename", Renamed, 404, 409, scope=ADMIN)
async def rename_bot(parts: ServerParts, actor: Actor, body: RenameRequest) -> Json:
    """Rename a bot, everywhere; its token stays good, and its former name leads to it."""
    return Json(await moderation.rename(parts.store, body, actor))


@routes.operation("POST", "/admin/forget", Renamed, 404, scope=ADMIN)
async def forget_bot(parts: ServerParts, actor: Actor, body: ForgetRequest) -> Json:
    """Forget a bot, or an owner with all bots: results stay under pseudonyms, all else is deleted for good."""
    return Json(await moderation.forget(parts.store, body, actor))


@routes.get("/admin/bans", list[Ban], scope=ADMIN)
async def list_bans(parts: ServerParts) -> Json:
    """Return the bans that are not over, oldest first."""
    return Json(await parts.store.bans(), headers=FRESH)


@routes.operation("POST", "/admin/bans", Ban, 404, statuses=(201,), scope=ADMIN)
async def ban(parts: ServerParts, actor: Actor, body: BanRequest) -> Json:
    """Ban an address or network, an owner or a bot. Within a second no server lets it play; it forfeits its matches."""
    return Json(await moderation.ban(parts.store, body, actor), 201)


@routes.operation("DELETE", "/admin/bans/{number}", Ban, 404, scope=ADMIN)
async def lift_ban(parts: ServerParts, actor: Actor, number: Number) -> Json:
    """Lift a ban."""
    return Json(await parts.store.lift_ban(number, by=actor))


async def _set_paused(parts: ServerParts, actor: Actor, *, paused: bool) -> Json:
    changed = await parts.store.set_paused(actor, paused=paused)
    parts.arena.pause(paused=paused)
    return Json(Paused(paused, changed))


async def _drain(parts: ServerParts, request: Request, worker: str, actor: Actor, how: Draining | None) -> Json:
    if worker == parts.settings.worker:
        _operating(request).drain(how)
    else:
        try:
            known = await parts.others.drain(worker, how)
        except NoAnswer as error:
            raise ApiError(409, "no-answer", f"{error}; it may have been told, look again") from None
        if not known:
            names = [parts.settings.worker, *(each.worker for each in await parts.others.figures())]
            raise ApiError(404, "unknown-server", f"there is no server {worker[:80]!r}; {nearest(worker, names)}")
    detail = "" if how is None else f"matches: {how.matches}, then: {how.then}"
    await parts.store.log_act(
        Act("server resumed" if how is None else "server drained", f"server {worker}", detail), actor
    )
    return Json(Drained(worker, how is not None))


def _operating(request: Request) -> Operating:
    found: Operating = request.app.state.operating
    return found
