"""Viewers' WebSockets: `/ws/live` for the lobby, `/ws/live/{match}` for one match.

A connection stays open for as long as the viewer likes. After `finished` it is quiet: a program that only wants this
match hangs up, a page keeps its picture and does not connect again and again. A match that waits to be played may be
watched before it begins; one from the store gives its snapshot with the result. An unknown one is closed with 4404.
"""

import asyncio
import logging
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from palio_db.errors import StoreError
from palio_server.api.house import House
from palio_server.live.live_hub import LiveHub
from palio_server.live.match_live import MatchLive
from palio_server.live.replay import ended, without_record
from palio_server.live.viewers import Viewer, keep_little
from palio_server.network.websocket_protocol import WebSocketProtocol, socket_of

log = logging.getLogger(__name__)

UNKNOWN, POLICY, LATER = 4404, 1008, 1013  # WebSocket close codes
CHATTER = 64  # messages from a viewer, who has nothing to say, before we hang up


@dataclass(frozen=True, slots=True)
class LobbyFeed:
    """ASGI endpoint of the lobby."""

    hub: LiveHub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        socket, viewer = await _accept(scope, receive, send)
        with self.hub.watching_lobby(viewer):
            await _until_gone(socket, viewer, receive)


@dataclass(frozen=True, slots=True)
class MatchFeed:
    """ASGI endpoint of a match."""

    hub: LiveHub
    house: House

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match: str = scope["path_params"]["match"]
        socket, viewer = await _accept(scope, receive, send)
        try:
            remembered = None if self.house.feed.find(match) else await self._remembered(match)
        except StoreError as error:
            log.warning("a viewer of match %s could not be served: %s", match, error)
            socket.hang_up(LATER, "the database does not answer now; try again in a while")
            await _until_gone(socket, viewer, receive)
            return
        found = self.house.feed.find(match) or remembered  # it may have begun while the store was asked
        if found is None:
            socket.hang_up(UNKNOWN, f"there is no match {match[:40]!r}; /api/matches lists them")
            await _until_gone(socket, viewer, receive)
            return
        with self.hub.watching_match(found, viewer):
            await _until_gone(socket, viewer, receive)

    async def _remembered(self, match: str) -> MatchLive | None:
        """The match as the store knows it: finished, or still to be played."""
        if not match.isalnum():  # no identity; one with a NUL in it would be a database's error
            return None
        record = await self.house.store.record(match)
        if record is not None:
            return await asyncio.to_thread(ended, record)
        row = await self.house.store.match(match)
        return None if row is None else without_record(row)


async def _accept(scope: Scope, receive: Receive, send: Send) -> tuple[WebSocketProtocol, Viewer]:
    socket = socket_of(scope)
    await receive()  # websocket.connect
    await send({"type": "websocket.accept"})
    keep_little(socket)
    viewer = Viewer(socket)
    socket.flow = viewer.flow
    return socket, viewer


async def _until_gone(socket: WebSocketProtocol, viewer: Viewer, receive: Receive) -> None:
    heard = 0
    try:
        while (await receive())["type"] != "websocket.disconnect":
            heard += 1
            if heard > CHATTER:
                socket.hang_up(POLICY, "viewers only listen; /api/docs says how to start and stop matches")
    finally:
        viewer.lost()
