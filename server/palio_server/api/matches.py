"""`/api/matches`: lists and details; starting and stopping. For what was played see `records.py`."""

import asyncio
from collections.abc import Coroutine
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, TypeVar
from urllib.parse import urlencode

import msgspec
from msgspec import Meta
from starlette.requests import Request

from palio_db.values import MatchRow, Status
from palio_rules.contract.messages import Result, SeatOf
from palio_rules.instances.effort import Effort
from palio_rules.records.record import Setup
from palio_rules.registry import games, is_race
from palio_rules.time_control import TimeControl
from palio_server.api.answers import ApiError, Json, unknown_match
from palio_server.api.bodies import Body
from palio_server.api.games import known_game, title_of
from palio_server.api.operations import Number, Routes
from palio_server.api.start import StartRequest, check_bots, setups
from palio_server.arena.search_thread import search_in_thread
from palio_server.lobby.access import MATCHES
from palio_server.parts import ServerParts

MOST_WORK = 10_000_000  # positions that the search for one request's instances may look at: a minute or so

T = TypeVar("T")
M = TypeVar("M", bound="MatchItem")

routes = Routes("matches")


class MatchItem(msgspec.Struct, frozen=True):
    """A match in a list. `scores`, `termination`, `reason` and `plies` are null until it is finished."""

    id: str
    game: str
    title: str
    status: Status
    bots: list[str]  # by seat
    seats: list[SeatOf]
    time: TimeControl
    event: str
    tournament: int | None
    round: int
    rated: bool
    scores: list[float] | None
    termination: str | None
    reason: str | None
    plies: int | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None


class MatchDetail(MatchItem, frozen=True):
    """A match by itself."""

    setup: Setup
    result: Result | None


class Scheduled(msgspec.Struct, frozen=True):
    """What was started: `id`, which is `match`, is the first of `matches`."""

    id: str
    match: str
    matches: list[str]


class StopRequest(Body, frozen=True):
    """Why a match is stopped; the record keeps it."""

    WRITE: ClassVar = {"reason": '"reason": "it rains"'}

    reason: Annotated[str, Meta(min_length=1, max_length=64)] = "stopped"


NO_REASON = StopRequest()


class Stopped(msgspec.Struct, frozen=True):
    """`how`: a match in progress is adjudicated a draw, one that waits is taken off the list."""

    match: str
    how: Literal["adjudicated", "aborted"]


@routes.get("/matches", list[MatchItem], 404)
async def list_matches(
    parts: ServerParts,
    request: Request,
    game: str | None = None,
    bot: str | None = None,
    status: Status | None = None,
    tournament: Number | None = None,
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50,
    before: Annotated[str | None, Meta(description="the `id` of the last match that was listed")] = None,
) -> Json:
    """Matches, the newest first. Where there are more, the `Link` header has the address of the next page."""
    if game is not None:
        known_game(game)
    rows = await parts.store.matches(game, bot, status, tournament, limit, before)
    headers = {}
    if len(rows) == limit:
        query = dict(request.query_params) | {"limit": str(limit), "before": rows[-1].id}
        headers["Link"] = f'<{request.url.path}?{urlencode(query)}>; rel="next"'
    return Json([_item(row, MatchItem) for row in rows], headers=headers)


@routes.operation("POST", "/matches", Scheduled, 404, 409, statuses=(201,), scope=MATCHES)
async def start_match(parts: ServerParts, request: Request, body: StartRequest) -> Json:
    """Start a match between connected bots. Needs a token of scope `matches`, unless the server is open."""
    check_bots(known_game(body.game), body.bots, parts.lobby)
    planned = await while_here(request, _planned(body, request.app.state.searching))
    ids = [await parts.arena.schedule(setup, body.event) for setup in planned]
    return Json(Scheduled(ids[0], ids[0], ids), 201, {"Location": f"/api/matches/{ids[0]}"})


@routes.get("/matches/{match}", MatchDetail, 404)
async def get_match(parts: ServerParts, match: str) -> Json:
    """One match: how it was set up, and how it ended."""
    row = await known_match(parts, match)
    record = await parts.store.record(match)
    return Json(_item(row, MatchDetail, result=None if record is None else record.result))


@routes.operation("POST", "/matches/{match}/stop", Stopped, 404, 409, scope=MATCHES)
async def stop_match(parts: ServerParts, match: str, body: StopRequest = NO_REASON) -> Json:
    """Stop a match. Needs a token of scope `matches`, unless the server is open."""
    if parts.arena.stop(match, body.reason):
        return Json(Stopped(match, "adjudicated"))
    row = await known_match(parts, match)
    if row.status == "scheduled":
        await parts.store.abort(match, body.reason)
        return Json(Stopped(match, "aborted"))
    if row.status == "running":
        raise ApiError(409, "not-here", f"match {match} is played by the server {row.worker!r}; stop it there")
    raise ApiError(409, "over", f"match {match} is {row.status} already; there is nothing to stop")


async def _planned(wanted: StartRequest, searching: asyncio.Lock) -> list[Setup]:
    """The matches to be scheduled. Openings and instances are looked for by one request at a time: it takes a core."""
    if not wanted.opening_plies and not is_race(wanted.game):
        return setups(wanted)
    async with searching:
        return await search_in_thread(lambda: setups(wanted), Effort(MOST_WORK))


async def known_match(parts: ServerParts, match: str) -> MatchRow:
    """The match, for a path. Raises ApiError 404."""
    row = await parts.store.match(match)
    if row is None:
        raise unknown_match(match)
    return row


def _item(row: MatchRow, kind: type[M], **more: Any) -> M:
    """The row as a list shows it, or, with `more`, by itself."""
    stored = {field.name: getattr(row, field.name) for field in fields(row)}
    shown = {"title": title_of(row.game), "seats": _seats(row), "time": row.setup.time, "rated": row.setup.rated}
    return msgspec.convert(stored | shown | more, kind)


def _seats(row: MatchRow) -> list[SeatOf]:
    if row.game in games():
        return row.setup.seats()
    return [SeatOf(name=f"seat {seat}", bot=bot) for seat, bot in enumerate(row.bots)]  # it was uninstalled since


async def while_here(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What `work` gives, unless the client disconnects before: then it is cancelled. Its body must have been read."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():  # nobody will read this either
            raise ApiError(400, "unreadable", "the client disconnected before there was an answer")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.wait({working, leaving})


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
