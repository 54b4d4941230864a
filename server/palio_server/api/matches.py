"""`/api/matches`: lists and details; starting and stopping. What was played is told by `records.py`."""

import asyncio
from datetime import datetime
from typing import Annotated, ClassVar, Literal
from urllib.parse import urlencode

import msgspec
from fastapi import APIRouter, Query, Request

from palio_db.values import MatchRow, Status
from palio_rules.instances.effort import Effort
from palio_rules.messages import Result, SeatOf
from palio_rules.record import Setup
from palio_rules.registry import games
from palio_rules.time_control import TimeControl
from palio_server.access import MATCHES
from palio_server.api.answers import WITH_TOKEN, Json, answers, shape
from palio_server.api.bodies import Body
from palio_server.api.errors import ApiError, unknown_match
from palio_server.api.games import known_game, title_of
from palio_server.api.house import House, Parts
from palio_server.api.requests import MAX_NUMBER, CheckedQuery, bearer, read_body, while_here
from palio_server.api.start import StartRequest, check_bots, setups
from palio_server.drawing import aside

MOST_WORK = 10_000_000  # positions that the search for one request's instances may look at: a minute or so

router = APIRouter(prefix="/matches", tags=["matches"], dependencies=[CheckedQuery])


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

    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=64)] = "stopped"


class Stopped(msgspec.Struct, frozen=True):
    """`how`: a match in progress is adjudicated a draw, one that waits is taken off the list."""

    match: str
    how: Literal["adjudicated", "aborted"]


@router.get("", responses=answers(list[MatchItem], 404, 422, description="the newest first"))
async def list_matches(
    house: Parts,
    request: Request,
    game: str | None = None,
    bot: str | None = None,
    status: Status | None = None,
    tournament: Annotated[int | None, Query(ge=1, le=MAX_NUMBER)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    before: Annotated[str | None, Query(description="the `id` of the last match that was listed")] = None,
) -> Json:
    """Matches, the newest first. Where there are more, the `Link` header has the address of the next page."""
    if game is not None:
        known_game(game)
    rows = await house.store.matches(game, bot, status, tournament, limit, before)
    headers = {}
    if len(rows) == limit:
        query = dict(request.query_params) | {"limit": str(limit), "before": rows[-1].id}
        headers["Link"] = f'<{request.url.path}?{urlencode(query)}>; rel="next"'
    return Json([_item(row) for row in rows], headers=headers)


@router.post(
    "",
    status_code=201,
    responses=answers(Scheduled, 400, 401, 403, 404, 409, 413, 422, status=201),
    openapi_extra={"security": WITH_TOKEN, "requestBody": {"required": True, "content": shape(StartRequest)}},
)
async def start_match(house: Parts, request: Request) -> Json:
    """Start a match between connected bots. Needs a token of scope `matches`, unless the server is open."""
    await house.access.allow(bearer(request), MATCHES)
    wanted = await read_body(request, StartRequest)
    check_bots(known_game(wanted.game), wanted.bots, house.lobby)
    planned = await while_here(request, _planned(wanted, request.app.state.searching))
    ids = [await house.arena.schedule(setup, wanted.event) for setup in planned]
    return Json(Scheduled(ids[0], ids[0], ids), 201, {"Location": f"/api/matches/{ids[0]}"})


@router.get("/{match}", responses=answers(MatchDetail, 404, 422))
async def get_match(house: Parts, match: str) -> Json:
    """One match: how it was set up, and how it ended."""
    row = await _row(house, match)
    record = await house.store.record(match)
    result = None if record is None else record.result
    return Json(MatchDetail(**msgspec.structs.asdict(_item(row)), setup=row.setup, result=result))


@router.post(
    "/{match}/stop",
    responses=answers(Stopped, 400, 401, 403, 404, 409, 413, 422),
    openapi_extra={"security": WITH_TOKEN, "requestBody": {"required": False, "content": shape(StopRequest)}},
)
async def stop_match(house: Parts, request: Request, match: str) -> Json:
    """Stop a match. Needs a token of scope `matches`, unless the server is open."""
    await house.access.allow(bearer(request), MATCHES)
    reason = (await read_body(request, StopRequest, optional=True)).reason
    if house.arena.stop(match, reason):
        return Json(Stopped(match, "adjudicated"))
    row = await _row(house, match)
    if row.status == "scheduled":
        await house.store.abort(match, reason)
        return Json(Stopped(match, "aborted"))
    if row.status == "running":
        raise ApiError(409, "not-here", f"match {match} is played by the server {row.worker!r}; stop it there")
    raise ApiError(409, "over", f"match {match} is {row.status} already; there is nothing to stop")


async def _planned(wanted: StartRequest, searching: asyncio.Lock) -> list[Setup]:
    """The matches to be scheduled. Openings and instances are looked for by one request at a time: it takes a core."""
    if not wanted.opening_plies and known_game(wanted.game).kind != "race":
        return setups(wanted)
    async with searching:
        return await aside(lambda: setups(wanted), Effort(MOST_WORK))


async def _row(house: House, match: str) -> MatchRow:
    row = await house.store.match(match)
    if row is None:
        raise unknown_match(match)
    return row


def _item(row: MatchRow) -> MatchItem:
    return MatchItem(
        id=row.id,
        game=row.game,
        title=title_of(row.game),
        status=row.status,
        bots=list(row.bots),
        seats=_seats(row),
        time=row.setup.time,
        event=row.event,
        tournament=row.tournament,
        round=row.round,
        scores=None if row.scores is None else list(row.scores),
        termination=row.termination,
        reason=row.reason,
        plies=row.plies,
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
    )


def _seats(row: MatchRow) -> list[SeatOf]:
    if row.game in games():
        return row.setup.seats()
    return [SeatOf(name=f"seat {seat}", bot=bot) for seat, bot in enumerate(row.bots)]  # it was uninstalled since
