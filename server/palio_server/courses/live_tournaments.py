"""Tournaments of served courses while they are played: their matches are shown live on this server's page.

Each is played by a process of its own, started by this server, by another one on the same database, or by the staff.
What they share is the database: the matches in progress are looked up there, and those that have viewers are
followed by their journals.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from palio_db.errors import StoreError
from palio_db.store import Store
from palio_db.values import MatchRow
from palio_rules.contract.topics import match_event
from palio_server.bus import Bus
from palio_server.live.feed import Feed
from palio_server.live.followed import FollowedMatch

log = logging.getLogger(__name__)

LOOK_S = 0.3  # between two looks at matches in progress
IDLE_S = 2.0  # and while no tournament is played
LOBBY = 16  # matches whose boards move in the lobby; of others it has the first position
MOST = 256  # matches in progress that are known here


@dataclass(slots=True)
class LiveTournaments:
    """The matches of courses' tournaments that are being played, in the feed of this server."""

    store: Store
    feed: Feed
    bus: Bus
    worker: str  # this server's own: its matches are in the feed anyway
    courses: Callable[[], Iterable[str]]
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    _followed: dict[str, FollowedMatch] = field(default_factory=dict)  # oldest first
    _unplayable: set[str] = field(default_factory=set)  # by rules that this process has

    async def run(self) -> None:
        """Follow them until cancelled."""
        while True:
            busy = True
            try:
                busy = await self.look()
            except StoreError as error:
                log.warning("tournaments of courses are not shown for now: %s", error)
            await self.pause(LOOK_S if busy else IDLE_S)

    async def look(self) -> bool:
        """Show what is new; return whether a tournament is being played."""
        numbers = await self.store.course_tournaments_in_progress([*self.courses()])
        running = [
            row
            for number in numbers
            for row in reversed(await self.store.matches(status="running", tournament=number, limit=MOST))
            if row.worker != self.worker
        ]
        here = {row.id for row in running}
        for match in [match for match in self._followed if match not in here]:
            await self._end(match)
        for row in running:
            followed = self._followed.get(row.id)
            if followed is None or followed.epoch != row.epoch:
                await self._begin(row)
        for match in self._watched():
            await self._hear(match)
        self._unplayable &= here
        return bool(numbers or self._followed)

    def _watched(self) -> list[str]:
        found = [match for match in self._followed if self.bus.wanted(match_event(match))]
        return [*found, *islice(self._followed, LOBBY)] if self.feed.lobby_watched else found

    async def _begin(self, row: MatchRow) -> None:
        if row.id in self._unplayable:
            return
        plies, rejected = await self.store.played_so_far(row.id)
        try:
            self._followed[row.id] = FollowedMatch(self.feed, row, plies, rejected)
        except ValueError as error:
            log.warning("match %s cannot be shown: %s", row.id, error, extra={"match": row.id})
            self._unplayable.add(row.id)

    async def _hear(self, match: str) -> None:
        try:
            self._followed[match].hear(*await self.store.played_so_far(match))
        except ValueError as error:
            log.warning("match %s cannot be shown: %s", match, error, extra={"match": match})
            self._followed.pop(match).drop("it cannot be shown")
            self._unplayable.add(match)

    async def _end(self, match: str) -> None:
        record, row = await self.store.record(match), await self.store.match(match)
        followed = self._followed.pop(match)
        if record is not None:
            followed.end(record)
        else:
            followed.drop((row.reason if row is not None else None) or "it was interrupted")
