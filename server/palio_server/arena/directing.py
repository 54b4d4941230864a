"""What directs one tournament, as whoever has many of them sees it."""

import logging
from collections.abc import Awaitable, Callable
from typing import Protocol

from palio_db.event_values import Entry
from palio_db.store import Store
from palio_server.arena.arena import Arena
from palio_server.arena.running_tournament import RunningTournament
from palio_server.lobby.lobby import Lobby
from palio_server.tournament.event import Event
from palio_server.tournament.format import Format

log = logging.getLogger(__name__)

GRACE_S = 60.0  # how long a bot may stay away before it forfeits, unless the event says otherwise


class Director(Protocol):
    """One tournament while this process directs it: a `RunningTournament`."""

    @property
    def event(self) -> Event: ...
    @property
    def format(self) -> Format: ...

    async def play(self) -> None:
        """Return when it is over; its stage has been set to finished then."""

    async def enter(self, entry: Entry) -> None: ...

    async def withdraw(self, bot: str) -> bool:
        """False if nothing would be left to play."""

    async def extend(self, rounds: int) -> None:
        """Raises BadOption if that cannot be."""

    async def pause(self) -> None:
        """Take what has not begun off the list; `play` returns soon."""

    async def cancel(self) -> None:
        """Call off what is not over; `play` returns soon."""

    def close(self) -> None:
        """Hear no more of matches."""


Direct = Callable[[int], Awaitable[Director]]  # by the number of a tournament in the store


def directing(store: Store, arena: Arena, lobby: Lobby) -> Direct:
    """Opens tournaments of the store, to be played in the arena."""

    async def direct(number: int) -> Director:
        def say(line: str) -> None:
            log.info("tournament %d: %s", number, line, extra={"tournament": number})

        row = await store.tournament(number)
        grace_s = GRACE_S if row is None else float(row.settings.get("grace_s", GRACE_S))
        return await RunningTournament.open(store, arena, lobby, number, say=say, grace_s=grace_s)

    return direct
