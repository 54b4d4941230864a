"""The speed of the store with a million matches: leaderboard, new result, next match to play.

    python benchmarks/bench_leaderboard.py                      # a million matches, 200 bots, SQLite and PostgreSQL
    python benchmarks/bench_leaderboard.py --matches 20000      # seconds instead of minutes

PostgreSQL is that of PALIO_TEST_POSTGRES (default postgresql://postgres@127.0.0.1:5432), and left out if there is none.
Both get a new database, which is dropped at the end. All is measured through `Store`, as the server uses it, with one
caller at a time unless stated. The leaderboard is compared with the simplest way of computing one, which is run in
between: all seats grouped by bot.
"""

import argparse
import asyncio
import os
import random
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import UTC, datetime
from itertools import combinations, islice, product
from pathlib import Path

import psycopg
from figures import Figure, keep
from past import GAME, PLIES, Past, fill_postgres, fill_sqlite
from sqlalchemy import text

from palio_db.event_values import EncounterRow, Plan, TournamentDraft
from palio_db.store import Store
from palio_db.values import Claim, JournalEntry, Rating
from palio_rules.contract.messages import Result
from palio_rules.records.record import Record, Setup

P95_MS = 5.0
AGAINST_GROUPING = 200.0  # times as fast, with a million matches to group
CPU_MS = 1.0  # of this process, for all work of the store for a match
WAITING = 20_000  # unplayable matches in the queue: the hardest case for the next claim
CALLERS = 8
GROUPING = "SELECT bot, count(*), sum(score) FROM seats GROUP BY bot ORDER BY 3 DESC"


async def timed(times: int, act: Callable[[], Awaitable[object]]) -> list[float]:
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        await act()
        spent.append((time.perf_counter() - start) * 1000)
    return sorted(spent)


def at(part: float, spent: list[float]) -> float:
    return spent[int(len(spent) * part)]


class Bench:
    """One database full of matches."""

    def __init__(self, name: str, store: Store, past: Past, times: int, group: Callable[[], Awaitable[object]]) -> None:
        self.name, self.store, self.past, self.times, self.group = name, store, past, times, group
        self.pick = random.Random(2)

    def keep(self, what: str, value: float, unit: str, goal: float | None, *, less_is_better: bool = True) -> None:
        size = f"{self.name}, {len(self.past.lines):,} matches: {what}"
        keep([Figure(size, value, unit, goal, less_is_better=less_is_better)])

    def show(self, what: str, spent: list[float], goal: float | None = None) -> None:
        self.keep(f"{what}, p95", at(0.95, spent), "ms", goal)
        print(f"{self.name:11} {what:58} {at(0.5, spent):8.2f} {at(0.95, spent):8.2f}", flush=True)

    def say(self, what: str, value: float, unit: str) -> None:
        print(f"{self.name:11} {what:58} {value:8,.2f} {unit}", flush=True)

    async def run(self) -> None:
        await self.leaderboards()
        await self.one_at_a_time()
        await self.cost()
        await self.at_once()
        await self.queues()

    async def leaderboards(self) -> None:
        board = await self.store.leaderboard(GAME)  # connect and warm up
        assert len(board.leaders) == len(self.past.bots)
        reading, grouping = [], []
        for _ in range(5):
            reading += await timed(self.times // 5, lambda: self.store.leaderboard(GAME))
            grouping += await timed(1, self.group)
        reading.sort()
        grouping.sort()
        self.show(f"leaderboard of {len(board.leaders)} bots", reading, P95_MS)
        self.show("the same by grouping all seats", grouping)
        times = at(0.5, grouping) / at(0.95, reading)
        goal = AGAINST_GROUPING if len(self.past.lines) >= 1_000_000 else None
        self.keep("leaderboard, p95, against grouping all seats", times, "times", goal, less_is_better=False)
        self.say("leaderboard, p95, against grouping all seats", times, "times as fast")

    async def one_at_a_time(self) -> None:
        await self.schedule(self.times)
        claims: list[Claim] = []

        async def claim() -> None:
            claims.append(await self.claim())

        self.show("claim the next match", await timed(self.times, claim), P95_MS)
        self.show("finish a match", await timed(self.times, lambda: self.finish(claims.pop())), P95_MS)
        bot = self.past.bots[0]
        self.show("newest 50 matches of a bot", await timed(self.times // 5, lambda: self.store.matches(bot=bot)))
        ratings = {bot: Rating(1500.0 + number, 20.0, False) for number, bot in enumerate(self.past.bots)}
        self.show("save all ratings", await timed(self.times // 5, lambda: self.store.save_ratings(GAME, ratings)))

    async def cost(self) -> None:
        """Measure the cost of a match for this process: with our threads, without the database server."""
        await self.schedule(self.times)
        start = time.process_time()
        for _ in range(self.times):
            claim = await self.claim()
            for half in (PLIES[: len(PLIES) // 2], PLIES[len(PLIES) // 2 :]):
                first = 1 if half[0] is PLIES[0] else 1 + len(PLIES) // 2
                entries = [
                    JournalEntry(claim.match, claim.epoch, number, ply) for number, ply in enumerate(half, first)
                ]
                await self.store.journal(entries)
            await self.finish(claim)
        each = (time.process_time() - start) / self.times * 1000
        what = f"CPU: claim, {len(PLIES)} plies of journal in two groups, finish"
        self.keep(what, each, "ms", CPU_MS)
        self.say(what, each, "ms")

    async def at_once(self) -> None:
        await self.schedule(self.times * 2)

        async def play() -> None:
            while claim := await self.store.claim("bench", 300, free={GAME: self.past.bots}):
                await self.finish(claim)

        start, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(play() for _ in range(CALLERS)))
        spent, cpu = time.perf_counter() - start, time.process_time() - cpu
        self.say(f"claim and finish, {CALLERS} callers at once", self.times * 2 / spent, "results/s")
        self.say("CPU of each", cpu / (self.times * 2) * 1000, "ms")

    async def queues(self) -> None:
        bots = self.past.bots
        absent = [(0, Setup(GAME, (bot, "absent"))) for bot in islice(bots * WAITING, WAITING)]
        await self.nothing_to_claim(absent, bots, f"{WAITING} that wait for one absent bot")
        few = bots[:: len(bots) // 10][:10]
        pairs = list(combinations(bots, 2))
        self.pick.shuffle(pairs)
        here = [(0, Setup(GAME, pair)) for pair in pairs if not set(pair) <= set(few)]
        await self.nothing_to_claim(here, few, f"{len(here)} of all pairs, {len(few)} bots free")
        half = bots[::2]
        across = [(0, Setup(GAME, pair)) for pair in product(half, bots[1::2])]
        await self.nothing_to_claim(across, half, f"{len(across)} of a free and a busy bot", goal=None)

    async def nothing_to_claim(
        self, setups: list[tuple[int, Setup]], free: list[str], what: str, goal: float | None = P95_MS
    ) -> None:
        number = await self.event("later", setups)

        async def claim() -> None:
            assert await self.store.claim("bench", 300, free={GAME: free}) is None

        self.show(f"claim: {what}", await timed(max(20, self.times // 5), claim), goal)
        async with self.store._database.write() as connection:  # noqa: SLF001  one by one would take minutes
            over = text("UPDATE matches SET status = 'aborted' WHERE status = 'scheduled' AND tournament = :number")
            await connection.execute(over, {"number": number})

    async def event(self, name: str, setups: list[tuple[int, Setup]]) -> int:
        """Create an event in which each of these is an encounter."""
        number = await self.store.create_event(TournamentDraft(name, GAME, "round_robin", {}, {}, stage="running"))
        rows = [EncounterRow(place, Plan(1, place, setup.bots)) for place, (_, setup) in enumerate(setups, 1)]
        games = [(place, 0, setup) for place, (_, setup) in enumerate(setups, 1)]
        await self.store.plan(number, rows, games, name)
        return number

    async def schedule(self, count: int) -> None:
        setups = [(0, Setup(GAME, tuple(self.pick.sample(self.past.bots, 2)))) for _ in range(count)]
        await self.event("now", setups)

    async def claim(self) -> Claim:
        claim = await self.store.claim("bench", 300, free={GAME: self.past.bots})
        assert claim is not None
        return claim

    async def finish(self, claim: Claim) -> None:
        moment, result = datetime.now(UTC), Result("rule", "far-row", [1.0, 0.0])
        await self.store.finish(claim, Record(claim.match, claim.setup, PLIES, result, moment, moment))


async def bench_sqlite(past: Past, times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.db"
        url = f"sqlite:///{file}"
        await (await Store.open(url)).close()
        start = time.perf_counter()
        fill_sqlite(file, past)
        size = file.stat().st_size / 2**20
        print(f"SQLite: filled in {time.perf_counter() - start:.0f} s, {size:.0f} MiB", flush=True)

        def group() -> None:
            with closing(sqlite3.connect(file)) as connection:
                connection.execute(GROUPING).fetchall()

        async with await Store.open(url) as store:
            await Bench("SQLite", store, past, times, lambda: asyncio.to_thread(group)).run()


async def bench_postgres(server: str, past: Past, times: int) -> None:
    try:
        admin = psycopg.connect(f"{server}/postgres", autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        print(f"PostgreSQL is left out: {str(error).splitlines()[0]}")
        return
    name = f"palio_bench_{secrets.token_hex(4)}"
    admin.execute(f"CREATE DATABASE {name}")
    try:
        url = f"{server}/{name}"
        await (await Store.open(url)).close()
        start = time.perf_counter()
        fill_postgres(url, past)
        size = admin.execute(f"SELECT pg_database_size('{name}') / 1048576").fetchone()[0]
        print(f"PostgreSQL: filled in {time.perf_counter() - start:.0f} s, {size} MiB", flush=True)

        def group() -> None:
            with psycopg.connect(url) as connection:
                connection.execute(GROUPING).fetchall()

        async with await Store.open(url) as store:
            await Bench("PostgreSQL", store, past, times, lambda: asyncio.to_thread(group)).run()
    finally:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        admin.close()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--times", type=int, default=500, help="how often each thing is measured")
    parser.add_argument("--only", choices=["sqlite", "postgresql"], help="measure one of the two")
    given = parser.parse_args()
    past = Past(given.matches, given.bots)
    print(f"{given.matches:,} matches of {given.bots} bots; milliseconds, {given.times} times each")
    print(f"{'':11} {'':58} {'p50':>8} {'p95':>8}")
    if given.only != "postgresql":
        await bench_sqlite(past, given.times)
    server = os.environ.get("PALIO_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432").rstrip("/")
    if given.only != "sqlite":
        await bench_postgres(server, past, given.times)


if __name__ == "__main__":
    asyncio.run(main())
