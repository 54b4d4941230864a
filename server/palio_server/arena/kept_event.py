"""An event and its store, in step: a change is committed first, and only then visible in the event."""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from msgspec import UNSET

from palio_db.columns import one_line
from palio_db.errors import AlreadyPlanned, NotFound
from palio_db.event_values import EncounterRow, Entry, EventMatch, Plan, Stage, TournamentRow
from palio_db.store import Store
from palio_rules.records.record import Record, Setup
from palio_server.arena.analysis_queue import search_in_thread
from palio_server.arena.journal import until_database_answers
from palio_server.tournament.event import BROKEN, GIVEN_UP, Encounter, Event
from palio_server.tournament.fault_report import FaultReport, fault_reports, on_stderr
from palio_server.tournament.format import Format, format_of
from palio_server.tournament.progress import Progress
from palio_server.tournament.score_lines import finished
from palio_server.tournament.terms import Terms

# A stored event, read back: its rules, its entrants, its encounters and their results.


@dataclass(slots=True)
class StoredEvent:
    """An event, and how it is played. Its director keeps it up to date."""

    row: TournamentRow
    format: Format
    event: Event


async def stored_event(store: Store, number: int) -> StoredEvent:
    """Return tournament `number` in its present state. Raises NotFound, StoreError, and BadOption if its format is not
    installed.
    """
    row = await store.tournament(number)
    if row is None:
        raise NotFound(f"there is no tournament {number}; palio tournament list shows them")
    event = Event(row.game, row.entries)
    event.read_reasons(row.settings)
    for planned in await store.encounters(number):
        event.add(planned)
    for match in await store.event_matches(number):
        if match.encounter <= len(event.encounters):  # one that was planned between the two reads comes later
            event.note(match)
    return StoredEvent(row, format_of(row.format, row.rules), event)


def played(match: EventMatch, record: Record) -> EventMatch:
    """Return the match with the result that its record has, in the form that the store would give."""
    result, spent = record.result, Counter[int]()
    for ply in record.plies:
        spent[ply.seat] += ply.ms
    return EventMatch(
        match=match.match,
        encounter=match.encounter,
        game=match.game,
        bots=match.bots,
        status="finished",
        scores=tuple(result.scores),
        ms=tuple(spent[seat] for seat in range(len(match.bots))),
        costs=None if result.finishes is UNSET else tuple(finish.cost for finish in result.finishes),
        fought=bool(record.plies) or result.termination == "rule",
        termination=result.termination,
        detail=one_line(result.rule_detail),
    )


log = logging.getLogger(__name__)

T = TypeVar("T")
PlannedGames = Sequence[tuple[int, int, Setup]]  # encounter, game, setup


class KeptEvent:
    """One event while this process directs it. It waits for a database that does not answer.

    `row`, `format` and `event` are current; `matches` has those of its encounters, by identity.
    """

    def __init__(self, store: Store, stored: StoredEvent, scheduled: Callable[[], object]) -> None:
        """`scheduled` is called when a new match can be played."""
        self._store, self._scheduled = store, scheduled
        self.number = stored.row.id
        self._take(stored)

    @classmethod
    async def read(cls, store: Store, number: int, scheduled: Callable[[], object]) -> "KeptEvent":
        """Return tournament `number` in its present state. Raises NotFound, StoreError, BadOption."""
        return cls(store, await stored_event(store, number), scheduled)

    def _take(self, stored: StoredEvent) -> None:
        self.row, self.format, self.event = stored.row, stored.format, stored.event
        self.terms = Terms.of(self.row.game, self.row.settings)
        self.matches = {match.match: match for encounter in self.event.encounters for match in encounter.matches}

    async def reread(self) -> None:
        """Read it from the store again, because another process has changed it."""
        log.warning("tournament %d is directed by another process, too", self.number)
        await self.refresh()

    async def refresh(self) -> None:
        """Read it from the store again, because results may have been voided."""
        self._take(await self._retry("an event waits to be read", lambda: stored_event(self._store, self.number)))

    # --- who plays ----------------------------------------------------------------------------------------------------

    async def enter(self, entry: Entry) -> None:
        """Add an entry, or replace the one with its name."""
        await self._retry("an entry waits to be kept", lambda: self._store.enter(self.number, entry))
        self.event.enter(entry)

    async def note_broken(self, bot: str, why: str) -> None:
        """Save the reason why a bot cannot be started."""
        self.event.broken = await self._put_reason(BROKEN, bot, why)

    async def note_given_up(self, bot: str, why: str) -> None:
        """Save the reason why a bot that has played is withdrawn."""
        self.event.given_up = await self._put_reason(GIVEN_UP, bot, why)

    async def _put_reason(self, key: str, bot: str, why: str) -> dict[str, str]:
        reasons = {**self.row.settings.get(key, {}), bot: why}
        settings = {**self.row.settings, key: reasons}
        await self._retry("a bot's failure waits to be kept", lambda: self._store.set_settings(self.number, settings))
        self.row = replace(self.row, settings=settings)
        return reasons

    async def play_as(self, format_: Format) -> None:
        """Continue under other rules of the same format."""
        rules = format_.settings
        await self._retry("other rules wait to be kept", lambda: self._store.set_rules(self.number, rules))
        self.format, self.row = format_, replace(self.row, rules=rules)

    async def set_stage(self, stage: Stage) -> None:
        """Move it to another stage, unless it is over."""
        stages = frozenset[Stage](("open", "running", "paused"))
        await self._retry(
            "another stage waits to be kept", lambda: self._store.set_stage(self.number, stage, only_from=stages)
        )
        self.row = replace(self.row, stage=stage)

    # --- what is played -----------------------------------------------------------------------------------------------

    async def plan(self, plans: Sequence[Plan]) -> None:
        """Save these plans with all their matches. Raises BadOption if no opening or instance exists for one."""
        first = len(self.event.encounters) + 1
        rows = [EncounterRow(number, plan) for number, plan in enumerate(plans, first)]
        games = await self._setups([(row.number, row.plan, range(row.plan.games)) for row in rows])
        await self._schedule(rows, games)

    async def schedule_missing(self) -> None:
        """Schedule the games of open encounters that are not on the list: a pause, or a heat without a bot, has removed
        them.
        """
        missing: list[tuple[int, Plan, Sequence[int]]] = []
        for encounter in self.event.open:
            if not encounter.forfeits:
                there = {match.game for match in encounter.matches}
                wanted = [game for game in range(encounter.plan.games) if game not in there]
                missing.append((encounter.number, encounter.plan, wanted))
        if games := await self._setups(missing):
            await self._schedule([], games)

    async def _schedule(self, rows: Sequence[EncounterRow], games: PlannedGames) -> None:
        try:
            ids = await self._retry(
                "encounters wait to be scheduled", lambda: self._store.plan(self.number, rows, games, self.row.name)
            )
        except AlreadyPlanned:
            await self.reread()
            return
        for row in rows:
            self.event.add(row)
        for (encounter, game, setup), match in zip(games, ids, strict=True):
            self.note(EventMatch(match, encounter, game, setup.bots, "scheduled"))
        self._scheduled()

    async def _setups(self, wanted: Sequence[tuple[int, Plan, Iterable[int]]]) -> PlannedGames:
        """Return the setups, made in a thread: some openings and instances take seconds each. Raises BadOption."""

        def found() -> PlannedGames:
            return [
                (number, game, setup)
                for number, plan, games in wanted
                if plan.kind == "played" and (asked := set(games))
                for game, setup in self.terms.setups(plan)
                if game in asked
            ]

        return await search_in_thread(found) if wanted else []

    # --- what is not played -------------------------------------------------------------------------------------------

    async def forfeit(self, encounter: int, bot: str) -> None:
        """Let `bot` forfeit the unfinished part of an encounter; matches that have begun are played to their end."""
        self._drop(
            await self._retry("a forfeit waits to be kept", lambda: self._store.forfeit(self.number, encounter, bot))
        )
        self.event.forfeit(encounter, bot)

    async def run_without(self, bot: str, encounter: Encounter) -> None:
        """Run a heat without `bot`, unless it has begun: then the referee waits for the bot, as for any other."""
        if any(match.status == "running" for match in encounter.matches):
            return
        plan = replace(encounter.plan, bots=tuple(other for other in encounter.bots if other != bot))
        row = EncounterRow(encounter.number, plan)
        self._drop(await self._retry("a heat waits to be kept", lambda: self._store.replan(self.number, row)))
        self.event.replan(encounter.number, plan)
        await self.schedule_missing()

    async def unschedule(self) -> None:
        """Take matches that have not begun off the list."""
        self._drop(await self._retry("matches wait to be taken off", lambda: self._store.unschedule(self.number)))

    async def begun(self) -> list[str]:
        """Return the matches of open encounters that have begun, perhaps just now, and are not over."""
        known = [match.match for encounter in self.event.open for match in encounter.matches]
        found = await self.stored(known) if known else []
        return [match.match for match in found if match.status in ("scheduled", "running")]

    async def stored(self, matches: Sequence[str]) -> list[EventMatch]:
        """Return these matches as the store has them."""
        return await self._retry(
            "matches wait to be looked at", lambda: self._store.event_matches(self.number, of=matches)
        )

    async def record(self, match: str) -> Record | None:
        """Return the record of a match that is over."""
        return await self._retry("a record waits to be read", lambda: self._store.record(match))

    async def reason(self, match: str) -> str:
        """Return why a match was called off."""
        row = await self._retry("a match waits to be looked at", lambda: self._store.match(match))
        return (row.reason if row else None) or "for an unknown reason"

    async def abort(self, match: str, reason: str) -> None:
        await self._retry("a match waits to be called off", lambda: self._store.abort(match, reason))

    def note(self, match: EventMatch) -> None:
        """Keep the state of a match, as the store has it."""
        self.matches[match.match] = match
        self.event.note(match)

    def _drop(self, matches: Iterable[str]) -> None:
        for match in matches:
            if (known := self.matches.pop(match, None)) is not None:
                self.event.drop(known.encounter, [match])

    async def _retry(self, what: str, attempt: Callable[[], Awaitable[T]]) -> T:
        return await until_database_answers(f"tournament {self.number}: {what}", attempt)


# The report of an event, line by line: how games begin and end, and by whose fault.

STDERR_SHOWN = 3  # faults of a bot with which its stderr is shown: later ones will be the same

Say = Callable[[str], None]
Stderr = Callable[[str], Awaitable[Sequence[str]]]  # by a bot's name, its output since the last call
OnReported = Callable[[int], None]  # called with the number of a game whose end was reported


async def no_stderr(_bot: str) -> Sequence[str]:
    """Return no lines: the bots' output is not read."""
    return ()


def ignore_reported(_game: int) -> None:
    """Ignore the number of a game whose end was reported."""


class EventTeller:
    """The report of an event. `say` is called with every line, `told` with each game whose end was reported.

    `stderr` returns the output of a bot that has lost by its own fault.
    """

    def __init__(self, say: Say, stderr: Stderr = no_stderr, told: OnReported = ignore_reported) -> None:
        self.say = say
        self._stderr, self._told = stderr, told
        self._reported: Counter[str] = Counter()  # faults, by bot

    def begun(self, progress: Progress, match: EventMatch) -> None:
        self._tell(progress.start(match))

    async def ended(self, progress: Progress, match: EventMatch, record: Record) -> None:
        """Report the result, and the reason if a bot has lost by its own fault."""
        self._tell(progress.finish(match, record.result))
        self._told(progress.event.game_number(match))
        for fault in fault_reports(record):
            await self._report(fault, record.match)

    def aborted(self, progress: Progress, match: EventMatch, why: str) -> None:
        self._tell(progress.aborted(match, why))
        self._told(progress.event.game_number(match))

    def again(self, number: int, match: EventMatch, record: Record | None) -> None:
        """Report a game that ended before there was a listener; without a record it has no result."""
        if record is not None:
            self.say(finished(number, match.bots, record.result))
        self._told(number)

    async def _report(self, fault: FaultReport, match: str) -> None:
        self.say(fault.line)
        self._reported[fault.bot] += 1
        if self._reported[fault.bot] <= STDERR_SHOWN:
            for line in on_stderr(fault, match, await self._stderr(fault.bot)):
                self.say(line)

    def _tell(self, line: str | None) -> None:
        if line:
            self.say(line)
