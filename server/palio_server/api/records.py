"""The record of a match for programs, the replay for pages; and later analyses."""

import asyncio
from collections import OrderedDict
from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from palio_db.values import Act, Actor
from palio_rules.contract.topics import match_event
from palio_rules.errors import BadRecord
from palio_rules.records.forms import record_in
from palio_rules.records.record import ANALYSIS_FORMAT, Analysis, Ply, Record, Setup
from palio_server import live
from palio_server.api.answers import ApiError, Json
from palio_server.api.matches import known_match
from palio_server.api.operations import Routes
from palio_server.api.positions import PositionItem, position_item
from palio_server.api.quotas import SEARCH
from palio_server.api.remote_matches import stored
from palio_server.app_state import ServerParts
from palio_server.arena.analysis_queue import AnalysisState, QueueFull
from palio_server.live.match_live import MatchLive
from palio_server.live.replay import Replay, position_at, replay, replay_record, without_record
from palio_server.lobby.access import MATCHES

routes = Routes("matches")

ANALYSIS_BYTES = 8 * 2**20  # a ply takes some 150: room for a race of 64 entrants, 800 plies each
CACHE_BYTES = 32 * 2**20  # of replays in JSON; a long match has a megabyte


class ReplayCache:
    """The replays of finished matches that were requested last, within a limit of bytes."""

    def __init__(self, limit: int = CACHE_BYTES) -> None:
        self._limit, self._size = limit, 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def get(self, match: str) -> bytes | None:
        if match in self._kept:
            self._kept.move_to_end(match)
        return self._kept.get(match)

    def put(self, match: str, text: bytes) -> None:
        self._size += len(text) - len(self._kept.pop(match, b""))
        self._kept[match] = text
        while self._size > self._limit:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest)


@routes.get("/matches/{match}/replay", Replay, 404, 409)
async def get_replay(parts: ServerParts, request: Request, match: str) -> Json:
    """Return every position of a match, drawn: of a finished one, or of one in progress up to now."""
    replays: ReplayCache = request.app.state.replays
    text = replays.get(match)
    if text is None:
        record = await parts.store.record(match)
        if record is None:
            return Json(await _unfinished(parts, match), headers={"Cache-Control": "no-store"})
        tournament = (await known_match(parts, match)).tournament
        text = await asyncio.to_thread(lambda: msgspec.json.encode(replay_record(record, tournament)))
        replays.put(match, text)
    return Json(text, headers={"Cache-Control": "public, max-age=600"})  # it is over: nothing in it will change


@routes.get("/matches/{match}/positions/{ply}", PositionItem, 404, 409)
async def get_match_position(parts: ServerParts, match: str, ply: int, seat: int | None = None) -> Json:
    """Return the position after `ply` plies with its possible moves, to try others from there.

    In a race it is the board of the entrant `seat`, or of the one that played the ply. 409 while people play each other
    in the match.
    """
    record = await parts.store.record(match)
    if match in parts.tables.between_people():
        raise ApiError(409, "between-people", f"people play each other in match {match}; try its moves after its end")
    setup, plies = (record.setup, record.plies) if record else await _played(parts, match)
    try:
        state = await asyncio.to_thread(position_at, setup, plies, ply, seat)
        return Json(await asyncio.to_thread(position_item, setup.rules(), state))
    except ValueError as error:
        raise ApiError(404, "unknown-ply", str(error)) from None


_KINDS = {"text": "text/plain", "pgn": "application/vnd.chess-pgn", "sgf": "application/x-go-sgf"}


@routes.get("/matches/{match}/record", Record, 404, 409, texts=_KINDS.values())
async def get_record(
    parts: ServerParts,
    match: str,
    format: Literal["json", "text", "pgn", "sgf"] = "json",  # noqa: A002  # the name in the address
) -> Response:
    """Return the complete record of a finished match, as docs/reference/records.md describes it.

    `pgn` is for matches of chess, `sgf` for those of Go; `texts` of `/api/games` says which a game has.
    """
    record = await parts.store.record(match)
    if record is None:
        await known_match(parts, match)
        raise ApiError(409, "not-finished", f"match {match} has no record before it is finished; ask for its replay")
    if format == "json":
        return Json(record)
    try:
        text = await asyncio.to_thread(record_in, format, record)
    except BadRecord as error:
        raise ApiError(409, "bad-record", str(error)) from None
    return Response(text, media_type=f"{_KINDS[format]}; charset=utf-8")


async def _played(parts: ServerParts, match: str) -> tuple[Setup, tuple[Ply, ...]]:
    """Return the setup of a match that is not finished, and its plies so far. Raises ApiError."""
    found = await _live(parts, match)
    return found.setup, tuple(found.plies)


async def _unfinished(parts: ServerParts, match: str) -> bytes:
    found = await _live(parts, match)
    snapshot, setup, plies = found.snapshot(), found.setup, tuple(found.plies)
    return await asyncio.to_thread(lambda: msgspec.json.encode(replay(snapshot, setup, plies)))


async def _live(parts: ServerParts, match: str) -> MatchLive:
    found = parts.feed.find(match)
    if found is None:
        row = await known_match(parts, match)
        if parts.others.sharing:
            found = await stored(parts, row)
        elif row.status == "running":
            raise ApiError(409, "not-here", f"match {match} is played by the server {row.worker!r}; watch it there")
        else:
            found = without_record(row)
    return found


@routes.get("/matches/{match}/analysis", Analysis | None, 404)
async def get_analysis(parts: ServerParts, match: str) -> Json:
    """Return the analysis of each ply, by number; null until the match is analysed."""
    found = await parts.store.analysis(match)
    if found is None:
        await known_match(parts, match)
    return Json(found, headers={"Cache-Control": "no-store"})  # a longer analysis may replace it


@routes.operation("PUT", "/matches/{match}/analysis", Analysis, 404, 409, scope=MATCHES, most=ANALYSIS_BYTES)
async def put_analysis(parts: ServerParts, actor: Actor, match: str, body: Analysis) -> Json:
    """Keep an analysis, in place of an earlier one, and tell the match's viewers.

    Needs a token of scope `matches`, unless the server is open.
    """
    await _check(parts, match, body)
    await parts.store.keep_analysis(body)
    await parts.store.log_act(Act("analysis kept", f"match {match}"), actor)
    analysed = live.Analysed(match)
    parts.bus.publish(match_event(match), msgspec.json.encode(analysed), analysed)
    return Json(body)


async def _check(parts: ServerParts, match: str, analysis: Analysis) -> None:
    """Refuse a body that cannot be an analysis of this match."""
    row = await known_match(parts, match)
    if row.status != "finished":
        raise ApiError(409, "not-finished", f"match {match} is {row.status}; only a finished match can be analysed")
    if analysis.match != match:
        raise ApiError(422, "bad-value", f"this is an analysis of match {analysis.match[:40]!r}; put it there")
    if analysis.format != ANALYSIS_FORMAT:
        raise ApiError(
            422, "bad-value", f"the format is {analysis.format[:40]!r}, this server keeps {ANALYSIS_FORMAT!r}"
        )
    last = (row.plies or 0) + len(row.setup.opening)
    numbers = [ply.ply for ply in analysis.plies]
    if numbers != sorted(set(numbers)) or (numbers and numbers[-1] > last):
        raise ApiError(422, "bad-value", f"plies come in order, each once, from 0 to {last}; these do not")


@routes.get("/matches/{match}/analyse", AnalysisState, 404)
async def get_analysis_state(parts: ServerParts, match: str) -> Json:
    """Return the progress of an analysis that this server was asked for."""
    await known_match(parts, match)
    found = parts.analyses.state(match, kept=await parts.store.analysis(match) is not None)
    return Json(found, headers={"Cache-Control": "no-store"})


@routes.operation("POST", "/matches/{match}/analyse", AnalysisState, 404, 409, 429, statuses=(202,), cost=SEARCH)
async def analyse_match(parts: ServerParts, match: str) -> Json:
    """Let the server analyse a finished match, once: its viewers are told when it is done.

    Needs no token: matches wait in a short queue and are analysed one at a time, for two minutes at most.
    """
    record = await parts.store.record(match)
    if record is None:
        row = await known_match(parts, match)
        raise ApiError(409, "not-finished", f"match {match} is {row.status}; only a finished match can be analysed")
    if await parts.store.analysis(match) is not None:
        return Json(parts.analyses.state(match, kept=True), 202)
    try:
        return Json(parts.analyses.ask(record), 202)
    except QueueFull as error:
        raise ApiError(429, "queue-full", str(error), {"Retry-After": "60"}) from None
