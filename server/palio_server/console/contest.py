"""One tournament while it is played in a running house: it waits for the last result, and tells each on the way."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from msgspec.structs import replace

from palio_db.values import MatchRow, TournamentRow
from palio_rules.record import Record
from palio_rules.registry import game
from palio_server.arena import Arena
from palio_server.console.blame import Blame, blame, on_stderr
from palio_server.house import House
from palio_server.tournament.crosstable import Costs, costs_of
from palio_server.tournament.progress import Progress
from palio_server.tournament.score_lines import versus

LOOK_S = 2.0  # between two looks into the store, which knows of aborted matches and of other workers' results
ALL = 1_000_000  # matches of one tournament
TOLD = 3  # spoilt matches of a bot with which its stderr is told: it will be the same again

Said = Callable[[str], Awaitable[list[str]]]  # what a bot has written on stderr since one asked last
News = asyncio.Queue[str | Record]  # a match has begun, or has a result


async def nothing(_bot: str) -> list[str]:
    """Nobody hears what bots write."""
    return []


@contextmanager
def news_of(arena: Arena) -> Iterator[News]:
    """All that happens in the arena from now on, for a contest that may not be in the store yet."""
    news: News = asyncio.Queue()
    arena.on_start.append(news.put_nowait)
    arena.on_result.append(news.put_nowait)
    try:
        yield news
    finally:
        arena.on_start.remove(news.put_nowait)
        arena.on_result.remove(news.put_nowait)


@dataclass(slots=True)
class Contest:
    """A tournament's progress, kept up to date by the arena's news. `told` is called with every line.

    `said` is asked what a bot has written when it has spoilt a match.
    """

    house: House
    row: TournamentRow
    progress: Progress
    told: Callable[[str], None]
    said: Said = nothing
    withdrawn: set[str] = field(default_factory=set)
    spoilt: Counter[str] = field(default_factory=Counter)  # matches, by bot

    @classmethod
    async def open(
        cls, house: House, number: int, bots: Sequence[str], told: Callable[[str], None], said: Said = nothing
    ) -> "Contest":
        """Tournament `number` of the house's store, as far as it has been played; `bots` in the order of tables."""
        row = await house.store.tournament(number)
        assert row is not None  # its caller has made it, or looked it up
        matches = await _matches(house, number)
        costs = {match.id: await _costs(house, match) for match in matches if match.status == "finished"}
        return cls(house, row, Progress(bots, matches, costs), told, said)

    async def play(self, news: News) -> None:
        """Return when every match is over."""
        self.house.arena.nudge()
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
        rows = await _matches(self.house, self.row.id)
        unplayed = [row for row in rows if row.status in ("scheduled", "running")]
        off = [row for row in unplayed if bot in row.bots and row.status == "scheduled"]
        heats = self._race and all(len(row.bots) > 2 for row in off)
        if off and not heats and all(bot in row.bots for row in unplayed):
            return False
        self.withdrawn.add(bot)
        for row in off:
            await self._play_without(bot, row, again=heats)
        if off:
            self.told(f"{bot} is given up: {len(off)} games are {'run without it' if heats else 'off'}")
        self.house.arena.nudge()
        return True

    async def _play_without(self, bot: str, row: MatchRow, *, again: bool) -> None:
        """Take a match off the list; `again`: put one of the others on it."""
        store = self.house.store
        if not await store.abort(row.id, f"{bot} was given up", epoch=row.epoch):
            return  # it has begun
        self.progress.drop(row.id)
        if again:
            setup = replace(row.setup, bots=tuple(other for other in row.bots if other != bot))
            match = await store.schedule(setup, tournament=self.row.id, round_=row.round, event=row.event)
            found = await store.match(match)
            self.progress.extend([found] if found else [])

    @property
    def _race(self) -> bool:
        return game(self.row.game).kind == "race"

    async def _hear(self, item: str | Record) -> None:
        line = self.progress.start(item) if isinstance(item, str) else self.progress.finish(item.match, item.result)
        if line:
            self.told(line)
        if line and isinstance(item, Record):
            for blamed in blame(item):
                await self._blame(blamed, item.match)

    async def _blame(self, blamed: Blame, match: str) -> None:
        self.told(blamed.line)
        self.spoilt[blamed.bot] += 1
        if self.spoilt[blamed.bot] <= TOLD:
            for line in on_stderr(blamed, match, await self.said(blamed.bot)):
                self.told(line)

    async def _look(self) -> None:
        """Find out about matches that ended without telling us."""
        row = await self.house.store.tournament(self.row.id)
        if row is None or row.finished + row.aborted == self.progress.over:
            return
        for match in await _matches(self.house, self.row.id):
            costs = None if self.progress.counted(match.id) else await _costs(self.house, match)
            if self.progress.see(match, costs):
                how = match.reason if match.status == "aborted" else "by another worker"
                bots = versus(match.bots, race=self._race)
                self.told(f"{match.status.capitalize()} {match.id} ({bots}): {how}")


async def _costs(house: House, match: MatchRow) -> Costs | None:
    """What the entrants of a finished race have paid, which only its record tells."""
    if match.status != "finished" or game(match.game).kind != "race":
        return None
    record = await house.store.record(match.id)
    return None if record is None else costs_of(record.result)


async def _matches(house: House, number: int) -> list[MatchRow]:
    """In the order of play."""
    return list(reversed(await house.store.matches(tournament=number, limit=ALL)))
