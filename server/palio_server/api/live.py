"""Viewers' WebSockets: `/ws/live` for the lobby, `/ws/live/{match}` for one match.

A connection stays open for as long as the viewer likes. After `finished` it is quiet: a program that only wants this
match disconnects, a page keeps its picture and does not connect again and again. A match that waits to be played may be
watched before it begins; one from the store gives its snapshot with the result. A viewer who comes between its claim
and its beginning, or before it is taken up again after a restart, waits for a while. An unknown match is closed with
4404.
"""

import asyncio
import logging
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial

import msgspec
from starlette.requests import HTTPConnection, Request
from starlette.types import Receive, Scope, Send

from palio_db.errors import StoreError
from palio_rules.backoff import Backoff
from palio_rules.contract.endpoints import LATER, POLICY, UNKNOWN
from palio_rules.errors import nearest
from palio_server.api.answers import ApiError, Json, unknown_match
from palio_server.api.identity import address_of, admit_reader
from palio_server.api.operations import Routes
from palio_server.api.remote_matches import remote_snapshot
from palio_server.app_state import ServerParts
from palio_server.edge.budgets import TooMuch
from palio_server.live.live_hub import BUFFER, LiveHub, Viewer
from palio_server.live.lobby_views import MOST_BOARDS, LobbyWish
from palio_server.live.match_live import MatchLive
from palio_server.live.mirror import MatchMirror
from palio_server.live.replay import ended, without_record
from palio_server.lobby.access import Access, AccessDenied
from palio_server.network.handshake import NOT_KEPT, handshake_of
from palio_server.network.websocket import WebSocket

# seconds that a viewer waits until a match that is being played has been begun, or taken up again, here
TAKEN_UP_S = 10.0

routes = Routes("live")

log = logging.getLogger(__name__)


class Admission(msgspec.Struct, frozen=True):
    """The answer whether a WebSocket would be opened. If not, `reason` says why not, and that it may be tried again in
    `retry_s` seconds.
    """

    open: bool
    reason: str = ""
    retry_s: int = 0


@routes.get("/live", Admission)
async def get_admission(request: Request, *, player: bool = False) -> Json:
    """Return whether this server takes one more viewer from the asker's address, and why not.

    `player`: whether it opens a WebSocket for a person who plays, which needs no viewer's place. For pages: a browser
    does not tell them with what status a WebSocket was refused.
    """
    entrance, address = request.app.state.entrance, address_of(request)
    limit = entrance.flood_limit(address) if player else entrance.viewers_limit(address)
    found = Admission(open=True) if limit is None else Admission(False, str(limit), limit.retry_s)
    return Json(found, headers=NOT_KEPT)


@dataclass(frozen=True, slots=True)
class LobbyFeed:
    """ASGI endpoint of the lobby."""

    hub: LiveHub
    parts: ServerParts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with _reading(scope, self.parts.access) as admitted:
            if admitted is not None:
                socket, viewer = admitted
                try:
                    wish = _wish_of(scope)
                except ValueError as error:
                    socket.close(POLICY, str(error))
                    await _until_gone(socket, viewer)
                    return
                with self.hub.watching_lobby(viewer, wish):
                    await _until_gone(socket, viewer)


_HEARTBEAT = "heartbeat"
_ASKED = ("boards", "event", "bot", "game", _HEARTBEAT)  # parameters of the lobby


def _wish_of(scope: Scope) -> LobbyWish:
    """Return the part of the lobby that a viewer asks for. Raises ValueError, short enough for a close frame."""
    query = HTTPConnection(scope).query_params
    for name in query:
        if name not in _ASKED:
            raise ValueError(f"unknown parameter {name[:20]!r}; {nearest(name, _ASKED)}")
    boards = _number(query.get("boards"), f"boards is a number from 0 to {MOST_BOARDS}", MOST_BOARDS)
    event = _number(query.get("event"), "event is the number of a tournament", 999_999_999)
    return LobbyWish(boards, event, query.get("bot", "")[:100], query.get("game", "")[:100])


def _number(given: str | None, meant: str, most: int) -> int | None:
    """Return a number of a query, None if it is not given. Raises ValueError, with what is `meant`."""
    if given is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", given, re.ASCII) or int(given) > most:
        raise ValueError(f"{meant}, not {given[:20]!r}; without it all are sent")
    return int(given)


class _NotHereYet(Exception):
    """The match is in progress, but no server has reported it since this one was started."""


@dataclass(frozen=True, slots=True)
class MatchFeed:
    """ASGI endpoint of a match."""

    hub: LiveHub
    parts: ServerParts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match: str = scope["path_params"]["match"]
        async with _reading(scope, self.parts.access) as admitted:
            if admitted is not None:
                await self._show(match, *admitted)

    async def _show(self, match: str, socket: WebSocket, viewer: Viewer) -> None:
        found: MatchLive | MatchMirror | None = None
        try:
            found = await self._find(match, socket)
        except _NotHereYet:
            socket.close(LATER, "the match is being taken up again; try again in a moment")
        except StoreError as error:
            log.warning("a viewer of match %s could not be served: %s", match, error, extra={"match": match})
            socket.close(LATER, "the database does not answer now; try again in a while")
        else:
            if found is None:
                socket.close(UNKNOWN, str(unknown_match(match)))
        with self.hub.watching_match(found, viewer) if found else nullcontext():
            await _until_gone(socket, viewer)

    async def _find(self, match: str, socket: WebSocket) -> MatchLive | MatchMirror | None:
        """Return the match; None if there is none. Raises StoreError, and _NotHereYet after a while."""
        pauses, loop = Backoff(), asyncio.get_running_loop()
        end = loop.time() + TAKEN_UP_S
        while True:
            if (known := self.parts.feed.find(match) or self.hub.mirrored(match)) is not None:
                return known
            try:
                remembered = await self._remembered(match)
            except _NotHereYet:
                left = end - loop.time()
                if left <= 0 or socket.gone.is_set():
                    raise
                await self.parts.feed.opened(match, min(left, pauses.next()))
            else:
                return self.parts.feed.find(match) or remembered  # it may have begun while the store was asked

    async def _remembered(self, match: str) -> MatchLive | MatchMirror | None:
        """Return the match from the store, finished or still to be played; or from the server that plays it."""
        if not match.isalnum():  # not an identity; one with a NUL in it would cause a database error
            return None
        record, row = await self.parts.store.outline(match), await self.parts.store.match(match)
        if row is None:
            return None
        if row.status in ("running", "scheduled") and self.parts.others.sharing:
            if (mirror := await self.hub.mirror(match, partial(remote_snapshot, self.parts, match))) is None:
                raise _NotHereYet  # the match is there, but the database did not give its state
            return mirror
        # a restart: a viewer who came now would never see the plies until now
        if record is None and row.status == "running":
            raise _NotHereYet
        if record is None:
            return without_record(row)
        return await asyncio.to_thread(ended, record, row.tournament)


@asynccontextmanager
async def _reading(scope: Scope, access: Access) -> AsyncIterator[tuple[WebSocket, Viewer] | None]:
    """Yield an accepted socket and its viewer; None, after a refusal, if there is no room or it may not read."""
    token, refusal = None, None
    try:
        token = await admit_reader(HTTPConnection(scope), access)
    except (AccessDenied, ApiError) as error:
        refusal = (POLICY, error.code)
    except TooMuch as error:
        refusal = (LATER, str(error))
    except StoreError as error:
        log.warning("a viewer could not be let in: %s", error)
        refusal = (LATER, "the database does not answer now; try again in a while")
    if (accepted := _accept(scope)) is None:
        yield None
        return
    socket, viewer = accepted
    if refusal is not None:
        socket.close(*refusal)
        await _until_gone(socket, viewer)
        yield None
        return
    with access.readers.reading(token, socket.close):
        yield socket, viewer


def _accept(scope: Scope) -> tuple[WebSocket, Viewer] | None:
    """Return the viewer, if there is room for one more."""
    handshake = handshake_of(scope)
    if not handshake.visit.take_viewer_share():
        limit = handshake.visit.viewers_limit()
        assert limit is not None  # nothing has been awaited since
        handshake.refuse(503, limit.code, str(limit), {"Retry-After": str(limit.retry_s)})
        return None
    socket = handshake.accept()
    socket.keep_little(BUFFER)
    viewer = Viewer(socket, beats=HTTPConnection(scope).query_params.get(_HEARTBEAT) == "1")
    socket.listen(viewer)
    return socket, viewer


async def _until_gone(socket: WebSocket, viewer: Viewer) -> None:
    try:
        await socket.gone.wait()
    finally:
        viewer.lost()
