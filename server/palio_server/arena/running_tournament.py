"""One tournament while a server plays it: from the first match to the last result, with a line about each."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from msgspec.structs import replace

from palio_db.store import Store
from palio_db.values import MatchRow, TournamentRow
from palio_rules.records.record import Record
from palio_rules.registry import is_race
from palio_server.arena.arena import Arena
from palio_server.tournament.crosstable import Costs, costs_of
from palio_server.tournament.fault_report import FaultReport, fault_reports, on_stderr
from palio_server.tournament.progress import Progress
from palio_server.tournament.score_lines import versus

LOOK_S = 2.0  # between two looks into the store, which knows of aborted matches and of other workers' results
ALL = 1_000_000  # matches of one tournament
STDERR_SHOWN = 3  # faults of a bot with which its stderr is shown: it will be the same again

Stderr = Callable[[str], Awaitable[Sequence[str]]]  # by a bot's name, what it has written since the last call
News = asyncio.Queue[str | Record]  # a match has begun, or has a result


async def no_stderr(_bot: str) -> Sequence[str]:
    """Nobody reads what the bots write."""
    return ()


@contextmanager
def news_of(arena: Arena) -> Iterator[News]:
    """All that happens in the arena from now on, for a tournament that may not be in the store yet."""
    news: News = asyncio.Queue()
    arena.on_start.append(news.put_nowait)
    arena.on_result.append(news.put_nowait)
    try:
        yield news
    finally:
        arena.on_start.remove(news.put_nowait)
        arena.on_result.remove(news.put_nowait)


@dataclass(slots=True)
class RunningTournament:
    """A tournament's progress, kept up to date by the arena's news. `say` is called with every line.

    `stderr` is asked what a bot has written when it has lost by its own fault.
    """

    store: Store
    arena: Arena
    row: TournamentRow
    progress: Progress
    say: Callable[[str], None]
    stderr: Stderr = no_stderr
    withdrawn: set[str] = field(default_factory=set)
    reported: Counter[str] = field(default_factory=Counter)  # faults, by bot

    @classmethod
    async def open(
        cls,
        store: Store,
        arena: Arena,
        number: int,
        bots: Sequence[str],
        say: Callable[[str], None],
        stderr: Stderr = no_stderr,
    ) -> "RunningTournament":
        """Tournament `number` of the store, as far as it has been played; `bots` in the order of tables."""
        row = await store.tournament(number)
        assert row is not None  # its caller has made it, or looked it up
        matches = await _matches(store, number)
        costs = {match.id: await costs_of_match(store, match) for match in matches if match.status == "finished"}
        return cls(store, arena, row, Progress(bots, matches, costs), say, stderr)

    async def play(self, news: News) -> None:
        """Return when every match is over."""
        self.arena.nudge()
        while not self.progress.done:
            try:
                async with asyncio.timeout(LOOK_S):
                    item = await news.get()
            except TimeoutError:
                await self._look()
            else:
                await self._hear(item)

    async def withdraw(self, bot: str) -> bool:
        """Play on without `bot`: its matches are off, its races are run by the others. False if nothing would be left.

        A match that it has begun goes on; the referee waits for it as for anybody.
        """
        if bot in self.withdrawn:
            return True
        rows = await _matches(self.store, self.row.id)
        unplayed = [row for row in rows if row.status in ("scheduled", "running")]
        off = [row for row in unplayed if bot in row.bots and row.status == "scheduled"]
        heats = self.progress.race and all(len(row.bots) > 2 for row in off)
        if off and not heats and all(bot in row.bots for row in unplayed):
            return False
        self.withdrawn.add(bot)
        for row in off:
            await self._play_without(bot, row, again=heats)
        if off:
            self.say(f"{bot} is given up: {len(off)} games are {'run without it' if heats else 'off'}")
        self.arena.nudge()
        return True

    async def _play_without(self, bot: str, row: MatchRow, *, again: bool) -> None:
        """Take a match off the list; `again`: put one of the others on it."""
        if not await self.store.abort(row.id, f"{bot} was given up", epoch=row.epoch):
            return  # it has begun
        self.progress.drop(row.id)
        if again:
            setup = replace(row.setup, bots=tuple(other for other in row.bots if other != bot))
            match = await self.store.schedule(setup, tournament=self.row.id, round_=row.round, event=row.event)
            found = await self.store.match(match)
            self.progress.extend([found] if found else [])

    async def _hear(self, item: str | Record) -> None:
        line = self.progress.start(item) if isinstance(item, str) else self.progress.finish(item.match, item.result)
        if line:
            self.say(line)
        if line and isinstance(item, Record):
            for fault in fault_reports(item):
                await self._report(fault, item.match)

    async def _report(self, fault: FaultReport, match: str) -> None:
        self.say(fault.line)
        self.reported[fault.bot] += 1
        if self.reported[fault.bot] <= STDERR_SHOWN:
            for line in on_stderr(fault, match, await self.stderr(fault.bot)):
                self.say(line)

    async def _look(self) -> None:
        """Find out about matches that ended without an event."""
        row = await self.store.tournament(self.row.id)
        if row is None or row.finished + row.aborted == self.progress.over:
            return
        for match in await _matches(self.store, self.row.id):
            costs = None if self.progress.counted(match.id) else await costs_of_match(self.store, match)
            if self.progress.see(match, costs):
                how = match.reason if match.status == "aborted" else "by another worker"
                bots = versus(match.bots, race=self.progress.race)
                self.say(f"{match.status.capitalize()} {match.id} ({bots}): {how}")


async def costs_of_match(store: Store, match: MatchRow) -> Costs | None:
    """What the entrants of a finished race have paid; only its record says so."""
    if match.status != "finished" or not is_race(match.game):
        return None
    record = await store.record(match.id)
    return None if record is None else costs_of(record.result)


async def _matches(store: Store, number: int) -> list[MatchRow]:
    """In the order of play."""
    return list(reversed(await store.matches(tournament=number, limit=ALL)))
