"""Looks after the database while matches are played: when it takes nothing any more, nothing new is begun.

What is played goes on, its plies and results wait. Who runs the server and the bots are told why, once; and as soon as
the database takes what is written, all goes on by itself.
"""

import asyncio
import logging
from collections.abc import Callable

from palio_db.errors import FileLost, StoreError
from palio_db.store import Store

log = logging.getLogger(__name__)

LOOK_S = 1.0  # between two looks
QUIET_S = 600.0  # between two warnings that the disk is nearly full


class StoreWatch:
    """`trouble` says why nothing is begun; "" while all is well. `tell` is called with each new trouble."""

    def __init__(self, store: Store, tell: Callable[[str], None]) -> None:
        self.trouble = ""
        self.no_room = ""  # that the disk is full
        self.warning = ""  # that the disk is nearly full
        self._lost: FileLost | None = None  # the file was deleted, moved or overwritten
        self._gone = asyncio.Event()
        self._store, self._tell = store, tell
        self._warned_at = -QUIET_S

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def until_lost(self) -> None:
        """Wait until the database's file is gone from its place. Raises FileLost then."""
        await self._gone.wait()
        assert self._lost is not None
        raise self._lost

    async def look(self) -> None:
        """See whether the database takes what is written, and has room for more."""
        before, self.no_room = self.trouble, self._no_room()
        await self._look_at_file()
        self.trouble = self.no_room or self._store.trouble
        if self._store.trouble:
            try:
                await self._store.probe()
            except StoreError as error:
                self.trouble = self.trouble or str(error)
            else:
                self.trouble = self.no_room
        if self.trouble and not before:
            log.error("%s: nothing new is begun: %s", self._store.url, self.trouble)
            self._tell(self.trouble)
        elif before and not self.trouble:
            log.warning("the database takes what is written again; all goes on")

    async def _look_at_file(self) -> None:
        try:
            await self._store.check_open_file()
        except FileLost as error:
            self._lost = error
            self._gone.set()
        except StoreError:  # it is away, which `probe` finds too
            pass

    def _no_room(self) -> str:
        self.warning = ""
        try:
            room = self._store.room()
        except OSError as error:
            return f"the database's disk cannot be looked at: {error.strerror}"
        if room is None:
            return ""
        left = f"{room.free // 1024:,} KiB are left"
        if room.full:
            return f"no space left on the database's disk: {left}; make room"
        if room.low:
            self.warning = f"the database's disk is nearly full: {left}; make room"
            now = asyncio.get_running_loop().time()
            if now - self._warned_at >= QUIET_S:
                self._warned_at = now
                log.warning("%s: %s", self._store.url, self.warning)
        return ""
