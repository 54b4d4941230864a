"""What other processes have changed in the database, and a running server must notice soon.

An operator revokes a token or voids a match by the command line, beside the server. A look at a few counts costs the
database next to nothing, on SQLite as on PostgreSQL, and needs no connection that must stay open.
"""

import asyncio
import logging

from palio_db.changes import RESULTS, TOKENS
from palio_db.errors import StoreError
from palio_db.store import Store
from palio_server.arena.leaderboards import Leaderboards
from palio_server.lobby.token_watch import TokenWatch

log = logging.getLogger(__name__)

LOOK_S = 0.4  # between two looks: a revoked bot is out within a second


class ChangeWatch:
    """Looks, and tells those whom it concerns."""

    def __init__(self, store: Store, tokens: TokenWatch, leaderboards: Leaderboards) -> None:
        self._store, self._tokens, self._leaderboards = store, tokens, leaderboards
        self._seen: dict[str, int] = {}  # so that all that has ever been changed counts as new at first
        self._failing = False

    async def run(self) -> None:
        """Look until cancelled. A database that does not answer is asked again: what has changed is not missed."""
        while True:
            try:
                await self.look()
                self._failing = False
            except StoreError as error:
                if not self._failing:
                    log.warning("whether a token was revoked cannot be seen now, trying again: %s", error)
                self._failing = True
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Look once. Raises StoreError."""
        counts = await self._store.changes()
        new = {name for name, count in counts.items() if count != self._seen.get(name)}
        await self._tokens.look(changed=TOKENS in new)
        for name in new:
            if name.startswith(RESULTS):
                self._leaderboards.count_anew(name.removeprefix(RESULTS))
        self._seen = counts
