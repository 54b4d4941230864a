"""Pictures of matches to be shared: `/match/ID/board.svg`, `/match/ID/preview.png` of 1200 by 630, and
`/match/ID/animation.gif` of a finished match.

They are beside the page's address of the match, outside the API, and have the readers that the match has. They are
drawn in a thread, a few at a time, and the newest are kept.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palio_rules.records.record import Ply, Record, Setup
from palio_server import live
from palio_server.api.answers import ApiError
from palio_server.api.identity import admit_reader
from palio_server.api.matches import known_match
from palio_server.api.operations import Resource, read_parameters
from palio_server.api.quotas import ANIMATION, PICTURE
from palio_server.api.records import ReplayCache
from palio_server.api.remote_matches import stored
from palio_server.app_state import ServerParts
from palio_server.live.animation import gif
from palio_server.live.card import card_svg, png
from palio_server.live.match_live import MatchLive
from palio_server.live.picture import draw
from palio_server.live.replay import ended, replay_record, without_record

CACHE_BYTES = 16 * 2**20
AT_ONCE = 2  # drawings; a PNG takes a tenth of a second
ANIMATIONS_BYTES = 32 * 2**20  # an animation has 3 kB a ply
ANIMATIONS_WAITING = 8  # that are drawn, one at a time, or wait; each may take five seconds of a core
RETRY_S = 10
OVER_S, RUNNING_S = 86_400, 5  # seconds for which caches may keep a picture

Summarise = Callable[[], live.Summary]
Drawing = Callable[[Summarise], bytes | None]


class Asked(msgspec.Struct, frozen=True):
    """The parameters of a picture: the position after so many plies, at most the newest one."""

    match: str
    ply: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None


class AskedAnimation(msgspec.Struct, frozen=True):
    """The parameters of an animation."""

    match: str


class Pictures:
    """The drawn pictures, of which the newest are kept. At most `waiting` requests draw or wait at the same time."""

    def __init__(self, limit: int = CACHE_BYTES, at_once: int = AT_ONCE, waiting: int | None = None) -> None:
        self._kept = ReplayCache(limit)
        self._drawing = asyncio.Semaphore(at_once)
        self._room = waiting

    def kept(self, key: str) -> bytes | None:
        """Return the picture `key` if it need not be drawn."""
        return self._kept.get(key)

    async def of(self, key: str, draw_it: Callable[[], bytes | None]) -> bytes | None:
        """Return the picture `key`; None if it cannot be drawn. Raises ApiError 429 if too many wait."""
        if (kept := self._kept.get(key)) is not None:
            return kept
        if self._room == 0:
            reason = "too many animations are being drawn; try again in a few seconds"
            raise ApiError(429, "busy", reason, {"Retry-After": str(RETRY_S)})
        with self._place():
            async with self._drawing:
                found = self._kept.get(key) or await asyncio.to_thread(draw_it)
        if found is not None:
            self._kept.put(key, found)
        return found

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self._room is None:
            yield
            return
        self._room -= 1
        try:
            yield
        finally:
            self._room += 1


def routes() -> list[BaseRoute]:
    """Return the addresses of pictures; each but the animation takes `?ply=`."""
    pictures, animations = Pictures(), Pictures(ANIMATIONS_BYTES, 1, ANIMATIONS_WAITING)
    kinds = {"board.svg": (_board, "image/svg+xml"), "preview.png": (_preview, "image/png")}
    found: list[BaseRoute] = [
        Route(f"/match/{{match}}/{name}", Resource(dict.fromkeys(("GET", "HEAD"), partial(_answer, pictures, *kind))))
        for name, kind in kinds.items()
    ]
    animated = Resource(dict.fromkeys(("GET", "HEAD"), partial(_animate, animations)))
    return [*found, Route("/match/{match}/animation.gif", animated)]


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
    return _sent(request, picture, media, OVER_S if version.startswith("over") else RUNNING_S)


async def _animate(animations: Pictures, request: Request) -> Response:
    parts: ServerParts = request.app.state.parts
    await admit_reader(request, parts.access)
    match = msgspec.convert(read_parameters(request, AskedAnimation), AskedAnimation).match
    request.app.state.work.pay(request, PICTURE if animations.kept(match) is not None else ANIMATION)
    record = await parts.store.record(match)
    if record is None:
        row = await known_match(parts, match)
        reason = f"match {match} is {row.status}; an animation is made of a finished match, preview.png of any"
        raise ApiError(409, "not-finished", reason)
    moving = await animations.of(match, partial(_animation, record))
    if moving is None:
        reason = "this server cannot make animations: install resvg-py and pillow beside it; board.svg works"
        raise ApiError(501, "no-pictures", reason)
    return _sent(request, moving, "image/gif", OVER_S)


def _sent(request: Request, picture: bytes, media: str, keep_s: int) -> Response:
    """Return the picture, or that the browser has it already."""
    private = request.app.state.parts.access.private
    tag = f'"{blake2b(picture, digest_size=12).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": f"{'private' if private else 'public'}, max-age={keep_s}"}
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


def _animation(record: Record) -> bytes | None:
    found = replay_record(record)
    if found.views[0].scene is None:
        title = found.summary.title
        raise ApiError(404, "no-picture", f"{title} shows its positions as text, there is no picture of them")
    return gif(found)


def _preview(summarise: Summarise) -> bytes | None:
    return png(card_svg(summarise()))
