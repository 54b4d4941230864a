"""One claimed match, from its first message to its committed result, with the referee's events passed
to their places.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar, get_args

from msgspec import structs

from palio_db.errors import LeaseLost
from palio_db.values import Claim
from palio_rules.contract.messages import Over, Result, Termination
from palio_rules.records.record import Ply, Record, RejectedMove, Setup
from palio_server.arena.bus_channel import BusChannel
from palio_server.arena.journal import until_database_answers
from palio_server.match import events
from palio_server.match.channel import Incoming, Said
from palio_server.match.referee import Referee, RefereedMatch
from palio_server.metrics import COMMIT_S, TURN_S, Histogram

# Counts of an arena's matches, for operators. During a ply only one integer is incremented.

TIMED = 17  # one of so many plies is timed: a prime, so that every seat has its turn
CODES = 200  # different codes of rejections: third-party games choose theirs, and each code is a time series
OTHERS = "other"


class MatchCounts:
    """The counts since the server started."""

    def __init__(self) -> None:
        self.plies = 0
        self.next_timed = TIMED  # the ply after which a turn is timed again
        self.turns = Histogram(TURN_S)  # from a move's arrival until its consequences are written
        self.results = Histogram(COMMIT_S)  # from a match's end until its result is committed
        self.finished: dict[str, int] = dict.fromkeys(get_args(Termination), 0)
        self.rejections: Counter[str] = Counter()
        self.aborted = 0
        self.lost = 0  # taken over by another server
        # Callbacks for tracing: some turns, commits, and matches that are no longer played here.
        self.on_turn: Callable[[str, float], None] = lambda _match, _seconds: None
        self.on_commit: Callable[[str, float], None] = lambda _match, _seconds: None
        self.on_end: Callable[[str], None] = lambda _match: None

    def time_turn(self, match: str, seconds: float) -> None:
        """Record a turn of `match` that took `seconds` from its move's arrival."""
        self.next_timed = self.plies + TIMED
        self.turns.observe(seconds)
        self.on_turn(match, seconds)

    def finish(self, match: str, termination: str, seconds: float) -> None:
        """Record that the result of `match` was committed `seconds` after its end."""
        self.finished[termination] += 1
        self.results.observe(seconds)
        self.on_commit(match, seconds)

    def reject(self, code: str) -> None:
        """Count a move that was rejected with `code`."""
        known = code in self.rejections or len(self.rejections) < CODES
        self.rejections[code if known else OTHERS] += 1


log = logging.getLogger(__name__)

NOBODY_READY = "nobody was ready"  # the start of the reason when a match is aborted because no bot became ready

T = TypeVar("T")


class MatchCalledOff(Exception):
    """The result of this match is no longer wanted; the message says why."""


class ResultSink(Protocol):
    """The part of the store that takes results."""

    async def finish(self, claim: Claim, record: Record, addresses: Sequence[str] = ()) -> None: ...
    async def keep_fault_texts(self, match: str, texts: Mapping[str, str]) -> None: ...
    async def abort(self, match: str, reason: str, *, epoch: int | None = None) -> bool: ...


class JournalSink(Protocol):
    """The part of the journal that keeps plies until the match is over."""

    def note(self, claim: Claim, number: int, entry: Ply | RejectedMove) -> None: ...
    def forget(self, match: str) -> None: ...


class FeedSink(Protocol):
    """The part of the feed that informs viewers."""

    def open(
        self,
        match: str,
        setup: Setup,
        event_name: str = "",
        journal: Sequence[Ply] = (),
        refusals: Sequence[RejectedMove] = (),
        *,
        tournament: int | None = None,
        epoch: int = 1,
    ) -> None: ...
    def note(self, match: str, event: Any) -> None: ...
    def drop(self, match: str, reason: str, *, lost: bool = False) -> None: ...


@dataclass(frozen=True, slots=True)
class Services:
    """The services that all matches of an arena share. Append a callback to the lists to be notified."""

    store: ResultSink
    feed: FeedSink
    journal: JournalSink
    referee: Referee
    on_start: list[Callable[[str], None]]  # with the match, before its first message
    on_result: list[Callable[[Record], None]]  # after the commit
    counts: MatchCounts = field(default_factory=MatchCounts)
    # no bot was ready: the store keeps nothing of it
    on_unplayed: list[Callable[[Record], None]] = field(default_factory=list)


class RunningMatch:
    """A match that is being played here. It ends in exactly one way: committed, aborted, lost, or cancelled."""

    def __init__(self, claim: Claim, channel: BusChannel, services: Services) -> None:
        self.claim, self.channel = claim, channel
        self.settling = False  # from here on the store decides if the match is still held by this worker
        self._services = services
        self._until_lost: asyncio.Timeout | None = None
        self._refereed: RefereedMatch | None = None
        self._finished: asyncio.Future[events.Finished] = asyncio.get_running_loop().create_future()
        self._plies: list[Ply] = list(claim.journal)
        self._rejected: list[RejectedMove] = list(claim.refusals)
        self._feed_failed = False

    def lose(self) -> None:
        """Stop playing at once and announce nothing, because another worker has the match."""
        if self._until_lost is not None and not self.settling:
            self.channel.listen(None)
            self._until_lost.reschedule(asyncio.get_running_loop().time())

    def call_off(self, reason: str) -> None:
        """End the match without a result, unless it has one."""
        if not self.settling:
            self._end(MatchCalledOff(reason))

    def suspend(self) -> None:
        """Stop hearing messages and stop the clocks: the match continues where a worker takes it up from its journal.

        A match that has a result is still committed and announced.
        """
        self.channel.listen(None)

    async def play(self) -> None:
        """Play to the end. An error ends this match only."""
        match = self.claim.match
        until_lost = self._until_lost = asyncio.timeout(None)
        try:
            async with until_lost:
                await self._play()
        except LeaseLost:
            self._drop()
        except MatchCalledOff as reason:
            await self._abort(str(reason))
        except Exception as error:  # a third-party game may raise anything
            if isinstance(error, TimeoutError) and until_lost.expired():
                self._drop()
                return
            log.exception("match %s is aborted: a fault in the rules or in the server", match)
            await self._abort(f"a fault in the server: {type(error).__name__}: {error}")

    async def _play(self) -> None:
        claim, services = self.claim, self._services
        refereed = self._refereed = services.referee.take_up(
            claim.match, claim.setup, self.channel, epoch=claim.epoch, journal=claim.journal, rejected=claim.refusals
        )
        services.feed.open(
            claim.match,
            claim.setup,
            claim.event,
            claim.journal,
            claim.refusals,
            tournament=claim.tournament,
            epoch=claim.epoch,
        )
        for listener in services.on_start:
            _call(listener, claim.match)
        try:
            self._note(refereed.begin())
            self.channel.listen(self._hear)
            self.channel.wake_at(refereed.wake)
            finished = await self._finished
        finally:
            self.channel.listen(None)
        await self._settle(finished)
        refereed.announce()

    def _hear(self, heard: Incoming | None) -> None:
        """Take in one message: the referee has answered it, and its events are handled, when this returns."""
        refereed = self._refereed
        assert refereed is not None
        try:
            self._note(refereed.hear(heard))
        except Exception as error:  # noqa: BLE001  # a fault in the rules: the task that plays the match reports it
            self._end(error)
        if not refereed.over:
            self.channel.wake_at(refereed.wake)
        counts = self._services.counts
        if counts.plies >= counts.next_timed and isinstance(heard, Said):
            counts.time_turn(self.claim.match, self.channel.time() - heard.at)

    def _note(self, happened: Iterable[events.RefereeEvent]) -> None:
        """Write down and show what has happened; an event `Finished` must be settled first."""
        journal, counts = self._services.journal, self._services.counts
        for event in happened:
            match event:
                case events.Played() | events.Forfeited():
                    counts.plies += 1
                    self._plies.append(event.ply)
                    journal.note(self.claim, event.number, event.ply)
                case events.Rejected():
                    counts.reject(event.rejected.code)
                    self._rejected.append(event.rejected)
                    journal.note(self.claim, len(self._rejected), event.rejected)
                case events.Finished():
                    self._end(event)
                    return
            self._show(event)

    def _end(self, how: events.Finished | Exception) -> None:
        """Stop hearing messages: the task that plays the match goes on from here."""
        self.channel.listen(None)
        if self._finished.done():
            return
        if isinstance(how, Exception):
            self._finished.set_exception(how)
        else:
            self._finished.set_result(how)

    async def _settle(self, finished: events.Finished) -> None:
        """Commit the result, and announce it after that. A match in which no bot was ready is aborted."""
        self.settling = True
        claim, services, result = self.claim, self._services, finished.result
        now = datetime.now(UTC)
        record = Record(
            match=claim.match,
            setup=claim.setup,
            plies=tuple(self._plies),
            result=result,
            started_at=claim.started_at or now,
            finished_at=now,
            refusals=tuple(self._rejected),
            event=claim.event,
            confined=self.channel.confined(),
        )
        if absent := record.absentees():
            record = structs.replace(record, absent=absent)
        if result.reason == "nobody-ready":
            if not await self._aborted(f"{NOBODY_READY}: {result.detail}"):
                raise LeaseLost(f"match {claim.match} is not ours to abort")
            for listener in services.on_unplayed:
                _call(listener, record)
            return
        if texts := record.setup.by_submission(finished.texts):  # before the result: a kill in between loses neither
            await self._retry(lambda: services.store.keep_fault_texts(claim.match, texts))
        began = time.monotonic()
        addresses = self.channel.addresses()
        await self._retry(lambda: services.store.finish(claim, record, addresses))
        services.counts.finish(claim.match, result.termination, time.monotonic() - began)
        services.journal.forget(claim.match)
        self._show(finished)
        for listener in services.on_result:
            _call(listener, record)

    async def _abort(self, reason: str) -> None:
        """End the match without a result, and tell its bots; if it is over, or another worker holds it, do nothing."""
        self.settling = True
        if await self._aborted(reason):
            seats = len(self.claim.setup.bots)
            result = Result("adjudicated", "aborted", [0.5] * seats, detail=reason)
            for seat in range(seats):
                self.channel.post(seat, Over(match=self.claim.match, outcome=result))

    async def _aborted(self, reason: str) -> bool:
        claim, services = self.claim, self._services
        reason = printable(reason)
        ended = await self._retry(lambda: services.store.abort(claim.match, reason, epoch=claim.epoch))
        services.counts.aborted += ended
        services.journal.forget(claim.match)
        services.feed.drop(claim.match, reason)
        return ended

    def _drop(self) -> None:
        match = self.claim.match
        log.warning("match %s was lost to another worker; it is no longer played here", match)
        self._services.counts.lost += 1
        self._services.journal.forget(match)
        self._services.feed.drop(match, "another server has taken the match over", lost=True)

    async def _retry(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Retry until the database answers: an uncommitted result must not be announced, so waiting is
        the only option.
        """
        return await until_database_answers(f"match {self.claim.match} waits to be committed", attempt)

    def _show(self, event: events.RefereeEvent) -> None:
        """Show the event to viewers. A game that cannot be drawn is still played."""
        try:
            self._services.feed.note(self.claim.match, event)
        except Exception:
            if not self._feed_failed:
                log.exception("match %s cannot be shown", self.claim.match, extra={"match": self.claim.match})
            self._feed_failed = True


def printable(reason: str) -> str:
    """Return `reason` with only characters that every database and terminal can keep."""
    return "".join(character for character in reason if character.isprintable())[:500] or "no reason given"


def _call(listener: Callable[[T], None], value: T) -> None:
    """Call a listener; an error in it is logged and does not affect the match."""
    try:
        listener(value)
    except Exception:
        log.exception("a listener failed")
