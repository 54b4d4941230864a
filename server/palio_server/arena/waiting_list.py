"""The oldest matches that wait to be played, in memory: whether one of them can begin is asked at every change.

With thousands of bots, somebody gets free a hundred times a second. What the database knows changes far less often:
when somebody schedules, here or elsewhere. So its list is read then, and looked through here.
"""

import asyncio
from collections.abc import Callable, Collection
from math import inf

from palio_db.store import Store
from palio_db.values import WaitingMatch

PAGE = 256  # matches read at once; looking through them takes some 30 microseconds


class WaitingList:
    """The first matches of the list in the database, as they were when it was read last; that is read again in time.

    `look_s` says how many seconds later at the latest, because others schedule in the same database.
    """

    def __init__(self, store: Store, look_s: Callable[[], float]) -> None:
        self._store, self._look_s = store, look_s
        self._matches: dict[str, WaitingMatch] = {}  # oldest first
        self._whole = False  # there were no others
        self._struck = False  # some of them have been claimed since
        self._of: int | None = None  # the tournament that was asked for
        self._good_until = -inf

    def doubt(self) -> None:
        """The list has changed, or may have: it is to be read again."""
        self._good_until = -inf

    @property
    def whole(self) -> bool:
        """Whether no match waits that is not in here."""
        return self._whole

    async def playable(
        self, is_free: Callable[[str, str], bool], most: int, tournament: int | None = None
    ) -> list[str]:
        """The oldest matches whose bots are all free, at most `most`; `is_free` is asked with a bot and a game.

        No two of them have a bot in common, which may be free for one of them only: the list ends before. So these
        are the ones that would be taken if they were asked for one by one. Raises StoreError.
        """
        if self._good_until <= asyncio.get_running_loop().time() or self._of != tournament:
            await self._read(tournament)
        found = first_playable(self._matches.values(), is_free, most)
        if not found and self._struck and not self._whole:  # others have moved up
            await self._read(tournament)
            found = first_playable(self._matches.values(), is_free, most)
        return found

    def strike(self, matches: Collection[str]) -> None:
        """These are claimed, here or elsewhere."""
        for match in matches:
            self._matches.pop(match, None)
        self._struck = True

    async def _read(self, tournament: int | None) -> None:
        # Set before the question, since what is scheduled meanwhile may be missing in the answer.
        self._good_until = asyncio.get_running_loop().time() + self._look_s()
        try:
            found = await self._store.waiting(PAGE, tournament=tournament)
        except BaseException:
            self.doubt()
            raise
        self._matches = {match.match: match for match in found}
        self._whole, self._struck, self._of = len(found) < PAGE, False, tournament


def first_playable(waiting: Collection[WaitingMatch], is_free: Callable[[str, str], bool], most: int) -> list[str]:
    """As `WaitingList.playable` says."""
    found: list[str] = []
    busy: set[str] = set()
    for match in waiting:
        if len(found) == most:
            break
        if all(is_free(bot, match.game) for bot in match.bots):
            if not busy.isdisjoint(match.bots):
                break
            busy.update(match.bots)
            found.append(match.match)
    return found
