"""One tournament while it is played in a running house: it waits for the last result, and tells each on the way."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from msgspec import UNSET
from msgspec.structs import replace

from palio_db.values import MatchRow, TournamentRow
from palio_rules.plain_text import plain
from palio_rules.record import Record
from palio_rules.registry import game
from palio_server.arena import Arena
from palio_server.house import House
from palio_server.tournament.crosstable import Costs, costs_of
from palio_server.tournament.progress import Progress
from palio_server.tournament.score_lines import versus

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
    withdrawn: set[str] = field(default_factory=set)

    @classmethod
    async def open(cls, house: House, number: int, bots: Sequence[str], told: Callable[[str], None]) -> "Contest":
        """Tournament `number` of the house's store, as far as it has been played; `bots` in the order of tables."""
        row = await house.store.tournament(number)
        assert row is not None  # its caller has made it, or looked it up
        matches = await _matches(house, number)
        costs = {match.id: await _costs(house, match) for match in matches if match.status == "finished"}
        return cls(house, row, Progress(bots, matches, costs), told)

    async def play(self, news: News) -> None:
        """Return when every match is over."""
        self.house.arena.nudge()
        while not self.progress.done:
            try:
                async with asyncio.timeout(LOOK_S):
                    self._hear(await news.get())
            except TimeoutError:
                await self._look()

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

    def _hear(self, item: str | Record) -> None:
        line = self.progress.start(item) if isinstance(item, str) else self.progress.finish(item.match, item.result)
        if line:
            self.told(line)
            for cause in blame(item) if isinstance(item, Record) else ():
                self.told(cause)

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


def blame(record: Record) -> list[str]:
    """What each bot that has spoilt this match did last, for its author; nothing where nobody has."""
    return [
        f"  {record.setup.bots[seat]}: {words}; see palio match show {record.match}"
        for seat, termination, detail in _spoilt(record)
        if termination in ("crashed", "illegal") and (words := _last_words(record, seat, detail))
    ]


def _spoilt(record: Record) -> Iterator[tuple[int, str, str]]:
    """Seat, termination and detail of each that was thrown out, as far as the record tells."""
    result = record.result
    if result.finishes is not UNSET:
        yield from ((seat, finish.termination, finish.detail) for seat, finish in enumerate(result.finishes))
        return
    out = [ply for ply in record.plies if ply.out is not None and ply.seat != result.seat]
    own, said = _parted(result.detail, record.setup.rules().seats) if out else (result.detail, {})
    yield from ((ply.seat, ply.out or "", said.get(ply.seat, "")) for ply in out)
    if result.seat is not None:
        yield result.seat, result.termination, own


def _parted(detail: str, names: Sequence[str]) -> tuple[str, dict[int, str]]:
    """What is said of the end itself, and of each seat that had left before it."""
    own, *others = re.split(rf"^({'|'.join(map(re.escape, names))}): ", detail, flags=re.MULTILINE)
    return own, {names.index(name): words for name, words in zip(others[::2], others[1::2], strict=True)}


def _last_words(record: Record, seat: int, detail: str) -> str:
    said = [line for line in detail.splitlines() if line.strip()][-1:]
    said = said or [refusal.reason for refusal in record.refusals if refusal.seat == seat][-1:]
    return plain(said[0].strip())[:LONGEST] if said else ""


async def _costs(house: House, match: MatchRow) -> Costs | None:
    """What the entrants of a finished race have paid, which only its record tells."""
    if match.status != "finished" or game(match.game).kind != "race":
        return None
    record = await house.store.record(match.id)
    return None if record is None else costs_of(record.result)


async def _matches(house: House, number: int) -> list[MatchRow]:
    """In the order of play."""
    return list(reversed(await house.store.matches(tournament=number, limit=ALL)))
