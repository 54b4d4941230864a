"""One claimed match, from its first message to its committed result: the referee's events go where they belong."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

from palio_db.errors import LeaseLost, Unavailable
from palio_db.store import Store
from palio_db.values import Claim
from palio_rules.messages import Over, Result
from palio_rules.record import Ply, Record, Refusal
from palio_server.live.feed import Feed
from palio_server.match import events
from palio_server.match.journal import Journal
from palio_server.match.referee import Referee
from palio_server.network.bus_table import BusTable

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_PAUSE_S, LAST_PAUSE_S = 0.1, 5.0  # between two attempts to commit to a database that is away


@dataclass(frozen=True, slots=True)
class Office:
    """What every match needs besides its table. Whoever wants to know adds a callable to the lists."""

    store: Store
    feed: Feed
    journal: Journal
    referee: Referee
    on_start: list[Callable[[str], None]] = field(default_factory=list)  # with the match, before its first message
    on_result: list[Callable[[Record], None]] = field(default_factory=list)  # after the commit


class Bout:
    """A match that is being played here. It ends in exactly one way: committed, aborted, lost, or cancelled."""

    def __init__(self, claim: Claim, table: BusTable, office: Office) -> None:
        self.claim, self.table = claim, table
        self.settling = False  # from here on the store itself says whether the match is still ours
        self._office = office
        self._leash: asyncio.Timeout | None = None
        self._plies: list[Ply] = list(claim.journal)
        self._refusals: list[Refusal] = list(claim.refusals)
        self._feed_failed = False

    def lose(self) -> None:
        """The match belongs to somebody else: stop playing it at once, and announce nothing."""
        if self._leash is not None and not self.settling:
            self._leash.reschedule(asyncio.get_running_loop().time())

    async def play(self) -> None:
        """Play to the end. Whatever goes wrong is the end of this match, and of nothing else."""
        match = self.claim.match
        try:
            try:
                async with asyncio.timeout(None) as self._leash:
                    await self._play()
            except TimeoutError:
                assert self._leash is not None
                if not self._leash.expired():
                    raise
                self._drop()
            finally:
                self._leash = None
        except LeaseLost:
            self._drop()
        except Exception as error:  # a third-party game may raise anything
            log.exception("match %s is aborted: a fault in the rules or in the server", match)
            await self._abort(f"a fault in the server: {type(error).__name__}: {error}")

    async def _play(self) -> None:
        claim, office = self.claim, self._office
        office.feed.open(claim.match, claim.setup, claim.event, claim.journal, claim.refusals)
        for started in office.on_start:
            _call(started, claim.match)
        course = office.referee.play(
            claim.match,
            claim.setup,
            self.table,
            epoch=claim.epoch,
            journal=claim.journal,
            refusals=claim.refusals,
        )
        async with aclosing(course):
            async for event in course:
                match event:
                    case events.Played() | events.Forfeited():
                        self._plies.append(event.ply)
                        office.journal.note(claim, event.number, event.ply)
                    case events.Refused():
                        self._refusals.append(event.refusal)
                        office.journal.note(claim, len(self._refusals), event.refusal)
                    case events.Finished():
                        await self._settle(event)
                        continue
                self._show(event)

    async def _settle(self, finished: events.Finished) -> None:
        """Commit the result; only then does anybody hear of it. A match for which nobody was ready is aborted."""
        self.settling = True
        claim, office, result = self.claim, self._office, finished.result
        if result.reason == "nobody-ready":
            if not await self._aborted(f"nobody was ready: {result.detail}"):
                raise LeaseLost(f"match {claim.match} is not ours to abort")
            return
        now = datetime.now(UTC)
        record = Record(
            match=claim.match,
            setup=claim.setup,
            plies=tuple(self._plies),
            result=result,
            started_at=claim.started_at or now,
            finished_at=now,
            refusals=tuple(self._refusals),
            event=claim.event,
        )
        await self._insist(lambda: office.store.finish(claim, record))
        office.journal.forget(claim.match)
        self._show(finished)
        for told in office.on_result:
            _call(told, record)

    async def _abort(self, reason: str) -> None:
        """End the match without a result, and tell its bots; if it is over or not ours any more, leave it alone."""
        self.settling = True
        if await self._aborted(reason):
            seats = len(self.claim.setup.bots)
            result = Result("adjudicated", "aborted", [0.5] * seats, detail=reason)
            for seat in range(seats):
                self.table.post(seat, Over(match=self.claim.match, outcome=result))

    async def _aborted(self, reason: str) -> bool:
        claim, office = self.claim, self._office
        reason = printable(reason)
        ended = await self._insist(lambda: office.store.abort(claim.match, reason, epoch=claim.epoch))
        office.journal.forget(claim.match)
        office.feed.drop(claim.match, reason)
        return ended

    def _drop(self) -> None:
        match = self.claim.match
        log.warning("match %s was lost to another worker; it is no longer played here", match)
        self._office.journal.forget(match)
        self._office.feed.drop(match, "another server has taken the match over")

    async def _insist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try until the database answers. What is not committed is not announced, so there is nothing else to do."""
        pause = FIRST_PAUSE_S
        while True:
            try:
                return await attempt()
            except Unavailable as error:
                log.warning("match %s waits to be committed: %s", self.claim.match, error)
                await asyncio.sleep(pause)
                pause = min(pause * 2, LAST_PAUSE_S)

    def _show(self, event: events.Event) -> None:
        """Tell the audience. That a game cannot be drawn must not stop it from being played."""
        try:
            self._office.feed.note(self.claim.match, event)
        except Exception:
            if not self._feed_failed:
                log.exception("match %s cannot be shown", self.claim.match)
            self._feed_failed = True


def printable(reason: str) -> str:
    """`reason` as every database and terminal can keep it."""
    return "".join(character for character in reason if character.isprintable())[:500] or "no reason given"


def _call(told: Callable[[T], None], value: T) -> None:
    """A listener's fault is not the match's."""
    try:
        told(value)
    except Exception:
        log.exception("a listener failed")
