"""The watch over the database while matches are played: when it accepts no writes, no new match is begun.

Running matches go on; their plies and results wait. The operator and the bots are told the reason once, and as soon as
the database accepts writes, everything continues without intervention.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from palio_db.errors import FileLost, StoreError
from palio_db.notices import BANS, CHANGES, RESULTS, TOKENS, Notices
from palio_db.pausing import is_paused
from palio_db.store import Store
from palio_server.arena.leaderboards import Leaderboards
from palio_server.lobby.token_watch import TokenWatch

log = logging.getLogger(__name__)

LOOK_S = 1.0  # seconds between two looks
QUIET_S = 600.0  # seconds between two warnings that the disk is nearly full


class StoreWatch:
    """The state of the database. `trouble` says why no match is begun, "" if all is well; `tell` is called with each
    new trouble.
    """

    def __init__(self, store: Store, tell: Callable[[str], None]) -> None:
        self.trouble = ""
        self.no_room = ""  # set if the disk is full
        self.warning = ""  # set if the disk is nearly full
        self._lost: FileLost | None = None  # set if the file was deleted, moved or overwritten
        self._gone = asyncio.Event()
        self._store, self._tell = store, tell
        self._warned_at = -QUIET_S

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def until_lost(self) -> None:
        """Wait until the database's file is gone from its place; then raise FileLost."""
        await self._gone.wait()
        assert self._lost is not None
        raise self._lost

    async def look(self) -> None:
        """Check that the database accepts writes, and has room for more."""
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


# Changes that other processes make in the database, and that a running server must notice soon.
#
# An operator revokes a token, bans a bot or voids a match on the command line, beside the server. PostgreSQL sends
# notices (`palio_db`'s `notices.py`); without notices, and while that connection is down, a few counters are read
# often.

LOOK_FOR_CHANGES_S = 0.4  # seconds between two looks: a revoked bot is disconnected within a second
TOLD_LOOK_S = 15.0  # seconds between two looks at the counters while the database sends notices


class ChangeWatch:
    """The watch over the counters, which calls those concerned."""

    def __init__(
        self,
        store: Store,
        tokens: TokenWatch,
        leaderboards: Leaderboards,
        notices: Notices | None = None,
        pause: Callable[[bool], None] = lambda _paused: None,
        look_at_bans: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`pause` is called at each look with whether all servers are paused, `look_at_bans` if they have changed."""
        self._store, self._tokens, self._leaderboards = store, tokens, leaderboards
        self._notices, self._pause, self._look_at_bans = notices, pause, look_at_bans
        self._told = asyncio.Event()  # set when there may be something new
        self._counts: dict[str, int] = {}  # as they were read last,
        self._read_at = -TOLD_LOOK_S  # and when
        self._seen: dict[str, int] = {}  # empty, so that every change ever made counts as new at first
        self._failing = False

    async def run(self) -> None:
        """Look until cancelled. A database that does not answer is asked again, so that no change is missed."""
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
                async with asyncio.timeout(LOOK_FOR_CHANGES_S):  # tokens also expire, without a change in the database
                    await self._told.wait()

    async def look(self) -> None:
        """Look once. Raises StoreError."""
        counts = await self._read()
        new = {name for name, count in counts.items() if count != self._seen.get(name)}
        if BANS in new and self._look_at_bans is not None:
            await self._look_at_bans()
        await self._tokens.look(changed=TOKENS in new)
        self._pause(is_paused(counts))
        for name in new:
            if name.startswith(RESULTS):
                self._leaderboards.recount(name.removeprefix(RESULTS))
        self._seen = counts

    async def _read(self) -> dict[str, int]:
        """Return the counters; the last ones if no notice of a change has come."""
        now = asyncio.get_running_loop().time()
        told, listening = self._told.is_set(), self._notices is not None and self._notices.listening
        if told or not listening or now >= self._read_at + TOLD_LOOK_S:
            self._told.clear()  # before the query: a change made meanwhile is read again
            try:
                self._counts = await self._store.changes()
            except BaseException:
                self._read_at = -TOLD_LOOK_S
                raise
            self._read_at = now
        return self._counts
