"""`/api/matches`: lists and details; starting and stopping. For records see `records.py`."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, TypeVar, get_args

import msgspec
from msgspec import UNSET, Meta
from starlette.requests import Request

from palio_db.counters import FAULTS, OUTCOMES
from palio_db.match_search import MatchQuery
from palio_db.values import Act, Actor, ArchivePlace, MatchRow, Status
from palio_rules.contract.messages import Result, SeatIndex, SeatOf, Termination
from palio_rules.errors import nearest, quoted
from palio_rules.instances.effort import Effort
from palio_rules.records.record import Setup, Void
from palio_rules.registry import games, is_race, title_of
from palio_rules.time_control import TimeControl
from palio_server.api.answers import ApiError, Json, next_page, unknown_match
from palio_server.api.bodies import Body, first_moment, moment_after
from palio_server.api.games import known_board, known_game
from palio_server.api.operations import BotFilter, Number, Routes
from palio_server.api.quotas import MatchQuota, asker_of
from palio_server.api.start import StartRequest, check_bots, setups
from palio_server.app_state import ServerParts
from palio_server.arena.analysis_queue import search_in_thread
from palio_server.lobby.access import ADMIN, MATCHES
from palio_server.lobby.other_servers import NoAnswer

ENDINGS: tuple[str, ...] = get_args(Termination)
MET = 4  # bots of a match whose meetings are shown: more of them would need a table
MOST_WORK = 10_000_000  # positions that the search for one request's instances may look at: a minute or so

T = TypeVar("T")
M = TypeVar("M", bound="MatchItem")

routes = Routes("matches")


class MatchItem(msgspec.Struct, frozen=True):
    """A match in a list. `scores`, `termination`, `reason` and `plies` are null until it is finished.

    `detail`: what the rules say of a duel beyond its scores, as in "Black wins by 3.5 points"; null for most games, and
    for matches that were finished before servers stored it.
    `void`: an organiser has decided that it does not count. `archived`: its moves are in a file of the operator; its
    record, replay and analysis are a 410.
    """

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
    detail: str | None
    plies: int | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    encounter: int | None  # its number in the tournament
    void: Void | None
    archived: ArchivePlace | None
    times: list[TimeControl]  # with time odds: each bot's own, by seat; [] if `time` is that of all


class Neighbours(msgspec.Struct, frozen=True):
    """The matches beside it: of its event as they were planned, or otherwise of the same bots by age; null: none.

    `encounter` and `game`, from 1, are its place in its event.
    """

    previous: str | None
    next: str | None
    encounter: int | None = None
    game: int | None = None


class Meetings(msgspec.Struct, frozen=True):
    """The number of matches in which `first` finished ahead of, level with and behind `second`, over all rated ones of
    this game.
    """

    first: str
    second: str
    wins: int
    draws: int
    losses: int


class MatchDetail(MatchItem, frozen=True):
    """A match by itself. `meetings` has each pair of its bots that has met, for up to four bots."""

    setup: Setup
    result: Result | None
    neighbours: Neighbours
    meetings: list[Meetings]


class Scheduled(msgspec.Struct, frozen=True):
    """The started matches: `id`, which is `match`, is the first of `matches`."""

    id: str
    match: str
    matches: list[str]


class StopRequest(Body, frozen=True):
    """The reason why a match is stopped; the record keeps it."""

    WRITE: ClassVar = {"reason": '"reason": "it rains"'}

    reason: Annotated[str, Meta(min_length=1, max_length=64)] = "stopped"


NO_REASON = StopRequest()


class Stopped(msgspec.Struct, frozen=True):
    """The way it was stopped: `how` says that a match in progress is adjudicated a draw, or a waiting one is taken off
    the list.
    """

    match: str
    how: Literal["adjudicated", "aborted"]


class VoidRequest(Body, frozen=True):
    """The reason why a match does not count; its record, and the page, show it publicly."""

    WRITE: ClassVar = {"reason": '"reason": "both bots have one author"'}

    reason: Annotated[str, Meta(min_length=1, max_length=500)]


class Voided(msgspec.Struct, frozen=True):
    """The state after the request. `changed`: false if it was void before, for the reason given here."""

    match: str
    changed: bool
    void: Void


@routes.get("/matches", list[MatchItem], 404)
async def list_matches(
    parts: ServerParts,
    request: Request,
    *,
    game: Annotated[
        str | None, Meta(description="a game; or with settings, `go:size=19`: what counts for that leaderboard")
    ] = None,
    bot: BotFilter | None = None,
    status: Status | None = None,
    tournament: Number | None = None,
    against: BotFilter | None = None,
    event: Annotated[str | None, Meta(description="the event's name, all of it; empty: matches of no event")] = None,
    ended: Annotated[
        str | None, Meta(description=f"{', '.join(ENDINGS)}; several with commas; `fault`: any fault")
    ] = None,
    outcome: Annotated[
        str | None, Meta(description=f"of `bot`, in rated matches: {', '.join(OUTCOMES)}; or `fault`")
    ] = None,
    seat: Annotated[SeatIndex | None, Meta(description="of `bot`, from 0")] = None,
    since: Annotated[str | None, Meta(description="made on this day (2026-05-01, UTC) or later")] = None,
    until: Annotated[str | None, Meta(description="made on this day or earlier")] = None,
    q: Annotated[str, Meta(max_length=100, description="a part of a bot's or an event's name; empty: all")] = "",
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50,
    before: Annotated[str | None, Meta(description="the `id` of the last match that was listed")] = None,
    rated: bool | None = None,
) -> Json:
    """Return matches, the newest first. If there are more, the `Link` header has the address of the next page."""
    board = None if game is None else known_board(game)
    if bot is None and (outcome is not None or seat is not None):
        raise ApiError(422, "bad-value", "outcome and seat are those of a bot; name it as bot=NAME")
    if before is not None and await parts.store.match(before) is None:
        remedy = "give the `id` of the last match that was listed, or leave it out for the newest"
        raise ApiError(422, "bad-value", f"before: there is no match {quoted(before[:80])}; {remedy}")
    query = MatchQuery(
        game=None if board is None else board.partition(":")[0],
        board=board if ":" in (game or "") else None,
        bot=bot,
        against=against,
        status=status,
        tournament=tournament,
        event=event,
        terminations=_words("ended", ended, ENDINGS),
        outcomes=_words("outcome", outcome, OUTCOMES),
        seat=seat,
        since=None if since is None else first_moment("since", since),
        until=None if until is None else moment_after("until", until),
        rated=rated,
        q=q,
        before=before,
    )
    rows = await parts.store.search(query, limit)
    headers = next_page(request, limit=str(limit), before=rows[-1].id) if len(rows) == limit else {}
    return Json([_item(row, MatchItem) for row in rows], headers=headers)


@routes.operation("POST", "/matches", Scheduled, 404, 409, 429, statuses=(201,), scope=MATCHES)
async def start_match(parts: ServerParts, request: Request, actor: Actor, body: StartRequest) -> Json:
    """Start a match between connected bots. Needs a token of scope `matches`, unless the server is open."""
    check_bots(known_game(body.game), body.bots, parts.lobby)
    planned = await while_here(request, _planned(body, request.app.state.searching))
    quota: MatchQuota = request.app.state.quota
    async with quota.room(asker_of(request), len(planned)) as ids:
        for setup in planned:
            # matches scheduled before an error count in any case
            ids.append(await parts.arena.schedule(setup, body.event, by=actor))
    return Json(Scheduled(ids[0], ids[0], ids), 201, {"Location": f"/api/matches/{ids[0]}"})


@routes.get("/matches/{match}", MatchDetail, 404)
async def get_match(parts: ServerParts, match: str) -> Json:
    """Return one match: its setup, and its end."""
    row = await known_match(parts, match)
    record = await parts.store.outline(match)
    place = await parts.store.place(match)
    game = None if place.number is None else place.number + 1
    more = {
        "result": None if record is None else record.result,
        "neighbours": Neighbours(place.previous, place.next, place.encounter, game),
        "meetings": await _meetings(parts, row),
    }
    return Json(_item(row, MatchDetail, **more))


@routes.operation("POST", "/matches/{match}/stop", Stopped, 404, 409, scope=MATCHES)
async def stop_match(parts: ServerParts, actor: Actor, match: str, body: StopRequest = NO_REASON) -> Json:
    """Stop a match. Needs a token of scope `matches`, unless the server is open."""
    if parts.arena.stop(match, body.reason):
        await parts.store.log_act(Act("match stopped", f"match {match}", body.reason), actor)
        return Json(Stopped(match, "adjudicated"))
    row = await known_match(parts, match)
    if row.status == "scheduled":
        await parts.store.abort(match, body.reason, by=actor)
        return Json(Stopped(match, "aborted"))
    if row.status == "running":
        if await _stopped_there(parts, row, body.reason):
            await parts.store.log_act(Act("match stopped", f"match {match}", body.reason), actor)
            return Json(Stopped(match, "adjudicated"))
        raise ApiError(409, "not-here", f"match {match} is played by the server {row.worker!r}; stop it there")
    raise ApiError(409, "over", f"match {match} is {row.status} already; there is nothing to stop")


async def _stopped_there(parts: ServerParts, row: MatchRow, reason: str) -> bool:
    """Have the server that plays the match stop it. Raises ApiError 503."""
    try:
        return await parts.others.stop_match(row.worker, row.id, reason)
    except NoAnswer as error:
        raise ApiError(503, "no-answer", f"{error}; look at the match, and stop it again if it goes on") from None


class CountsAgain(msgspec.Struct, frozen=True):
    """The match that counts. `changed`: false if it was not void."""

    match: str
    changed: bool


@routes.operation("POST", "/matches/{match}/void", Voided, 404, 409, scope=ADMIN)
async def void_match(parts: ServerParts, actor: Actor, match: str, body: VoidRequest) -> Json:
    """Void a finished match, so that it does not count; it stays, and its record says so. A second time changes
    nothing.

    Needs a token of scope `admin`, unless the server is open.
    """
    await _check_finished(parts, match)
    changed = await parts.store.void(match, body.reason, by=actor)
    void = (await known_match(parts, match)).void
    assert void is not None
    return Json(Voided(match, changed, void))


@routes.operation("DELETE", "/matches/{match}/void", CountsAgain, 404, 409, scope=ADMIN)
async def unvoid_match(parts: ServerParts, actor: Actor, match: str) -> Json:
    """Let a void match count again. Needs a token of scope `admin`, unless the server is open."""
    await _check_finished(parts, match)
    return Json(CountsAgain(match, await parts.store.unvoid(match, by=actor)))


async def _check_finished(parts: ServerParts, match: str) -> None:
    row = await known_match(parts, match)
    if row.status != "finished":
        reason = f"match {match} is {row.status}; only a finished match can be voided, others can be stopped"
        raise ApiError(409, "not-finished", reason)


def _words(name: str, text: str | None, known: Sequence[str]) -> tuple[str, ...]:
    """Return some of the `known` words, as a filter gives them, with commas; `fault` is all faults. Raises ApiError
    422.
    """
    if text is None:
        return ()
    words = [word for given in text.split(",") for word in (FAULTS if given == "fault" else (given,))]
    for word in words:
        if word not in known:
            raise ApiError(422, "bad-value", f"{name}: unknown word {word[:40]!r}; {nearest(word, (*known, 'fault'))}")
    return tuple(dict.fromkeys(words))


async def _planned(wanted: StartRequest, searching: asyncio.Lock) -> list[Setup]:
    """Return the matches to be scheduled. One request at a time searches for openings and instances: it
    takes a core.
    """
    if not wanted.opening_plies and not is_race(wanted.game):
        return setups(wanted)
    async with searching:
        return await search_in_thread(lambda: setups(wanted), Effort(MOST_WORK))


async def _meetings(parts: ServerParts, row: MatchRow) -> list[Meetings]:
    """Return the scores of a match's bots against each other, in the order of its seats."""
    if not 2 <= len(row.bots) <= MET:
        return []
    found = []
    for number, bot in enumerate(row.bots[:-1]):
        pairs = await parts.store.head_to_head(row.setup.leaderboard, bot)
        for other in row.bots[number + 1 :]:
            pair = next((pair for pair in pairs if {pair.first, pair.second} == {bot, other}), None)
            if pair is not None:
                ours = pair if pair.first == bot else pair.flipped()
                found.append(Meetings(bot, other, ours.wins, ours.draws, ours.losses))
    return found


async def known_match(parts: ServerParts, match: str) -> MatchRow:
    """Return the match, for a path. Raises ApiError 404."""
    row = await parts.store.match(match)
    if row is None:
        raise unknown_match(match)
    return row


def _item(row: MatchRow, kind: type[M], **more: Any) -> M:
    """Return the row for a list, or, with `more`, by itself."""
    stored = {field.name: getattr(row, field.name) for field in fields(row)}
    shown = {"title": title_of(row.game), "seats": _seats(row), "time": row.setup.time, "rated": row.rated}
    shown["times"] = [] if row.setup.times is UNSET else row.setup.times
    return msgspec.convert(stored | shown | more, kind)


def _seats(row: MatchRow) -> list[SeatOf]:
    if row.game in games():
        return row.setup.seats()
    return [SeatOf(name=f"seat {seat}", bot=bot) for seat, bot in enumerate(row.bots)]  # it was uninstalled since


async def while_here(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`; cancel it if the client disconnects before. The body must have been read."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():  # the client is gone, as above
            raise ApiError(400, "unreadable", "the client disconnected before there was an answer")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.wait({working, leaving})


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
