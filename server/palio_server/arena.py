"""Plays scheduled matches: claims those whose bots are free, oldest first, and keeps the leases on them.

    claim -> reserve the bots -> referee -> journal and feed -> commit -> announce

One worker plays up to `concurrency` matches at once; any number of workers may share one database. A worker that
starts takes up what its former self has left, and later whatever another worker has let go of.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from palio_db.errors import StoreError, Unavailable
from palio_db.store import Store
from palio_db.values import Claim
from palio_rules.record import Record, Setup
from palio_server.bus import Bus
from palio_server.live.feed import Feed
from palio_server.lobby import Lobby, NotAvailable
from palio_server.match.bout import FIRST_PAUSE_S, LAST_PAUSE_S, Bout, Office, printable
from palio_server.match.desk import check_setup
from palio_server.match.journal import Journal
from palio_server.match.referee import Referee
from palio_server.network.bus_table import BusTable

log = logging.getLogger(__name__)

T = TypeVar("T")

LOOK_S = 1.0  # how often to look for matches that others have scheduled in the same database
FLUSH_S = 5.0  # what the journal gets at the end
EVERY = 1_000_000  # matches in progress, of all workers
STARTING_S = 0.05  # a pause after bots have left between claim and reservation


class Arena:
    """The one owner of all matches played by this worker."""

    def __init__(
        self,
        store: Store,
        bus: Bus,
        lobby: Lobby,
        feed: Feed,
        *,
        worker: str,
        concurrency: int,
        lease_s: float = 30.0,
        on_result: Iterable[Callable[[Record], None]] = (),
        on_start: Iterable[Callable[[str], None]] = (),
        referee: Referee | None = None,
    ) -> None:
        self._store, self._bus, self._lobby = store, bus, lobby
        self._worker, self._concurrency, self._lease_s = worker, concurrency, lease_s
        self._journal = Journal(store)
        self._office = Office(store, feed, self._journal, referee or Referee(), [*on_start], [*on_result])
        self.on_start, self.on_result = self._office.on_start, self._office.on_result
        self._bouts: dict[str, Bout] = {}
        self.tournament: int | None = None  # set to one, this worker begins none but its matches
        self._taken: deque[Claim] = deque()  # taken over, not yet begun
        self._own: set[str] = set()  # those of them that this worker's former self has played
        self._nudge = asyncio.Event()  # something has changed that may let a match begin

    async def schedule(self, setup: Setup, event: str = "") -> str:
        """Put a match into the list; its identity. Raises ValueError if it cannot be played as it is set up."""
        check_setup(setup)
        match = await self._store.schedule(setup, event=event)
        self.nudge()
        return match

    def nudge(self) -> None:
        """There may be something new to play: look at once."""
        self._nudge.set()

    def stop(self, match: str, reason: str) -> bool:
        """End a match that is played here as a draw, for `reason`; False if it is not played here."""
        bout = self._bouts.get(match)
        if bout is None:
            return False
        bout.table.stop(printable(reason))
        return True

    def playing(self) -> list[str]:
        """The matches played here now, in the order in which they began."""
        return list(self._bouts)

    async def run(self) -> None:
        """Play until cancelled. What is in progress then stays claimed, and goes on when this worker starts again."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._journal.run(), name="journal")
                tasks.create_task(self._watch(), name="arena-lobby")
                self._taken += await self._patiently("take up former matches", self._reclaim_own)
                tasks.create_task(self._keep_leases(), name="arena-leases")
                while True:
                    await self._begin_next(tasks)
        finally:
            await self._flush()

    # --- beginning ----------------------------------------------------------------------------------------------------

    async def _begin_next(self, tasks: asyncio.TaskGroup) -> None:
        """Begin one match, or wait until that may be possible."""
        self._nudge.clear()
        if len(self._bouts) < self._concurrency:
            if self._taken:
                taken = self._taken.popleft()
                # Bots of our own matches are coming back; for those of others, the match waits on the list.
                await self._begin(taken, tasks, absent_ok=taken.match in self._own)
                return
            if claim := await self._patiently("claim a match", self._claim):
                if not await self._begin(claim, tasks, absent_ok=False):
                    await asyncio.sleep(STARTING_S)
                return
        try:
            async with asyncio.timeout(LOOK_S):
                await self._nudge.wait()
        except TimeoutError:
            pass  # time to look

    async def _claim(self) -> Claim | None:
        games = {game for bot in self._lobby.connected() for game in bot.games}
        free = {game: names for game in sorted(games) if (names := self._lobby.free(game))}
        if not free:
            return None
        return await self._store.claim(self._worker, self._lease_s, free=free, tournament=self.tournament)

    async def _begin(self, claim: Claim, tasks: asyncio.TaskGroup, *, absent_ok: bool) -> bool:
        """Start the task that plays `claim`. Returns when its bots are reserved, or False when they are gone again."""
        try:
            check_setup(claim.setup)
        except ValueError as error:
            reason = printable(f"it cannot be played: {error}")
            log.warning("match %s is aborted: %s", claim.match, reason)
            await self._patiently("abort a match", lambda: self._store.abort(claim.match, reason, epoch=claim.epoch))
            return True
        seated: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        tasks.create_task(self._play(claim, seated, absent_ok=absent_ok), name=f"match-{claim.match}")
        if await seated:
            return True
        await self._patiently("give a match back", lambda: self._store.release(claim))
        return False

    async def _play(self, claim: Claim, seated: asyncio.Future[bool], *, absent_ok: bool) -> None:
        setup, match = claim.setup, claim.match
        try:
            with BusTable(self._bus, self._lobby, match, setup.game, setup.bots, absent_ok=absent_ok) as table:
                bout = self._bouts[match] = Bout(claim, table, self._office)
                seated.set_result(True)
                await bout.play()
        except NotAvailable as error:
            log.info("match %s is given back: %s", match, error)
            seated.set_result(False)
        except Exception:  # the other matches go on; this one can be taken up again when its lease is over
            log.exception("match %s is left alone", match)
            if not seated.done():
                seated.set_result(True)
        finally:
            self._bouts.pop(match, None)
            self.nudge()

    # --- holding ------------------------------------------------------------------------------------------------------

    async def _keep_leases(self) -> None:
        """Renew the leases in good time, and take over what other workers have let go of."""
        while True:
            await asyncio.sleep(self._lease_s / 3)
            try:
                await self._renew()
                if len(self._bouts) < self._concurrency and not self._taken:
                    self._taken += await self._store.reclaim(self._worker, self._lease_s, own=False)
                    self.nudge()
            except Unavailable as error:
                log.warning("leases cannot be renewed: %s", error)

    async def _renew(self) -> None:
        bouts = list(self._bouts.values())
        waiting = list(self._taken)
        claims = [*(bout.claim for bout in bouts), *waiting]
        if not claims:
            return
        kept = await self._store.renew(claims, self._lease_s)
        for bout in bouts:
            if bout.claim.match not in kept:
                bout.lose()
        for claim in waiting:
            if claim.match not in kept and claim in self._taken:
                self._taken.remove(claim)

    async def _reclaim_own(self) -> list[Claim]:
        running = await self._store.matches(status="running", limit=EVERY)
        self._own = {row.id for row in running if row.worker == self._worker}
        return await self._store.reclaim(self._worker, self._lease_s)

    async def _watch(self) -> None:
        """Every bot that comes, leaves or gets free is a reason to look again."""
        seen = self._lobby.version
        while True:
            await self._lobby.changed(since=seen)
            seen = self._lobby.version
            self.nudge()

    async def _flush(self) -> None:
        try:
            async with asyncio.timeout(FLUSH_S):
                await self._journal.flush()
        except (StoreError, TimeoutError) as error:
            log.warning("the last plies could not be journaled, they will be played again: %s", error)

    async def _patiently(self, what: str, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try until the database answers."""
        pause = FIRST_PAUSE_S
        while True:
            try:
                return await attempt()
            except Unavailable as error:
                log.warning("cannot %s yet: %s", what, error)
                await asyncio.sleep(pause)
                pause = min(pause * 2, LAST_PAUSE_S)
