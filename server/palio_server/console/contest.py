"""One tournament while it is played in a running house: it waits for the last result, and tells each on the way."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from palio_db.values import MatchRow, TournamentRow
from palio_rules.plain_text import plain
from palio_rules.record import Record
from palio_server.arena import Arena
from palio_server.house import House
from palio_server.tournament.progress import Progress

LOOK_S = 2.0  # between two looks into the store, which knows of aborted matches and of other workers' results
ALL = 1_000_000  # matches of one tournament
LONGEST = 200  # characters of a bot's fault that are told

News = asyncio.Queue[str | Record]  # a match has begun, or has a result


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
    """A tournament's progress, kept up to date by the arena's news. `told` is called with every line."""

    house: House
    row: TournamentRow
    progress: Progress
    told: Callable[[str], None]

    @classmethod
    async def open(cls, house: House, number: int, bots: Sequence[str], told: Callable[[str], None]) -> "Contest":
        """Tournament `number` of the house's store, as far as it has been played; `bots` in the order of tables."""
        row = await house.store.tournament(number)
        assert row is not None  # its caller has made it, or looked it up
        return cls(house, row, Progress(bots, await _matches(house, number)), told)

    async def play(self, news: News) -> None:
        """Return when every match is over."""
        self.house.arena.nudge()
        while not self.progress.done:
            try:
                async with asyncio.timeout(LOOK_S):
                    self._hear(await news.get())
            except TimeoutError:
                await self._look()

    def _hear(self, item: str | Record) -> None:
        line = self.progress.start(item) if isinstance(item, str) else self.progress.finish(item.match, item.result)
        if line:
            self.told(line)
            if isinstance(item, Record) and (cause := blame(item)):
                self.told(cause)

    async def _look(self) -> None:
        """Find out about matches that ended without telling us."""
        row = await self.house.store.tournament(self.row.id)
        if row is None or row.finished + row.aborted == self.progress.over:
            return
        for match in await _matches(self.house, self.row.id):
            if self.progress.see(match):
                how = match.reason if match.status == "aborted" else "by another worker"
                self.told(f"{match.status.capitalize()} {match.id} ({' vs '.join(match.bots)}): {how}")


def blame(record: Record) -> str:
    """What the bot that has spoilt this match did last, for its author; nothing where nobody has."""
    result = record.result
    if result.seat is None:
        return ""
    said = [line for line in result.detail.splitlines() if line.strip()][-1:]
    said = said or [refusal.reason for refusal in record.refusals if refusal.seat == result.seat][-1:]
    if result.termination not in ("crashed", "illegal") or not said:
        return ""
    words = plain(said[0].strip())[:LONGEST]
    return f"  {record.setup.bots[result.seat]}: {words}; see palio match show {record.match}"


async def _matches(house: House, number: int) -> list[MatchRow]:
    """In the order of play."""
    return list(reversed(await house.store.matches(tournament=number, limit=ALL)))
