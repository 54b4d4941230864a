"""What was played in a match, the record for programs, the replay for pages; and what was found out about it later."""

import asyncio
from collections import OrderedDict
from typing import Literal

import msgspec
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from palio_db.values import Act, Actor
from palio_rules.contract.topics import match_event
from palio_rules.errors import BadRecord
from palio_rules.records.record import ANALYSIS_FORMAT, Analysis, Record
from palio_rules.records.text import record_to_text
from palio_server import live
from palio_server.api.answers import ApiError, Json
from palio_server.api.elsewhere import stored
from palio_server.api.matches import known_match
from palio_server.api.operations import Routes
from palio_server.api.quotas import SEARCH
from palio_server.arena.analysis_queue import AnalysisState, QueueFull
from palio_server.live.replay import Replay, replay, replay_record, without_record
from palio_server.lobby.access import MATCHES
from palio_server.parts import ServerParts

routes = Routes("matches")

ANALYSIS_BYTES = 8 * 2**20  # a ply takes some 150: room for a race of 64 entrants, 800 plies each
CACHE_BYTES = 32 * 2**20  # of replays in JSON; a long match has a megabyte


class ReplayCache:
    """The replays of finished matches that were asked for last, within a limit of bytes."""

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
    """Every position of a match, drawn: of a finished one, or of one in progress as far as it has come."""
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


@routes.get("/matches/{match}/record", Record, 404, 409, texts=["text/plain"])
async def get_record(
    parts: ServerParts,
    match: str,
    format: Literal["json", "text"] = "json",  # noqa: A002  # the name in the address
) -> Response:
    """The complete record of a finished match, as docs/records.md describes it."""
    record = await parts.store.record(match)
    if record is None:
        await known_match(parts, match)
        raise ApiError(409, "not-finished", f"match {match} has no record before it is finished; ask for its replay")
    if format == "json":
        return Json(record)
    try:
        return PlainTextResponse(await asyncio.to_thread(record_to_text, record))
    except BadRecord as error:
        raise ApiError(409, "bad-record", str(error)) from None


async def _unfinished(parts: ServerParts, match: str) -> bytes:
    found = parts.feed.find(match)
    if found is None:
        row = await known_match(parts, match)
        if parts.node is not None:
            found = await stored(parts, row)
        elif row.status == "running":
            raise ApiError(409, "not-here", f"match {match} is played by the server {row.worker!r}; watch it there")
        else:
            found = without_record(row)
    snapshot, setup, plies = found.snapshot(), found.setup, tuple(found.plies)
    return await asyncio.to_thread(lambda: msgspec.json.encode(replay(snapshot, setup, plies)))


@routes.get("/matches/{match}/analysis", Analysis | None, 404)
async def get_analysis(parts: ServerParts, match: str) -> Json:
    """What is known of each ply, by number; null as long as nobody has analysed the match."""
    found = await parts.store.analysis(match)
    if found is None:
        await known_match(parts, match)
    return Json(found, headers={"Cache-Control": "no-store"})  # a longer look may replace it


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
    """Refuse what cannot be an analysis of this match."""
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
    """How far an analysis is that this server was asked for."""
    await known_match(parts, match)
    found = parts.analyses.state(match, kept=await parts.store.analysis(match) is not None)
    return Json(found, headers={"Cache-Control": "no-store"})


@routes.operation("POST", "/matches/{match}/analyse", AnalysisState, 404, 409, 429, statuses=(202,), cost=SEARCH)
async def analyse_match(parts: ServerParts, match: str) -> Json:
    """Have the server analyse a finished match, once: its viewers hear of it when it is done.

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
