"""The arena plays scheduled matches whose bots are free, oldest first.

claim -> reserve the bots -> referee -> journal and feed -> commit -> announce

One worker plays up to `concurrency` matches at once; any number of workers may share one database. A worker first
continues the matches that it was playing before it was restarted. Matches that another worker has released come before
new ones (`next_matches.py`).
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from palio_db.errors import StoreError, Unavailable
from palio_db.notices import MATCHES, Notices
from palio_db.store import Store
from palio_db.values import Actor, Claim
from palio_rules.contract import topics
from palio_rules.contract.codec import encode
from palio_rules.contract.messages import Error
from palio_rules.records.record import Record, Setup
from palio_server.arena.bus_channel import BusChannel, MeasureBot, unknown
from palio_server.arena.journal import Journal, until_database_answers
from palio_server.arena.next_matches import BESIDE, Leases, LocalCapacity, NextMatches, Orphans, of_people
from palio_server.arena.next_matches import LOOK_S as LOOK_FOR_ORPHANS_S
from palio_server.arena.running_match import RunningMatch, Services, printable
from palio_server.arena.store_watch import StoreWatch
from palio_server.bus import Bus, Envelope
from palio_server.live.feed import Feed
from palio_server.lobby.lobby import Lobby, NotAvailable
from palio_server.lobby.other_servers import ALONE, OtherServers
from palio_server.log_lines import about
from palio_server.match.referee import Referee
from palio_server.match.seats import check_setup

log = logging.getLogger(__name__)

LOOK_S = 1.0  # seconds between two looks for matches that others have scheduled in the same database
TOLD_LOOK_S = 15.0  # the same while the database sends a notice when a match is scheduled
FLUSH_S = 5.0  # seconds that the journal gets at the end
BATCH = 32  # matches claimed at once, few, so that the first one does not wait long for the others
STORE_UNAVAILABLE = "store-unavailable"  # the code sent to bots when the database accepts no writes
STARTING_S = 0.05  # seconds to pause when bots left between claim and reservation


class Arena:
    """The owner of all matches played by this worker."""

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
        others: OtherServers = ALONE,
        notices: Notices | None = None,
    ) -> None:
        """`notices` tells when another server has scheduled a match; without it the list is read more often."""
        self._others = others
        self._store, self._bus, self._lobby = store, bus, lobby
        self._concurrency, self._lease_s = concurrency, lease_s
        self._leases = Leases(store, worker, lease_s)
        self._orphans = Orphans(store, lease_s)
        self._notices = notices
        self._next = NextMatches(store, lobby, self._leases, self._orphans, look_s=self._look_s, shared=others.sharing)
        self.journal = Journal(store)
        self.watch = StoreWatch(store, lambda why: tell_bots(lobby, why))
        self._services = Services(store, feed, self.journal, referee or Referee(), [*on_start], [*on_result])
        self.on_start, self.on_result = self._services.on_start, self._services.on_result
        self.on_unplayed = self._services.on_unplayed
        self.on_absent: list[Callable[[str, str], None]] = []  # a bot did not come to a match, on any server
        for over in (self.on_result, self.on_unplayed):
            over.append(self._tell_absent)
        self.counts = self._services.counts
        self._running: dict[str, RunningMatch] = {}
        self._of_people: dict[str, Setup] = {}  # of them, those of people
        self.broken: frozenset[str] = frozenset()  # bots that cannot be started: none of their matches is begun
        self.measure: MeasureBot = unknown  # the processor time of bots' programs that are started here
        self.tournament: int | None = None  # if set, this worker begins only matches of this tournament
        self._changed = asyncio.Event()  # a match may be able to begin now
        self._suspended = False
        self._paused = self._draining = False
        self.on_remote: list[Callable[[str, bool], None]] = []  # a match has begun on another server, or (True) is over
        self.taken_up = False  # True: the matches of this worker before its restart are taken up

    async def schedule(self, setup: Setup, event: str = "", *, by: Actor | None = None) -> str:
        """Add a match to the list; return its identity. The audit log records it if `by` is given.

        Raises ValueError if it cannot be played with this setup.
        """
        check_setup(setup)
        match = await self._store.schedule(setup, event=event, by=by)
        self.scheduled()
        return match

    async def enqueue_first(self, setup: Setup, event: str = "") -> str:
        """Add a match of people to the list; return its identity. It begins in addition to all others, since
        `concurrency` is for bots.

        Raises ValueError if it cannot be played with this setup.
        """
        match = await self.schedule(setup, event)
        self._next.enqueue_first(match, setup)
        self._changed.set()
        return match

    @contextmanager
    def keeping_for_first(self, bots: Collection[str]) -> Iterator[None]:
        """Within the context these bots begin only matches of `enqueue_first`."""
        self._next.kept_for_first.update(bots)
        try:
            yield
        finally:
            self._next.kept_for_first.subtract(bots)

    async def schedule_many(self, setups: Sequence[Setup], event: str = "") -> list[str]:
        """Add matches to the list, all in one transaction or, raising ValueError, none; return their identities."""
        for setup in setups:
            check_setup(setup)
        matches = await self._store.schedule_many(setups, event=event)
        self.scheduled()
        return matches

    def scheduled(self) -> None:
        """Look for a new match, and tell the other servers that one was scheduled."""
        self.nudge()
        self._others.tell_scheduled()

    @property
    def ahead(self) -> int:
        """The number of matches that should be ready to begin; 0: the caller that schedules decides."""
        return 0

    @property
    def needs_bots(self) -> bool:
        """True if a match waits here until its bots are connected."""
        return True

    def nudge(self) -> None:
        """Look for a new match at once."""
        self._next.invalidate()
        self._changed.set()

    def stop(self, match: str, reason: str) -> bool:
        """End a match that is played here as a draw, for `reason`; return False if it is not played here."""
        running = self._running.get(match)
        if running is None:
            return False
        running.channel.stop(printable(reason))
        return True

    def call_off(self, match: str, reason: str) -> bool:
        """End a match that is played here without a result; return False if it is not played here."""
        self._next.cancel(match)
        running = self._running.get(match)
        if running is None:
            return False
        running.call_off(printable(reason))
        return True

    async def call_off_anywhere(self, match: str, reason: str) -> bool:
        """End a match without a result, on any server; return False if no server is known to play it."""
        return self.call_off(match, reason) or await self._others.call_off(match, reason)

    def setup_of(self, match: str) -> Setup | None:
        """Return the setup of a match that is played here; None if it is not."""
        running = self._running.get(match)
        return None if running is None else running.claim.setup

    @property
    def leases(self) -> Leases:
        """The leases of this worker, and since when it has held them."""
        return self._leases

    def playing(self) -> list[str]:
        """Return the matches played here now, in the order in which they began."""
        return list(self._running)

    def playing_of_people(self) -> Mapping[str, Setup]:
        """Return those of them in which a guest, or a bot of the server's own, plays."""
        return self._of_people

    @property
    def draining(self) -> bool:
        """True if this worker was told to begin no further match."""
        return self._draining

    @property
    def held_back(self) -> str:
        """Return why no further match begins here now, in a sentence; "" if it may."""
        if self._paused:
            return "waits: all servers are paused"
        if self._draining or self._suspended:
            return "waits: this server begins no further match"
        return "" if self._room() > 0 else f"waits for room: {self._concurrency} matches at once are played here"

    def before(self, bot: str, tournament: int | None) -> int:
        """Return how many other events that wait for the bot come before this one."""
        return self._next.before(bot, tournament)

    def pause(self, *, paused: bool) -> None:
        """Begin no new match, or begin matches again. Matches in play go on, also those taken over from others."""
        if self._paused != paused:
            self._paused = paused
            log.warning("all servers are paused: no new match begins" if paused else "matches begin again")
            self.nudge()

    def drain(self) -> None:
        """Begin no match, and take none over from other workers; those that are played here go on to their end."""
        self._draining = True
        self.nudge()

    async def drain_to_others(self) -> None:
        """As `drain`, but other servers continue the matches that are played here. Matches of people stay."""
        self._draining = True
        leaving = [each for each in self._running.values() if not each.settling and not of_people(each.claim.setup)]
        for running in leaving:
            running.suspend()
        await self._flush()
        for running in leaving:
            give_back = partial(self._store.release, running.claim)
            await until_database_answers(f"match {running.claim.match} waits to be given back", give_back)
            running.lose()
        self._others.tell_scheduled()
        self.nudge()

    def undrain(self) -> None:
        """Begin matches again after `drain`."""
        self._draining = False
        self.nudge()

    async def suspend(self) -> None:
        """Begin no further match, suspend all running ones, and write down the plies played in them."""
        self._suspended = True
        for running in self._running.values():
            running.suspend()
        await self._flush()

    async def hand_over(self) -> None:
        """Release the matches played here, after `suspend`, so that other servers continue them at once.

        Matches of people are kept: their tables are here.
        """
        playing = [running.claim for running in self._running.values() if not running.settling]
        waiting = list(self._leases.waiting)
        for claim in (*playing, *waiting):
            if not of_people(claim.setup):
                try:
                    await self._store.release(claim)
                except StoreError as error:
                    log.warning("match %s waits until its lease is over: %s", claim.match, error)
                self._others.return_slots(claim.match)
        self._others.tell_scheduled()

    async def run(self) -> None:
        """Play until cancelled. Matches in progress then stay claimed, and continue when this worker starts again."""
        if self._notices is not None:
            self._notices.on(MATCHES, self.nudge)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self.journal.run(), name="journal")
                tasks.create_task(self.watch.run(), name="store-watch")
                tasks.create_task(self._watch(), name="arena-lobby")
                await until_database_answers("former matches wait to be taken up", self._leases.take_up)
                self.taken_up = True
                tasks.create_task(self._keep_leases(), name="arena-leases")
                tasks.create_task(self._adopt(), name="arena-orphans")
                while True:
                    await self._begin_next(tasks)
        finally:
            await self._flush()

    def absent(self, bot: str, match: str) -> None:
        """Report that a bot did not come to a match, on any server."""
        for listener in self.on_absent:
            listener(bot, match)

    def _tell_absent(self, record: Record) -> None:
        for seat in record.absent or ():
            self.absent(record.setup.bots[seat], record.match)

    # --- beginning ----------------------------------------------------------------------------------------------------

    async def _begin_next(self, tasks: asyncio.TaskGroup) -> None:
        """Begin one match, or wait until one may be able to begin."""
        self._changed.clear()
        if await self._held_back():
            return
        if self._next.priority_matches and not self._paused:
            await until_database_answers("matches of people wait to be claimed", self._next.claim_priority)
        adopted, waiting = self._leases.adopted, self._leases.waiting
        if (room := self._room()) > 0 or adopted or (waiting and of_people(waiting[0].setup)):
            if not (adopted or waiting) and room > 0:
                claim = partial(self._next.claim, min(BATCH, room), self.tournament)
                await until_database_answers("matches wait to be claimed", claim)
            if (found := self._leases.next()) is not None:
                # Bots of this worker's earlier matches are coming back; a match released by another worker waits on the
                # list.
                if not await self._begin(found, tasks, absent_ok=self._leases.was_ours(found)):
                    self._next.invalidate()
                    await asyncio.sleep(STARTING_S)
                return
        try:
            async with asyncio.timeout(self._look_s()):
                await self._changed.wait()
        except TimeoutError:
            pass  # the next look is due

    async def _held_back(self) -> bool:
        """Wait until something has changed and return True, if no match may begin now."""
        if self._suspended:
            await asyncio.Event().wait()  # until it is cancelled
        if self.watch.trouble:
            await asyncio.sleep(LOOK_S)
            return True
        if not (self._paused or self._draining):
            return False
        await self._return_claims()
        if self._draining or not (self._leases.adopted or self._leases.waiting):
            await self._changed.wait()
            return True
        return False

    async def _return_claims(self) -> None:
        """Give back the matches that are claimed and not begun. A paused worker keeps those that had begun before."""
        leases = self._leases
        for line in (leases.waiting, leases.adopted):
            for claim in [*line]:
                begun = line is leases.adopted or leases.was_ours(claim)
                if claim in line and (self._draining or not begun):  # a lost lease may have removed it
                    line.remove(claim)
                    give_back = partial(self._store.release, claim)
                    await until_database_answers(f"match {claim.match} waits to be given back", give_back)
                    self._others.tell_scheduled()

    def _look_s(self) -> float:
        """Return the seconds after which to look for matches that others have scheduled, if no notice comes."""
        return TOLD_LOOK_S if self._notices is not None and self._notices.listening else LOOK_S

    def _room(self) -> int:
        """Return how many matches may be begun. Matches of people do not count: a person may think for half an hour."""
        return self._concurrency - len(self._running) + len(self._of_people)

    async def _begin(self, claim: Claim, tasks: asyncio.TaskGroup, *, absent_ok: bool) -> bool:
        """Start the task that plays `claim`. Returns True when its bots are reserved, False if they have left."""
        try:
            check_setup(claim.setup)
        except ValueError as error:
            reason = printable(f"it cannot be played: {error}")
            log.warning("match %s is aborted: %s", claim.match, reason)
            await until_database_answers(
                f"match {claim.match} waits to be aborted",
                lambda: self._store.abort(claim.match, reason, epoch=claim.epoch),
            )
            return True
        while (former := self._running.get(claim.match)) is not None:
            former.lose()  # another worker has held the match since, and given it back
            self._changed.clear()
            await self._changed.wait()
        seated: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        tasks.create_task(self._play(claim, seated, absent_ok=absent_ok), name=f"match-{claim.match}")
        if await seated:
            return True
        await until_database_answers(f"match {claim.match} waits to be given back", lambda: self._store.release(claim))
        return False

    async def _play(self, claim: Claim, seated: asyncio.Future[bool], *, absent_ok: bool) -> None:
        setup, match = claim.setup, claim.match
        about(match=match, event=claim.event)
        try:
            await self._others.borrow_slots(match, claim.epoch, setup.game, setup.bots, absent_ok=absent_ok)
            with BusChannel(
                *(self._bus, self._lobby, match, setup.game, setup.bots),
                absent_ok=absent_ok,
                epoch=claim.epoch,
                measure=self.measure,
            ) as channel:
                if self._suspended:  # while the bots were being reserved
                    seated.set_result(True)
                    return
                running = self._running[match] = RunningMatch(claim, channel, self._services)
                if of_people(setup):
                    self._of_people[match] = setup
                seated.set_result(True)
                await running.play()
        except NotAvailable as error:
            log.info("match %s is given back: %s", match, error)
            seated.set_result(False)
        except Exception:  # the other matches go on; this one can be taken up again when its lease is over
            log.exception("match %s is left alone", match)
            if not seated.done():
                seated.set_result(True)
        finally:
            self._others.return_slots(match)
            self._running.pop(match, None)
            self.counts.on_end(match)
            self._of_people.pop(match, None)
            self._changed.set()

    # --- holding ------------------------------------------------------------------------------------------------------

    async def _keep_leases(self) -> None:
        """Renew the leases in good time."""
        while True:
            await asyncio.sleep(self._lease_s / 3)
            try:
                await self._leases.renew([*self._running.values()])
            except Unavailable as error:
                log.warning("leases cannot be renewed: %s", error)

    async def _adopt(self) -> None:
        """Take over matches that other workers have released, as soon as their leases are over."""
        failing = False
        while True:
            pause = LOOK_FOR_ORPHANS_S
            if not (self._suspended or self._draining or self.watch.trouble):
                try:
                    pause = await self._look_for_orphans()
                    failing = False
                except Unavailable as error:
                    if not failing:
                        log.warning("matches of other servers cannot be looked for: %s", error)
                    failing = True
            await asyncio.sleep(pause)

    async def _look_for_orphans(self) -> float:
        """Take over those that can be played here; return the seconds until the next look."""
        room = self._room() - len(self._leases.adopted)
        lobby, beside = self._lobby, room + max(BESIDE, self._concurrency)
        here = LocalCapacity(lobby.is_here, lobby.is_free, room, beside, lobby.is_kept)
        found = await self._orphans.look(here, self._running.keys() | self._leases.claimed(), self.tournament)
        if found.take and not (self._suspended or self._draining):
            await self._leases.take_over(found.take)
            log.info("taken over from another server: %s", ", ".join(found.take))
        if found.take or found.put_back:
            self.nudge()
        return found.again_s

    async def _watch(self) -> None:
        """Look for a match whenever a bot connects, leaves or becomes free."""
        seen = self._lobby.version
        while True:
            await self._lobby.changed(since=seen)
            seen = self._lobby.version
            self._changed.set()

    async def _flush(self) -> None:
        try:
            async with asyncio.timeout(FLUSH_S):
                await self.journal.flush()
        except (StoreError, TimeoutError) as error:
            log.warning("the last plies could not be journaled, they will be played again: %s", error)


def tell_bots(lobby: Lobby, why: str) -> None:
    """Tell every connected bot why no match begins."""
    error = Error(STORE_UNAVAILABLE, f"no match begins, and results wait: {why}"[:1000])
    envelope = Envelope(encode(error), error)
    for session in lobby.sessions():
        if session.connected:
            session.link.post(topics.bot_in(session.name, topics.LOBBY), envelope)
