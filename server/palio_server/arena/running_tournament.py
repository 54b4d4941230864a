"""A running tournament: asks its format what is next, schedules that, and takes in the results.

A plan is saved with its matches before any of them is played, and a result is saved before it is shown. So an event
that is opened again, after any kind of end, continues where it stood.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from palio_db.errors import Unavailable
from palio_db.event_values import Entry, EventMatch, Stage, TournamentRow
from palio_db.store import Store
from palio_rules.records.record import Record
from palio_server.arena.analysis_queue import search_in_thread
from palio_server.arena.arena import Arena
from palio_server.arena.kept_event import (
    EventTeller,
    KeptEvent,
    OnReported,
    Say,
    Stderr,
    ignore_reported,
    no_stderr,
    played,
)
from palio_server.lobby.lobby import Lobby
from palio_server.tournament.event import Encounter, Event
from palio_server.tournament.format import Format
from palio_server.tournament.progress import Progress

# Absences of bots, so that a bot that does not come cannot hold up a round.


class Absences:
    """The times since when bots are absent, in seconds. `grace_s` is how long to wait for them; None: without end."""

    def __init__(self, grace_s: float | None) -> None:
        self._grace_s = grace_s
        self._since: dict[str, float] = {}

    @property
    def waited_for(self) -> set[str]:
        """The bots that were absent at the last look, if there is a grace."""
        return set() if self._grace_s is None else set(self._since)

    def overdue(self, bots: Iterable[str], is_here: Callable[[str], bool], now: float) -> set[str]:
        """Return the `bots` with something to play that have been absent for longer than the grace."""
        away = {bot for bot in bots if not is_here(bot)}
        self._since = {bot: self._since.get(bot, now) for bot in away}
        if self._grace_s is None:
            return set()
        return {bot for bot, since in self._since.items() if now - since >= self._grace_s}


LOOK_S = 2.0  # seconds between two looks into the store, for aborted matches and results of other workers
AHEAD = 256  # encounters that are scheduled and not over, roughly
HEATS_AHEAD = 4  # heats ahead in races: drawing an instance may take seconds
PORTION = 32  # the format is asked for at least so many, or an eighth of all, except at the end
NEVER_READY = 3  # matches in a row for which a bot was not ready; then it plays no further match


class RemoteNews(NamedTuple):
    """News of a match that another server plays."""

    match: str
    over: bool


class RunningTournament:
    """An event that this process directs.

    `grace_s`: how long a bot may be absent before its matches are forfeited; None: absent bots are handled elsewhere.
    `broken` bots cannot be started. `tokens_required`: without a token no bot connects, so a revoked one cannot return.
    """

    def __init__(
        self,
        store: Store,
        arena: Arena,
        lobby: Lobby,
        number: int,
        teller: EventTeller,
        grace_s: float | None,
        broken: Collection[str] = (),
        *,
        tokens_required: bool = False,
    ) -> None:
        """Registers its callbacks; `open` does the rest."""
        self.number = number
        self._store, self._arena, self._lobby, self._teller = store, arena, lobby, teller
        # begun, finished; the same on another server; None: look what is next
        self._news: asyncio.Queue[str | Record | RemoteNews | None] = asyncio.Queue()
        self._absences = Absences(grace_s)
        self._tokens_required = tokens_required
        self._broken = frozenset(broken)
        self._never_ready: Counter[str] = Counter()  # matches in a row, by bot
        self._unwritten = False  # True: a message that the database does not answer was written
        self._counted = -1  # encounters that were over when the format was asked last
        self._turn = asyncio.Lock()  # one change to the event at a time
        self._is_ours: Callable[[str], bool] = lambda _match: True  # while the event is read, each may be
        arena.on_start.append(self._news.put_nowait)
        arena.on_result.append(self._news.put_nowait)
        arena.on_remote.append(self._hear_remote)

    @classmethod
    async def open(
        cls,
        store: Store,
        arena: Arena,
        lobby: Lobby,
        number: int,
        *,
        say: Say,
        stderr: Stderr = no_stderr,
        told: OnReported = ignore_reported,
        grace_s: float | None = None,
        broken: Collection[str] = (),
        tokens_required: bool = False,
    ) -> "RunningTournament":
        """Return tournament `number` of the store, as far as it has been played. Raises NotFound, StoreError,
        BadOption.
        """
        teller = EventTeller(say, stderr, told)
        running = cls(store, arena, lobby, number, teller, grace_s, broken, tokens_required=tokens_required)
        try:
            running._kept = kept = await KeptEvent.read(store, number, arena.scheduled)
        except BaseException:
            running.close()
            raise
        running._is_ours = lambda match: match in kept.matches
        running.progress = Progress(running.event, running.format)
        return running

    _kept: KeptEvent
    progress: Progress

    @property
    def row(self) -> TournamentRow:
        return self._kept.row

    @row.setter
    def row(self, row: TournamentRow) -> None:
        self._kept.row = row

    @property
    def format(self) -> Format:
        return self._kept.format

    def round_of(self, match: str) -> str:
        """Return the number of a match's round, as PGN has it; "-" for a match of no round."""
        known = self._kept.matches.get(match)
        return "-" if known is None else str(self.event.encounter(known.encounter).plan.round)

    @property
    def event(self) -> Event:
        return self._kept.event

    @property
    def over(self) -> bool:
        return self.row.stage in ("finished", "cancelled")

    def close(self) -> None:
        """Remove its callbacks."""
        for listeners in (self._arena.on_start, self._arena.on_result):
            if self._news.put_nowait in listeners:
                listeners.remove(self._news.put_nowait)
        if self._hear_remote in self._arena.on_remote:
            self._arena.on_remote.remove(self._hear_remote)

    async def play(self) -> None:
        """Play until the event is over, paused or cancelled. Raises BadOption if there is no opening for what is next.

        A database that does not answer is waited for.
        """
        try:
            async with self._turn:
                if self.row.stage == "running" and not await self._decided():
                    await self._kept.schedule_missing()
            while self.row.stage == "running":
                async with self._turn:
                    if await self._decided():
                        break
                    await self._plan_next()
                    await self._forfeit_broken()
                await self._wait()
        finally:
            self.close()

    async def tell_again(self, games: Iterable[int]) -> None:
        """Report the ends of these games, by number, that are known but were not reported."""
        wanted = set(games)
        for encounter in self.event.encounters:
            for match in encounter.matches:
                if (number := self.event.game_number(match)) in wanted:
                    record = await self._kept.record(match.match) if match.scores is not None else None
                    self._teller.again(number, match, record)

    # --- what may change while it is played ---------------------------------------------------------------------------

    async def enter(self, entry: Entry) -> None:
        """Add an entry, or change one."""
        async with self._turn:
            await self._kept.enter(entry)
            self._look_again()

    async def extend(self, rounds: int) -> None:
        """Play `rounds` rounds in all. Raises BadOption if that is not possible."""
        async with self._turn:
            longer = self.format.extended(self.event, rounds)
            await self._kept.play_as(longer)
            self.progress.format = longer
            self._look_again()

    async def withdraw(self, bot: str, why: str = "given up", reason: str = "") -> bool:
        """Continue without `bot`. Returns False, and changes nothing, if too few would be left.

        `why` is for the report line. The `reason` is kept for tables if the bot is withdrawn for a failure.
        Its matches that have not begun are forfeited or removed, as the format says; heats are run without it. A match
        that has begun goes on; the referee waits for the bot as for any other.
        """
        async with self._turn:
            return await self._withdraw(bot, why, reason)

    async def pause(self) -> None:
        """Begin no further match; matches in progress are played to their end."""
        async with self._turn:
            await self._kept.unschedule()
            await self._kept.set_stage("paused")
            self._look_again()

    async def cancel(self) -> None:
        """Call off the matches that are not over. Results so far count."""
        async with self._turn:
            await self._close_as("cancelled", "cancelled")

    async def _withdraw(self, bot: str, why: str, reason: str) -> bool:
        entry, event = self.event.entry(bot), self.event
        if entry.left is not None:
            return True
        open_ = [encounter for encounter in event.open if bot in encounter.bots]
        heats = [encounter for encounter in open_ if event.race and len(encounter.bots) > 2]
        if not self._goes_on_without(bot, open_, heats):
            return False
        if reason:
            await self._kept.note_given_up(bot, reason)
        await self._kept.enter(replace(entry, left=event.last_round + 1))
        for encounter in open_:
            if encounter in heats:
                await self._kept.run_without(bot, encounter)
            else:
                await self._kept.forfeit(encounter.number, bot)
        self._look_again()
        games = sum(_not_begun(encounter) for encounter in open_)
        what = f"{games} games are {'run without it' if heats else 'off'}" if games else "it has nothing left to play"
        self._teller.say(f"{bot} is {why}: {what}")
        return True

    def _goes_on_without(self, bot: str, open_: list[Encounter], heats: list[Encounter]) -> bool:
        """Return True if enough bots are left to play, or all remaining encounters are run without it."""
        others = sum(each.left is None and each.bot != bot for each in self.event.entries)
        if others < (1 if self.event.race else max(2, self.event.seats)):
            return False
        alone = bool(open_) and len(open_) == len(self.event.open)
        return others >= 2 or not alone or len(heats) == len(open_)

    # --- what is next -------------------------------------------------------------------------------------------------

    async def _decided(self) -> bool:
        """Return True if the event is over; then it is closed."""
        if not self.format.over(self.event):
            return False
        await self._close_as("finished", "decided")
        return True

    async def _close_as(self, stage: Stage, why: str) -> None:
        """Close the event; open matches are called off first, so that after a crash in between the same is decided
        again.
        """
        if not self.event.all_over:
            await self._kept.unschedule()
            for match in await self._kept.begun():
                if not await self._arena.call_off_anywhere(match, reason := f"the event is {why}"):
                    await self._kept.abort(match, reason)
        await self._kept.set_stage(stage)
        self._look_again()

    async def _plan_next(self) -> None:
        """Ask the format, if there is room and something has changed since."""
        ahead = max(HEATS_AHEAD if self.event.race else AHEAD, self._arena.ahead)
        room = ahead - self.event.open_count
        changed = len(self.event.settled) != self._counted
        fewest = max(PORTION, ahead // 8)
        if not changed or (room < fewest and not self.event.all_over and not self.event.race) or room <= 0:
            return
        self._counted = len(self.event.settled)
        if plans := await search_in_thread(lambda: self.format.next(self.event, max(room, 1))):
            self._counted = -1  # there may be more
            await self._kept.plan(plans)
        elif self.event.all_over:
            self._teller.say("nothing is left to play")
            await self._close_as("finished", "over")

    # --- results -----------------------------------------------------------------------------------------------------

    async def _wait(self) -> None:
        """Take in news, or look into the store if there is none."""
        try:
            async with asyncio.timeout(LOOK_S):
                item = await self._news.get()
        except TimeoutError:
            async with self._turn:
                self._follow()
                await self._look()
            return
        async with self._turn:
            self._follow()
            await self._hear(item)
            await self._hear_waiting()

    async def _hear_waiting(self) -> None:
        """Take in the waiting news of this process, in order."""
        while not self._news.empty():
            await self._hear(self._news.get_nowait())

    def _follow(self) -> None:
        """Recount results that were read again, because another process has planned."""
        if self.progress.event is not self.event:
            self.progress.count(self.event)

    def _hear_remote(self, match: str, over: bool) -> None:  # noqa: FBT001  # as the arena calls it
        """Note that another server has begun a match, or ended one."""
        if self._is_ours(match):
            self._news.put_nowait(RemoteNews(match, over))

    async def _hear(self, item: "str | Record | RemoteNews | None") -> None:
        if isinstance(item, RemoteNews):
            if item.over:
                for ended in await self._kept.stored([item.match]):
                    await self._found(ended)
                return
            item = item.match
        if isinstance(item, str):
            if (match := self._kept.matches.get(item)) is not None and match.status not in ("finished", "aborted"):
                self._kept.note(replace(match, status="running"))
                self._teller.begun(self.progress, match)
        elif isinstance(item, Record) and (match := self._kept.matches.get(item.match)) is not None:
            await self._result(match, item)

    async def _result(self, match: EventMatch, record: Record) -> None:
        if match.status == "finished":
            return
        done = played(match, record)
        self._kept.note(done)
        await self._teller.ended(self.progress, done, record)
        await self._withdraw_never_ready(record)

    async def _withdraw_never_ready(self, record: Record) -> None:
        """Stop pairing a bot that is never ready."""
        late = record.result.seat if record.result.reason == "never-ready" else None
        for seat, bot in enumerate(record.setup.bots):
            self._never_ready[bot] = self._never_ready[bot] + 1 if seat == late else 0
            if self._never_ready[bot] == NEVER_READY:
                why = f"it was not ready in {NEVER_READY} games in a row"
                await self._withdraw(bot, f"benched, for {why}", why)

    async def _look(self) -> None:
        """Look for changes that came without news: aborted matches, results of other workers, another stage."""
        try:
            await self._compare()
            self._unwritten = False
        except Unavailable as error:
            if not self._unwritten:
                self._teller.say(f"{error}; play goes on, results wait")
            self._unwritten = True

    async def _compare(self) -> None:
        row = await self._store.tournament(self.number)
        if row is None or row.stage != self.row.stage:
            self.row = replace(self.row, stage="cancelled") if row is None else row
            return
        if row.worker != self.row.worker:  # another process believed that this one is dead
            self._teller.say(f"it is directed by the server {row.worker!r} now")
            self.row = replace(row, stage="paused")  # for this process
            return
        if row.finished < self.progress.finished:  # a result that this process counted was committed: some are void now
            await self._kept.refresh()
            self._follow()
            self._counted = -1
            self._teller.say(f"{self.progress.over - self.progress.finished} games are void or were called off")
        known = [match for encounter in self.event.open for match in encounter.matches if match.scores is None]
        if known and row.finished + row.aborted != self.progress.over:
            there = await self._store.event_matches(self.number, of=[match.match for match in known])
            await self._hear_waiting()  # the store may have the end of a game whose beginning is still in the queue
            for match in there:
                await self._found(match)
        await self._forfeit_absent()

    async def _found(self, match: EventMatch) -> None:
        former = self._kept.matches.get(match.match)
        if former is None or match.status == former.status or match.status not in ("finished", "aborted"):
            return
        if match.status == "finished" and (record := await self._kept.record(match.match)) is not None:
            await self._result(former, record)
            return
        reason = await self._kept.reason(match.match)
        self._kept.note(match)
        self._teller.aborted(self.progress, match, reason)

    @property
    def broken(self) -> frozenset[str]:
        """The bots that cannot be started."""
        return self._broken

    async def give_up(self, bot: str, why: str) -> None:
        """Let a bot that cannot be started forfeit the matches that it has not begun."""
        async with self._turn:
            self._broken |= {bot}
            await self._kept.note_broken(bot, why)
            self._look_again()

    async def _forfeit_broken(self) -> None:
        """Run heats without the bots that did not start; let them lose other games.

        If no other games depend on it, this waits until nothing else is left: until then the event may be stopped, and
        resumed with a repaired bot. A cluster does not wait: it would be given these games.
        """
        waiting = [] if not self._broken else [encounter for encounter in self.event.open if not encounter.forfeits]
        held_up = [encounter for encounter in waiting if not self._broken.isdisjoint(encounter.bots)]
        for encounter in list(held_up):
            here = [bot for bot in encounter.bots if bot not in self._broken]
            if self.event.race and len(encounter.bots) > 2 and len(here) > 1:
                for bot in self._broken.intersection(encounter.bots):
                    await self._kept.run_without(bot, self.event.encounter(encounter.number))
                held_up.remove(encounter)
        if self.format.absence != "forfeit" and self._arena.needs_bots and len(held_up) < len(waiting):
            return
        for encounter in held_up:
            for bot in self._broken.intersection(encounter.bots):
                await self._kept.forfeit(encounter.number, bot)
                self._look_again()

    async def _forfeit_absent(self) -> None:
        """Let absent bots forfeit, so that they do not hold up the others."""
        if self.format.absence == "never":
            return
        waiting = [encounter for encounter in self.event.open if not encounter.forfeits]
        idle = [each for each in waiting if not any(match.status == "running" for match in each.matches)]
        bots = {bot for encounter in idle for bot in encounter.bots}
        here = self._lobby.players(self.row.game)  # a connected bot that does not play this game counts as absent
        overdue = self._absences.overdue(bots, here.__contains__, asyncio.get_running_loop().time())
        revoked = await self._revoked(self._absences.waited_for - overdue)
        away = overdue | revoked
        held_up = [encounter for encounter in idle if not away.isdisjoint(encounter.bots)]
        if self.format.absence == "last" and len(held_up) < len(waiting):
            return
        for encounter in held_up:
            for bot in away.intersection(encounter.bots):
                others = " and ".join(other for other in encounter.bots if other != bot)
                why = "is revoked" if bot in revoked else "did not come"
                self._teller.say(f"{bot} {why}: it forfeits against {others}")
                await self._kept.forfeit(encounter.number, bot)
                self._look_again()

    async def _revoked(self, bots: Collection[str]) -> set[str]:
        """Return those of these absent `bots` that are revoked, for which no grace is kept.

        Where no token is required, a name that was revoked before the event may play without one.
        """
        moments = await self._store.revoked_bots(bots) if bots else {}
        return {bot for bot, moment in moments.items() if self._tokens_required or moment >= self.row.created_at}

    def _look_again(self) -> None:
        self._counted = -1
        self._news.put_nowait(None)


def _not_begun(encounter: Encounter) -> int:
    """Return how many of its games have not begun."""
    return encounter.missing - sum(match.status == "running" for match in encounter.matches)
