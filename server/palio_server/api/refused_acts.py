"""Requests that were refused for want of a token or a scope, in the audit: but never so many that they fill a disk."""

import logging
import time
from collections.abc import Callable

from palio_db.audit_values import Act, Actor
from palio_db.errors import StoreError
from palio_db.store import Store

log = logging.getLogger(__name__)

SPAN_S = 60.0
MOST = 60  # lines in one span; the same from the same asker is one line


class RefusedActs:
    """Notes what was refused, each kind once a minute for whoever asked."""

    def __init__(self, store: Store, now: Callable[[], float] = time.monotonic) -> None:
        self._store, self._now = store, now
        self._since = now()
        self._noted: set[tuple[str, str, str, str]] = set()

    async def note(self, act: Act, by: Actor) -> None:
        """Remember it, unless that was done a moment ago. The request is refused whether or not this succeeds."""
        if self._now() - self._since >= SPAN_S:
            self._since, self._noted = self._now(), set()
        key = (by.who, by.address, act.name, act.detail)
        if key in self._noted or len(self._noted) >= MOST:
            return
        self._noted.add(key)
        try:
            await self._store.note(act, by)
        except StoreError as error:
            log.warning("a refused request could not be noted in the audit: %s", error)
