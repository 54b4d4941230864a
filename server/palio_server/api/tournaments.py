"""`/api/tournaments`: events, their standings and rounds; and making, starting and changing those of this server."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from palio_db.errors import NotFound
from palio_db.event_values import Stage, TournamentRow
from palio_db.values import Act, Actor, Grant
from palio_rules.instances.effort import Effort
from palio_server.api.answers import ApiError, Json
from palio_server.api.event_items import FormatItem, RoundItem, TournamentDetail, TournamentItem, Why
from palio_server.api.event_reader import EventReader
from palio_server.api.event_requests import EntryRequest, EventRequest, ExtendRequest, check_name, draft_for
from palio_server.api.event_views import TEXTS, TYPES, EventExport, EventView, Form, exported, faults_for, record_texts
from palio_server.api.event_waits import waits_of
from palio_server.api.identity import actor_of, bearer, permitted
from palio_server.api.matches import MOST_WORK
from palio_server.api.operations import Number, Routes
from palio_server.app_state import ServerParts
from palio_server.arena.analysis_queue import search_in_thread
from palio_server.arena.directing import NotPossible
from palio_server.lobby.access import ADMIN, MATCHES, PLAY, AccessDenied
from palio_server.tournament.format import format_type, formats

routes = Routes("tournaments")

RECORDS = 500  # that are read for one table: each takes about a millisecond of the database
LARGE = 2**20  # bytes of a request: a thousand entrants and their ratings, or a book of openings


@routes.get("/formats", list[FormatItem])
async def list_formats() -> Json:
    """Return the formats that are installed here, with their settings."""
    return Json([_format(name) for name in formats()])


@routes.get("/tournaments", list[TournamentItem])
async def list_tournaments(
    parts: ServerParts, request: Request, stage: Stage | None = None, limit: Annotated[int, Meta(ge=1, le=200)] = 50
) -> Json:
    """Return the tournaments, the newest first."""
    rows = await parts.store.tournaments(limit, stage=stage)
    return Json([await _events(request).item(row) for row in rows])


@routes.operation("POST", "/tournaments", TournamentDetail, 404, 409, statuses=(201,), scope=MATCHES, most=LARGE)
async def create_tournament(parts: ServerParts, request: Request, actor: Actor, body: EventRequest) -> Json:
    """Make a tournament. Needs a token of scope `matches`, unless the server is open.

    It starts at once (`start`), at its time (`starts_at`), or when told to. Its bots are those connected under the
    names; one that stays away forfeits its games when the grace is over.
    """
    async with request.app.state.searching:  # a book, or many openings: it takes a core
        draft = await search_in_thread(lambda: draft_for(body), Effort(MOST_WORK))
    with _answered():
        number = await parts.tournaments.create(draft, by=actor)
        if body.start:
            await _start_or_discard(parts, number)
            await _audit(parts, actor, "tournament started", number)
    detail = await _detail(parts, request, number)
    return Json(detail, 201, {"Location": f"/api/tournaments/{number}"})


@routes.get("/tournaments/{number}", TournamentDetail, 404)
async def get_tournament(parts: ServerParts, request: Request, number: Number) -> Json:
    """Return an event with its present standings."""
    return Json(await _detail(parts, request, number))


@routes.get("/tournaments/{number}/rounds/{round}", RoundItem, 404)
async def get_round(
    request: Request,
    number: Number,
    round: Number,  # noqa: A002  # the name in the address
) -> Json:
    """Return the pairings of a round, with their matches and results."""
    view = await _view(request, number)
    try:
        return Json(view.round(round))
    except KeyError:
        planned = f"round {view.last_round} is the last one so far" if view.last_round else "none is planned yet"
        raise ApiError(404, "unknown-round", f"tournament {number} has no round {round}; {planned}") from None


@routes.get("/tournaments/{number}/why/{encounter}", Why, 404)
async def get_why(request: Request, number: Number, encounter: Number) -> Json:
    """Return sentences that say why these meet. Rounds give the numbers of their encounters."""
    view = await _view(request, number)
    try:
        return Json(await asyncio.to_thread(view.why, encounter))
    except KeyError:
        reason = f"tournament {number} has no encounter {encounter}; its rounds have the numbers"
        raise ApiError(404, "unknown-encounter", reason) from None


@routes.get("/tournaments/{number}/export", EventExport, 404, texts=TEXTS)
async def export_tournament(
    parts: ServerParts,
    request: Request,
    number: Number,
    format: Form = "json",  # noqa: A002  # the name in the address
) -> Response:
    """Return an event as a file: everything (json), standings (csv), a cross-table (md), TRF, or records of games
    (text).
    """
    view = await _view(request, number)
    if format == "text":
        return StreamingResponse(record_texts(parts.store, number), media_type=TYPES[format])
    faults = await faults_for(parts.store, view, format, most=RECORDS)
    return Response(await asyncio.to_thread(exported, view, format, faults), media_type=TYPES[format])


# --- requests of organisers ----------------------------------------------------------------------------------------


@routes.operation("POST", "/tournaments/{number}/start", TournamentDetail, 404, 409, scope=MATCHES)
async def start_tournament(parts: ServerParts, request: Request, actor: Actor, number: Number) -> Json:
    """Begin to play. Needs a token of scope `matches`, unless the server is open."""
    with _answered():
        await parts.tournaments.start(number)
    await _audit(parts, actor, "tournament started", number)
    return Json(await _detail(parts, request, number))


@routes.operation("POST", "/tournaments/{number}/pause", TournamentDetail, 404, 409, scope=MATCHES)
async def pause_tournament(parts: ServerParts, request: Request, actor: Actor, number: Number) -> Json:
    """Begin no further match; those in progress are played. Needs a token of scope `matches`, unless open."""
    with _answered():
        await parts.tournaments.pause(number)
    await _audit(parts, actor, "tournament paused", number)
    return Json(await _detail(parts, request, number))


@routes.operation("POST", "/tournaments/{number}/resume", TournamentDetail, 404, 409, scope=MATCHES)
async def resume_tournament(parts: ServerParts, request: Request, actor: Actor, number: Number) -> Json:
    """Continue a paused tournament. Needs a token of scope `matches`, unless the server is open."""
    with _answered():
        await parts.tournaments.resume(number)
    await _audit(parts, actor, "tournament resumed", number)
    return Json(await _detail(parts, request, number))


@routes.operation("POST", "/tournaments/{number}/cancel", TournamentDetail, 404, 409, scope=MATCHES)
async def cancel_tournament(parts: ServerParts, request: Request, actor: Actor, number: Number) -> Json:
    """End it; matches in progress are played. Needs a token of scope `matches`, unless the server is open."""
    with _answered():
        await parts.tournaments.cancel(number)
    await _audit(parts, actor, "tournament cancelled", number)
    return Json(await _detail(parts, request, number))


@routes.operation("POST", "/tournaments/{number}/extend", TournamentDetail, 404, 409, scope=MATCHES)
async def extend_tournament(
    parts: ServerParts, request: Request, actor: Actor, number: Number, body: ExtendRequest
) -> Json:
    """Give it so many rounds in all; a finished one continues. Needs scope `matches`, unless the server is open."""
    with _answered():
        await parts.tournaments.extend(number, body.rounds)
    await _audit(parts, actor, "tournament extended", number, f"to {body.rounds} rounds")
    return Json(await _detail(parts, request, number))


@routes.operation("POST", "/tournaments/{number}/entries", TournamentDetail, 401, 403, 404, 409, statuses=(201,))
async def enter_tournament(parts: ServerParts, request: Request, number: Number, body: EntryRequest) -> Json:
    """Enter a bot, late ones if the format admits them.

    Needs a token of scope `matches`, unless the server is open; or the bot's own token, where the tournament admits
    bots by token or is open to all.
    """
    check_name(body.bot)
    grant = await _entering(parts, request, number, body.bot)
    own = grant is not None and not {MATCHES, ADMIN} & grant.scopes
    if own and (body.rating is not None or body.byes):
        raise ApiError(403, "not-yours", "ratings and byes are the organiser's to grant; send the name of the bot only")
    with _answered():
        await parts.tournaments.add(number, body.bot, body.rating, body.byes)
    await _audit(parts, actor_of(request, grant), "bot entered", number, body.bot)
    return Json(await _detail(parts, request, number), 201)


@routes.operation("DELETE", "/tournaments/{number}/entries/{bot}", TournamentDetail, 401, 403, 404, 409)
async def withdraw_entry(parts: ServerParts, request: Request, number: Number, bot: str) -> Json:
    """Withdraw a bot: it is no longer paired, and forfeits the matches that it has not begun. Permissions: as for
    entering.
    """
    grant = await _entering(parts, request, number, bot)
    with _answered():
        await parts.tournaments.withdraw(number, bot)
    await _audit(parts, actor_of(request, grant), "bot withdrawn", number, bot)
    return Json(await _detail(parts, request, number))


# --- within -----------------------------------------------------------------------------------------------------------


@contextmanager
def _answered() -> Iterator[None]:
    """Turn a tournament's refusal into an answer."""
    try:
        yield
    except NotPossible as error:
        raise ApiError(409, "not-possible", str(error)) from None
    except NotFound as error:
        raise ApiError(404, "not-found", str(error)) from None


async def _start_or_discard(parts: ServerParts, number: int) -> None:
    """Discard a tournament that was to start at once and cannot."""
    try:
        await parts.tournaments.start(number)
    except Exception:
        await parts.tournaments.cancel(number)
        raise


async def _audit(parts: ServerParts, by: Actor, act: str, number: int, detail: str = "") -> None:
    """Note a change of a tournament in the audit."""
    await parts.store.log_act(Act(act, f"tournament {number}", detail), by)


async def _entering(parts: ServerParts, request: Request, number: int, bot: str) -> Grant | None:
    """Return the grant of the one who enters or withdraws a bot: the organiser, or the bot itself.

    None where the server is open. Raises AccessDenied or ApiError for others.
    """
    row = await known_tournament(parts, number)
    try:
        return await permitted(request, parts.access, MATCHES)
    except AccessDenied:
        if bearer(request) is None or row.admits == "listed":
            raise
    grant = await permitted(request, parts.access, PLAY)
    if grant is None or grant.bot != bot:
        whose = "of no bot" if grant is None or grant.bot is None else f"of {grant.bot}"
        raise ApiError(403, "not-yours", f"this token is {whose}, not of {bot[:40]}; a bot enters itself only")
    return grant


async def known_tournament(parts: ServerParts, number: int) -> TournamentRow:
    """Return the tournament, for a path. Raises ApiError 404."""
    row = await parts.store.tournament(number)
    if row is None:
        raise unknown_tournament(number)
    return row


def unknown_tournament(number: int) -> ApiError:
    return ApiError(404, "unknown-tournament", f"there is no tournament {number}; /api/tournaments lists them")


def _events(request: Request) -> EventReader:
    events: EventReader = request.app.state.events
    return events


async def _view(request: Request, number: int) -> EventView:
    view = await _events(request).view(number)
    if view is None:
        raise unknown_tournament(number)
    return view


async def _detail(parts: ServerParts, request: Request, number: int) -> TournamentDetail:
    found = await _events(request).view_and_pace(number)
    if found is None:
        raise unknown_tournament(number)
    view, pace = found
    here = {bot for bot in view.row.bots if parts.lobby.is_here(bot)}
    return view.detail(here, pace, await waits_of(parts, view))


def _format(name: str) -> FormatItem:
    kind = format_type(name)
    rules: dict[str, Any] = msgspec.to_builtins(kind.rules_type())
    return FormatItem(name, kind.title, rules)
