"""Work in the database once a minute: addresses are forgotten in time, and what a crash has interrupted is ended.

Several servers may do it at the same time.
"""

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from palio_db.errors import StoreError
from palio_db.store import Store

log = logging.getLogger(__name__)

BEAT_S = 60.0


class Housekeeping:
    """The beat of one server."""

    def __init__(self, store: Store, days: int) -> None:
        """`days`: after which addresses are cleared."""
        self._store, self._age = store, timedelta(days=days)

    async def run(self) -> None:
        """Keep house until cancelled."""
        while True:
            try:
                await self.look()
            except StoreError as error:
                log.warning("the database could not be tidied, trying again: %s", error)
            await asyncio.sleep(BEAT_S)

    async def look(self) -> None:
        """Clear what is too old; let matches follow their renamed bots. Raises StoreError."""
        if cleared := await self._store.clear_addresses(datetime.now(UTC) - self._age):
            log.info("%d addresses older than %d days were cleared", cleared, self._age.days)
        await self._store.drop_old_bans()
        while (await self._store.move_names()).matches:
            pass
