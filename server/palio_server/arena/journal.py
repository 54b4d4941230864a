"""What has been played in matches that are not over, on its way into the store.

Plies come one by one and by the thousand; they are written in groups, a few times a second, many matches in one
transaction. A match never waits for that. What a crash takes from the journal is played again; a finished match needs
no journal at all, its record has everything.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from palio_db.errors import Unavailable
from palio_db.store import Store
from palio_db.values import Claim, JournalEntry
from palio_rules.backoff import Backoff
from palio_rules.records.record import Ply, RejectedMove

# What must reach the database is tried until the database answers: first after a tenth of a second, later rarely.

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_S, LONGEST_S = 0.1, 5.0  # between two attempts


class Retries:
    """How often this process has had to wait for its database."""

    count = 0


async def until_database_answers(waiting: str, attempt: Callable[[], Awaitable[T]]) -> T:
    """What `attempt` returns or raises, but for Unavailable. `waiting`, for the log, says what waits meanwhile."""
    backoff: Backoff | None = None  # to make one costs more than most attempts do
    while True:
        try:
            return await attempt()
        except Unavailable as error:
            Retries.count += 1
            log.warning("%s: %s", waiting, error)
            backoff = backoff or Backoff(first=FIRST_S, longest=LONGEST_S)
            await asyncio.sleep(backoff.next())


EVERY_S = 0.1  # between two groups: what is played in it is what a crash may cost
GROUP = 2000  # entries in one transaction
MOST = 50_000  # entries kept while the database is away: some ten megabytes


class Journal:
    """Collects entries and writes them; `run` does the writing, for as long as matches are played."""

    def __init__(self, store: Store, *, every_s: float = EVERY_S, most: int = MOST) -> None:
        self._store = store
        self._every_s, self._most = every_s, most
        self._pending: dict[str, list[JournalEntry]] = {}  # by match
        self._count = 0
        self._behind_since: float | None = None  # when the oldest that waits may have come; None: nothing waits
        self._cut: set[str] = set()  # matches of which something had to be left out: their journal ends there
        self._news = asyncio.Event()
        self._writing = asyncio.Lock()

    def note(self, claim: Claim, number: int, entry: Ply | RejectedMove) -> None:
        """Keep `entry`, the `number`-th of its kind in the match, to be written soon. Never waits."""
        match = claim.match
        if self._count >= self._most or match in self._cut:
            if match not in self._cut:
                words = "match %s: the journal is full, a restart would go on from ply %d"
                log.warning(words, match, number - 1, extra={"match": match})
                self._cut.add(match)  # a journal with a gap could not be replayed; a short one can
            return
        self._count += 1
        if (entries := self._pending.get(match)) is None:
            entries = self._pending[match] = []
            self._behind_since = self._behind_since or time.monotonic()
            self._news.set()
        entries.append(JournalEntry(match, claim.epoch, number, entry))

    def forget(self, match: str) -> None:
        """The match is over, or no longer ours: what is not written by now need not be."""
        self._count -= len(self._pending.pop(match, ()))
        self._cut.discard(match)

    @property
    def waiting(self) -> int:
        """Entries that are not written yet."""
        return self._count

    @property
    def behind_s(self) -> float:
        """How old the oldest entry is that is not written yet, at most."""
        return 0.0 if not self._count or self._behind_since is None else time.monotonic() - self._behind_since

    @property
    def cut(self) -> int:
        """Matches of which the journal has only the beginning: there was no room for more."""
        return len(self._cut)

    async def run(self) -> None:
        """Write what comes, until cancelled. While the database is away, try again and again."""
        while True:
            await self._news.wait()
            await asyncio.sleep(self._every_s)
            await until_database_answers("the journal waits", self.flush)

    async def flush(self) -> None:
        """Write all that has been noted. Raises StoreError; then nothing is lost, and a later call may succeed."""
        async with self._writing:
            self._news.clear()
            began = time.monotonic()
            try:
                while parts := self._parts():
                    await self._store.journal([entry for _, entries, size in parts for entry in entries[:size]])
                    self._written(parts)
            except BaseException:
                self._news.set()
                raise
            self._behind_since = began if self._pending else None  # what came while others were written

    def _parts(self) -> list[tuple[str, list[JournalEntry], int]]:
        """What to write next: for each match, its entries, and how many of them."""
        parts, room = [], GROUP
        for match, entries in self._pending.items():
            size = min(room, len(entries))
            parts.append((match, entries, size))
            room -= size
            if not room:
                break
        return parts

    def _written(self, parts: list[tuple[str, list[JournalEntry], int]]) -> None:
        """Drop what has been written; a match may have been forgotten, or begun again, in the meantime."""
        for match, entries, size in parts:
            if self._pending.get(match) is not entries:
                continue
            self._count -= size
            if size < len(entries):
                del entries[:size]
            else:
                del self._pending[match]
