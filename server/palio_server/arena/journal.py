"""The journal: plies of matches that are not over, on their way into the store.

Plies come one by one and by the thousand; they are written in groups, a few times a second, many matches in one
transaction. A match never waits for that. Plies lost in a crash are played again; a finished match needs no journal,
because its record is complete.
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

# A write that must reach the database is retried until the database answers, after 0.1 s at first, later rarely.

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_S, LONGEST_S = 0.1, 5.0  # seconds between two attempts


class Retries:
    """A count of how often this process has had to wait for its database."""

    count = 0


async def until_database_answers(waiting: str, attempt: Callable[[], Awaitable[T]]) -> T:
    """Return or raise the outcome of `attempt`, except Unavailable. `waiting` names, for the log, what
    waits meanwhile.
    """
    backoff: Backoff | None = None  # made when needed: creating it costs more than most attempts
    while True:
        try:
            return await attempt()
        except Unavailable as error:
            Retries.count += 1
            log.warning("%s: %s", waiting, error)
            backoff = backoff or Backoff(first=FIRST_S, longest=LONGEST_S)
            await asyncio.sleep(backoff.next())


EVERY_S = 0.1  # seconds between two groups: a crash may cost the plies of this time
GROUP = 2000  # entries in one transaction
MOST = 50_000  # entries kept while the database is away: some ten megabytes


class Journal:
    """A buffer of entries, which `run` writes for as long as matches are played."""

    def __init__(self, store: Store, *, every_s: float = EVERY_S, most: int = MOST) -> None:
        self._store = store
        self._every_s, self._most = every_s, most
        self._pending: dict[str, list[JournalEntry]] = {}  # by match
        self._count = 0
        self._behind_since: float | None = None  # when the oldest waiting entry may have come; None: none waits
        self._cut: set[str] = set()  # matches of which entries had to be dropped: their journal ends there
        self._news = asyncio.Event()
        self._writing = asyncio.Lock()

    def note(self, claim: Claim, number: int, entry: Ply | RejectedMove) -> None:
        """Keep `entry`, the `number`-th of its kind in the match, to be written soon. Never waits."""
        match = claim.match
        if self._count >= self._most or match in self._cut:
            if match not in self._cut:
                words = "match %s: the journal is full, a restart would go on from ply %d"
                log.warning(words, match, number - 1, extra={"match": match})
                self._cut.add(match)  # a journal with a gap could not be replayed, a short one can
            return
        self._count += 1
        if (entries := self._pending.get(match)) is None:
            entries = self._pending[match] = []
            self._behind_since = self._behind_since or time.monotonic()
            self._news.set()
        entries.append(JournalEntry(match, claim.epoch, number, entry))

    def forget(self, match: str) -> None:
        """Drop the entries of a match that is over, or that another worker now holds."""
        self._count -= len(self._pending.pop(match, ()))
        self._cut.discard(match)

    @property
    def waiting(self) -> int:
        """The number of entries that are not written yet."""
        return self._count

    @property
    def behind_s(self) -> float:
        """The age in seconds of the oldest entry that is not written yet, at most."""
        return 0.0 if not self._count or self._behind_since is None else time.monotonic() - self._behind_since

    @property
    def cut(self) -> int:
        """The number of matches whose journal is incomplete because there was no room."""
        return len(self._cut)

    async def run(self) -> None:
        """Write entries until cancelled. While the database is away, try again and again."""
        while True:
            await self._news.wait()
            await asyncio.sleep(self._every_s)
            await until_database_answers("the journal waits", self.flush)

    async def flush(self) -> None:
        """Write all entries. Raises StoreError; then nothing is lost, and a later call may succeed."""
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
            self._behind_since = began if self._pending else None  # entries that came while others were written

    def _parts(self) -> list[tuple[str, list[JournalEntry], int]]:
        """Return what to write next: for each match, its entries, and how many of them."""
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
