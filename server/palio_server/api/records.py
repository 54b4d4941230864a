"""What was played in a match: the record for programs, the replay for pages."""

import asyncio
from collections import OrderedDict
from typing import Annotated, Literal

import msgspec
from fastapi import APIRouter, Depends, Request
from fastapi.responses import PlainTextResponse, Response

from palio_rules.errors import BadRecord
from palio_rules.record import Record
from palio_rules.record_text import record_to_text
from palio_server.api.answers import Json, answers
from palio_server.api.errors import ApiError, unknown_match
from palio_server.api.house import House, Parts
from palio_server.api.requests import CheckedQuery
from palio_server.live.replay import Replay, replay, replay_record, without_record

router = APIRouter(prefix="/matches", tags=["matches"], dependencies=[CheckedQuery])

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


def _replays(request: Request) -> ReplayCache:
    cache: ReplayCache = request.app.state.replays
    return cache


@router.get("/{match}/replay", responses=answers(Replay, 404, 409, 422))
async def get_replay(house: Parts, replays: Annotated[ReplayCache, Depends(_replays)], match: str) -> Json:
    """Every position of a match, drawn: of a finished one, or of one in progress as far as it has come."""
    text = replays.get(match)
    if text is None:
        record = await house.store.record(match)
        if record is None:
            return Json(await _unfinished(house, match), headers={"Cache-Control": "no-store"})
        text = await asyncio.to_thread(_encoded, record)
        replays.put(match, text)
    return Json(text, headers={"Cache-Control": "public, max-age=600"})  # it is over: nothing in it will change


@router.get("/{match}/record", responses=answers(Record, 404, 409, 422))
async def get_record(
    house: Parts,
    match: str,
    format: Literal["json", "text"] = "json",  # noqa: A002  # the name in the address
) -> Response:
    """The complete record of a finished match, as docs/records.md describes it."""
    record = await house.store.record(match)
    if record is None:
        if await house.store.match(match) is None:
            raise unknown_match(match)
        raise ApiError(409, "not-finished", f"match {match} has no record before it is finished; ask for its replay")
    if format == "json":
        return Json(record)
    try:
        return PlainTextResponse(await asyncio.to_thread(record_to_text, record))
    except BadRecord as error:
        raise ApiError(409, "bad-record", str(error)) from None


async def _unfinished(house: House, match: str) -> bytes:
    found = house.feed.find(match)
    if found is None:
        row = await house.store.match(match)
        if row is None:
            raise unknown_match(match)
        if row.status == "running":
            raise ApiError(409, "not-here", f"match {match} is played by the server {row.worker!r}; watch it there")
        found = without_record(row)
    snapshot, setup, plies = found.snapshot(), found.setup, tuple(found.plies)
    return await asyncio.to_thread(lambda: msgspec.json.encode(replay(snapshot, setup, plies)))


def _encoded(record: Record) -> bytes:
    return msgspec.json.encode(replay_record(record))
