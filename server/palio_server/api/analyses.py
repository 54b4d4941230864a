"""`/api/matches/{match}/analysis`: what was found out when a finished match was looked at again."""

from fastapi import APIRouter, Request

from palio_rules import live
from palio_rules.analysis import FORMAT, Analysis
from palio_server.access import MATCHES
from palio_server.api.answers import WITH_TOKEN, Json, answers, shape
from palio_server.api.errors import ApiError, unknown_match
from palio_server.api.house import House, Parts
from palio_server.api.requests import CheckedQuery, bearer, read_body
from palio_server.bus.topics import match_event

router = APIRouter(prefix="/matches", tags=["matches"], dependencies=[CheckedQuery])

MAX_BYTES = 8 * 2**20  # a ply takes some 150: room for a race of 64 entrants, 800 plies each


@router.get("/{match}/analysis", responses=answers(Analysis | None, 404, 422))
async def get_analysis(house: Parts, match: str) -> Json:
    """What is known of each ply, by number; null as long as nobody has analysed the match."""
    found = await house.store.analysis(match)
    if found is None and await house.store.match(match) is None:
        raise unknown_match(match)
    return Json(found, headers={"Cache-Control": "no-store"})  # a longer look may replace it


@router.put(
    "/{match}/analysis",
    responses=answers(Analysis, 400, 401, 403, 404, 409, 413, 422),
    openapi_extra={"security": WITH_TOKEN, "requestBody": {"required": True, "content": shape(Analysis)}},
)
async def put_analysis(house: Parts, request: Request, match: str) -> Json:
    """Keep an analysis, in place of an earlier one, and tell the match's viewers.

    Needs a token of scope `matches`, unless the server is open.
    """
    await house.access.allow(bearer(request), MATCHES)
    analysis = await read_body(request, Analysis, most=MAX_BYTES)
    await _check(house, match, analysis)
    await house.store.keep_analysis(analysis)
    house.bus.publish(match_event(match), live.to_json(live.Analysed(match)))
    return Json(analysis)


async def _check(house: House, match: str, analysis: Analysis) -> None:
    """Refuse what cannot be an analysis of this match."""
    row = await house.store.match(match)
    if row is None:
        raise unknown_match(match)
    if row.status != "finished":
        raise ApiError(409, "not-finished", f"match {match} is {row.status}; only a finished match can be analysed")
    if analysis.match != match:
        raise ApiError(422, "bad-value", f"this is an analysis of match {analysis.match[:40]!r}; put it there")
    if analysis.format != FORMAT:
        raise ApiError(422, "bad-value", f"the format is {analysis.format[:40]!r}, this server keeps {FORMAT!r}")
    last = (row.plies or 0) + len(row.setup.opening)
    numbers = [ply.ply for ply in analysis.plies]
    if numbers != sorted(set(numbers)) or (numbers and numbers[-1] > last):
        raise ApiError(422, "bad-value", f"plies come in order, each once, from 0 to {last}; these do not")
