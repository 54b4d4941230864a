"""One tournament while it is played in a running house: it waits for the last result, and tells each on the way."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from palio_db.values import MatchRow, TournamentRow
from palio_rules.record import Record
from palio_server.house import House
from palio_server.tournament.progress import Progress

LOOK_S = 2.0  # between two looks into the store, which knows of aborted matches and of other workers' results
ALL = 1_000_000  # matches of one tournament


@dataclass(slots=True)
class Contest:
    """A tournament's progress, kept up to date by the arena. `told` is called with every line."""

    house: House
    row: TournamentRow
    progress: Progress
    told: Callable[[str], None]
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    async def open(cls, house: House, number: int, told: Callable[[str], None]) -> "Contest":
        """Tournament `number` of the house's store, as far as it has been played."""
        row = await house.store.tournament(number)
        assert row is not None  # its caller has made it, or looked it up
        return cls(house, row, Progress(row.bots, await _matches(house, number)), told)

    async def play(self) -> None:
        """Return when every match is over."""
        arena = self.house.arena
        arena.on_start.append(self._start)
        arena.on_result.append(self._result)
        try:
            while not self.progress.done:
                try:
                    async with asyncio.timeout(LOOK_S):
                        await self._news.wait()
                except TimeoutError:
                    await self._look()
                self._news.clear()
        finally:
            arena.on_start.remove(self._start)
            arena.on_result.remove(self._result)

    def _start(self, match: str) -> None:
        if line := self.progress.start(match):
            self.told(line)

    def _result(self, record: Record) -> None:
        if line := self.progress.finish(record.match, record.result):
            self.told(line)
            self._news.set()

    async def _look(self) -> None:
        """Find out about matches that ended without telling us."""
        row = await self.house.store.tournament(self.row.id)
        if row is None or row.finished + row.aborted == self.progress.over:
            return
        for match in await _matches(self.house, self.row.id):
            if self.progress.see(match):
                how = match.reason if match.status == "aborted" else "by another worker"
                self.told(f"{match.status.capitalize()} {match.id} ({' vs '.join(match.bots)}): {how}")


async def _matches(house: House, number: int) -> list[MatchRow]:
    """In the order of play."""
    return list(reversed(await house.store.matches(tournament=number, limit=ALL)))
