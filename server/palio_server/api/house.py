"""What the HTTP side needs of a running server."""

from typing import Annotated, Protocol

from fastapi import Depends, Request

from palio_db.store import Store
from palio_server.access import Access
from palio_server.arena import Arena
from palio_server.bus import Bus
from palio_server.live.feed import Feed
from palio_server.lobby import Lobby
from palio_server.settings import Settings


class House(Protocol):
    """The parts of a running server; `palio_server.house` has them all."""

    @property
    def settings(self) -> Settings: ...
    @property
    def store(self) -> Store: ...
    @property
    def bus(self) -> Bus: ...
    @property
    def lobby(self) -> Lobby: ...
    @property
    def access(self) -> Access: ...
    @property
    def feed(self) -> Feed: ...
    @property
    def arena(self) -> Arena: ...


def _house(request: Request) -> House:
    house: House = request.app.state.house
    return house


Parts = Annotated[House, Depends(_house)]  # what endpoints ask for
