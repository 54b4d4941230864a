"""Viewers' WebSockets: `/ws/live` for the lobby, `/ws/live/{match}` for one match.

A connection stays open for as long as the viewer likes. After `finished` it is quiet: a program that only wants this
match hangs up, a page keeps its picture and does not connect again and again. A match that waits to be played may be
watched before it begins; one from the store gives its snapshot with the result. An unknown one is closed with 4404.
"""

import asyncio
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from palio_server.api.house import House
from palio_server.live_hub import LiveHub
from palio_server.match_live import MatchLive
from palio_server.replay import ended
from palio_server.viewers import Viewer, keep_little
from palio_server.websocket_protocol import socket_of

UNKNOWN = 4404


@dataclass(frozen=True, slots=True)
class LobbyFeed:
    """ASGI endpoint of the lobby."""

    hub: LiveHub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        viewer = await _accept(scope, receive, send)
        with self.hub.watching_lobby(viewer):
            await _until_gone(viewer, receive)


@dataclass(frozen=True, slots=True)
class MatchFeed:
    """ASGI endpoint of a match."""

    hub: LiveHub
    house: House

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match: str = scope["path_params"]["match"]
        viewer = await _accept(scope, receive, send)
        remembered = None if self.house.feed.find(match) else await self._remembered(match)
        found = self.house.feed.find(match) or remembered  # it may have begun while the store was asked
        if found is None:
            socket_of(scope).hang_up(UNKNOWN, f"there is no match {match[:40]!r}; /api/matches lists them")
            await _until_gone(viewer, receive)
            return
        with self.hub.watching_match(found, viewer):
            await _until_gone(viewer, receive)

    async def _remembered(self, match: str) -> MatchLive | None:
        """The match as the store knows it: finished, or still to be played."""
        record = await self.house.store.record(match)
        if record is not None:
            return await asyncio.to_thread(ended, record)
        row = await self.house.store.match(match)
        return None if row is None else MatchLive(row.id, row.setup, row.event)


async def _accept(scope: Scope, receive: Receive, send: Send) -> Viewer:
    socket = socket_of(scope)
    await receive()  # websocket.connect
    await send({"type": "websocket.accept"})
    keep_little(socket)
    viewer = Viewer(socket)
    socket.tap(viewer.hear, viewer.flow)
    return viewer


async def _until_gone(viewer: Viewer, receive: Receive) -> None:
    try:
        while (await receive())["type"] != "websocket.disconnect":
            pass  # said before the tap; there is nothing to say
    finally:
        viewer.lost()
