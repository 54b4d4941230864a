"""Looks after the database while matches are played: when it takes nothing any more, nothing new is begun.

What is played goes on, its plies and results wait. Who runs the server and the bots are told why, once; and as soon as
the database takes what is written, all goes on by itself.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from palio_db.errors import FileLost, StoreError
from palio_db.notices import CHANGES, RESULTS, TOKENS, Notices
from palio_db.store import Store
from palio_server.arena.leaderboards import Leaderboards
from palio_server.lobby.token_watch import TokenWatch

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
        self.trouble = self.no_room or self._store.write_error
        if self._store.write_error:
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


# What other processes have changed in the database, and a running server must notice soon.
#
# An operator revokes a token or voids a match by the command line, beside the server. PostgreSQL says so (`palio_db`'s
# `notices.py`); where nobody does, and while that connection is down, a few counts are looked at often.

LOOK_FOR_CHANGES_S = 0.4  # between two looks: a revoked bot is out within a second
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
                async with asyncio.timeout(
                    LOOK_FOR_CHANGES_S
                ):  # also what changes by time alone is looked at: tokens expire
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
