"""What other processes have changed in the database, and a running server must notice soon.

An operator revokes a token or voids a match by the command line, beside the server. PostgreSQL says so (`palio_db`'s
`notices.py`); where nobody does, and while that connection is down, a few counts are looked at often.
"""

import asyncio
import logging
from contextlib import suppress

from palio_db.changes import RESULTS, TOKENS
from palio_db.errors import StoreError
from palio_db.notices import CHANGES, Notices
from palio_db.store import Store
from palio_server.arena.leaderboards import Leaderboards
from palio_server.lobby.token_watch import TokenWatch

log = logging.getLogger(__name__)

LOOK_S = 0.4  # between two looks: a revoked bot is out within a second
TOLD_LOOK_S = 15.0  # between two looks at the counts while the database says when they change


class ChangeWatch:
    """Looks, and tells those whom it concerns."""

    def __init__(
        self, store: Store, tokens: TokenWatch, leaderboards: Leaderboards, notices: Notices | None = None
    ) -> None:
        self._store, self._tokens, self._leaderboards = store, tokens, leaderboards
        self._notices = notices
        self._told = asyncio.Event()  # there may be something new
        self._counts: dict[str, int] = {}  # as they were read last,
        self._read_at = -TOLD_LOOK_S  # and when
        self._seen: dict[str, int] = {}  # so that all that has ever been changed counts as new at first
        self._failing = False

    async def run(self) -> None:
        """Look until cancelled. A database that does not answer is asked again: what has changed is not missed."""
        if self._notices is not None:
            self._notices.on(CHANGES, self._told.set)
        while True:
            try:
                await self.look()
                self._failing = False
            except StoreError as error:
                if not self._failing:
                    log.warning("whether a token was revoked cannot be seen now, trying again: %s", error)
                self._failing = True
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):  # also what changes by time alone is looked at: tokens expire
                    await self._told.wait()

    async def look(self) -> None:
        """Look once. Raises StoreError."""
        counts = await self._read()
        new = {name for name, count in counts.items() if count != self._seen.get(name)}
        await self._tokens.look(changed=TOKENS in new)
        for name in new:
            if name.startswith(RESULTS):
                self._leaderboards.count_anew(name.removeprefix(RESULTS))
        self._seen = counts

    async def _read(self) -> dict[str, int]:
        """The counts; as they were when nobody has said that they have changed."""
        now = asyncio.get_running_loop().time()
        told, listening = self._told.is_set(), self._notices is not None and self._notices.listening
        if told or not listening or now >= self._read_at + TOLD_LOOK_S:
            self._told.clear()  # before the question: what changes meanwhile is asked for again
            try:
                self._counts = await self._store.changes()
            except BaseException:
                self._read_at = -TOLD_LOOK_S
                raise
            self._read_at = now
        return self._counts
