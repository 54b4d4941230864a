"""Pictures of matches for shared links: `/match/ID/board.svg`, and `/match/ID/preview.png` of 1200 by 630.

They are beside the page's address of the match, outside the API. Both are drawn in a thread, a few at a time, and the
newest are kept.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palio_rules.records.record import Ply, Setup
from palio_server import live
from palio_server.api.answers import ApiError
from palio_server.api.identity import admit_reader
from palio_server.api.matches import known_match
from palio_server.api.operations import Resource, read_parameters
from palio_server.api.quotas import PICTURE
from palio_server.api.records import ReplayCache
from palio_server.api.remote_matches import stored
from palio_server.app_state import ServerParts
from palio_server.live.match_live import MatchLive
from palio_server.live.picture import card_svg, draw, png
from palio_server.live.replay import ended, without_record

CACHE_BYTES = 16 * 2**20
AT_ONCE = 2  # drawings; a PNG takes a tenth of a second
OVER_S, RUNNING_S = 86_400, 5  # seconds for which caches may keep a picture

Summarise = Callable[[], live.Summary]
Drawing = Callable[[Summarise], bytes | None]


class Asked(msgspec.Struct, frozen=True):
    """The parameters of a picture: the position after so many plies, at most the newest one."""

    match: str
    ply: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None


class Pictures:
    """The drawn pictures, of which the newest are kept."""

    def __init__(self) -> None:
        self._kept = ReplayCache(CACHE_BYTES)
        self._drawing = asyncio.Semaphore(AT_ONCE)

    async def of(self, key: str, draw_it: Callable[[], bytes | None]) -> bytes | None:
        """Return the picture `key`; None if it cannot be drawn."""
        if (kept := self._kept.get(key)) is not None:
            return kept
        async with self._drawing:
            found = self._kept.get(key) or await asyncio.to_thread(draw_it)
        if found is not None:
            self._kept.put(key, found)
        return found


def routes() -> list[BaseRoute]:
    """Return the two addresses of pictures; each takes `?ply=`."""
    pictures = Pictures()
    kinds = {"board.svg": (_board, "image/svg+xml"), "preview.png": (_preview, "image/png")}
    return [
        Route(f"/match/{{match}}/{name}", Resource(dict.fromkeys(("GET", "HEAD"), partial(_answer, pictures, *kind))))
        for name, kind in kinds.items()
    ]


async def _answer(pictures: Pictures, draw_it: Drawing, media: str, request: Request) -> Response:
    parts: ServerParts = request.app.state.parts
    await admit_reader(request, parts.access)
    asked = msgspec.convert(read_parameters(request, Asked), Asked)
    request.app.state.work.pay(request, PICTURE)
    match, ply = asked.match, asked.ply
    summarise, version = await _found(parts, match, ply)
    picture = await pictures.of(f"{match} {version} {media}", partial(draw_it, summarise))
    if picture is None:
        raise ApiError(
            501, "no-pictures", "this server cannot make PNG pictures: install resvg-py beside it; board.svg works"
        )
    tag = f'"{blake2b(picture, digest_size=12).hexdigest()}"'
    keep_s = OVER_S if version.startswith("over") else RUNNING_S
    headers = {"ETag": tag, "Cache-Control": f"{'private' if parts.access.private else 'public'}, max-age={keep_s}"}
    if request.headers.get("If-None-Match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(picture, media_type=media, headers=headers)


async def _found(parts: ServerParts, match: str, ply: int | None) -> tuple[Summarise, str]:
    """Return a function for the match as it was after `ply` plies, and a text that differs where the picture may."""
    record = await parts.store.record(match)
    if record is not None:
        if ply is None:
            return lambda: ended(record).summary(), "over"
        return _at(match, record.setup, record.plies, ply, "over")
    found = parts.feed.find(match)
    if found is None:
        row = await known_match(parts, match)
        if parts.others.sharing:
            found = await stored(parts, row)
        elif row.status == "running":
            raise ApiError(409, "not-here", f"match {match} is played by the server {row.worker!r}; ask there")
        else:
            found = without_record(row)
    version = f"{found.seq} {found.ply}"  # of a match on another server only its plies are counted here
    if ply is None:
        summary = found.summary()
        return lambda: summary, version
    return _at(match, found.setup, tuple(found.plies), ply, version)


def _at(match: str, setup: Setup, plies: Sequence[Ply], ply: int, version: str) -> tuple[Summarise, str]:
    """Return the same as `_found`; all plies beyond the last one are one picture, for any number of addresses."""
    shown = min(ply, len(setup.opening) + len(plies))
    return partial(_after, match, setup, plies, shown), f"{version} {shown}"


def _after(match: str, setup: Setup, plies: Sequence[Ply], ply: int) -> live.Summary:
    """Return the match after `ply` plies, those of its opening included; it had no result then."""
    return MatchLive(match, setup, journal=plies[: max(0, ply - len(setup.opening))]).summary()


def _board(summarise: Summarise) -> bytes | None:
    summary = summarise()
    if summary.view.scene is None:
        raise ApiError(404, "no-picture", f"{summary.title} shows its positions as text, there is no picture of them")
    names = [seat.name for seat in summary.seats]
    return draw(summary.view.scene, names, summary.view.seat or 0).svg().encode()


def _preview(summarise: Summarise) -> bytes | None:
    return png(card_svg(summarise()))
