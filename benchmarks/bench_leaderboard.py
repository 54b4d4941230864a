"""How fast the store answers when it remembers a million matches: leaderboard, new result, next match to play.

    python benchmarks/bench_leaderboard.py                      # a million matches, 200 bots, SQLite and PostgreSQL
    python benchmarks/bench_leaderboard.py --matches 20000      # seconds instead of minutes

PostgreSQL is that of PALIO_TEST_POSTGRES (default postgresql://postgres@127.0.0.1:5432), and left out if there is
none. Both get a database of their own, which goes at the end. All is measured through `Store`, as the server uses it,
with one caller at a time. The bounds are: leaderboard and result below 5 ms at the 95th percentile.
"""

import argparse
import asyncio
import os
import random
import secrets
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import psycopg
from figures import Figure, keep

from palio_db.store import Store
from palio_db.store_part import Ids
from palio_db.values import Rating
from palio_rules.contract.messages import Result
from palio_rules.records.record import Ply, Record, Setup

GAME = "breakthrough"
P95_MS = 5.0
START = datetime(2026, 1, 1, tzinfo=UTC)
WAITING = 20_000  # matches in the queue that nobody can play: the hardest case for the next claim
PLIES = tuple(Ply(number % 2, [[6, number % 8], [5, number % 8]], 40) for number in range(40))

MATCH = (
    "id",
    "game",
    "status",
    "seat0",
    "round",
    "event",
    "created_at",
    "finished_at",
    "epoch",
    "plies",
    "setup",
    "record",
)
SEAT = ("match", "seat", "bot", "score")
PAIR = ("game", "first", "second", "wins", "draws", "losses")
COUNTERS = ("games", "wins", "draws", "losses", "points", "illegal_moves", "time_losses", "think_ms", "plies")
RATING = ("game", "bot", "rating", "error", "provisional", *COUNTERS, "form")
Rows = Iterator[tuple[Any, ...]]


class Past:
    """Made-up matches as rows of tables; the sums agree with the matches."""

    def __init__(self, matches: int, bots: int) -> None:
        self.bots = [f"bot-{number:03}" for number in range(bots)]
        self.wins: Counter[tuple[str, str]] = Counter()
        pick, ids = random.Random(1), Ids()
        self.lines = [(ids.next(), *pick.sample(self.bots, 2)) for _ in range(matches)]  # the first of two wins
        self.wins.update((winner, loser) for _, winner, loser in self.lines)

    def matches(self) -> Rows:
        for number, (match, winner, loser) in enumerate(self.lines):
            setup, at = Setup(GAME, (winner, loser)), START + timedelta(seconds=number)
            data = msgspec.json.encode(Record(match, setup, PLIES, Result("rule", "far-row", [1.0, 0.0]), at, at))
            yield match, GAME, "finished", winner, 0, "", at, at, 1, len(PLIES), msgspec.json.encode(setup), data

    def seats(self) -> Rows:
        for match, winner, loser in self.lines:
            yield match, 0, winner, 1.0
            yield match, 1, loser, 0.0

    def pairs(self) -> Rows:
        for first, second in {tuple(sorted(pair)) for pair in self.wins}:
            yield GAME, first, second, self.wins[first, second], 0, self.wins[second, first]

    def ratings(self) -> Rows:
        wins: Counter[str] = Counter()
        losses: Counter[str] = Counter()
        for (winner, loser), count in self.wins.items():
            wins[winner] += count
            losses[loser] += count
        for bot in self.bots:
            games = wins[bot] + losses[bot]
            own = games * len(PLIES) // 2
            counters = (games, wins[bot], 0, losses[bot], float(wins[bot]), 0, 0, own * 40, own)
            yield GAME, bot, 1500.0, 20.0, False, *counters, "WLWLWLWLWL"

    def tables(self) -> list[tuple[str, tuple[str, ...], Rows]]:
        return [
            ("matches", MATCH, self.matches()),
            ("seats", SEAT, self.seats()),
            ("pair_scores", PAIR, self.pairs()),
            ("ratings", RATING, self.ratings()),
        ]


def fill_sqlite(file: Path, past: Past) -> None:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    for table, columns, rows in past.tables():
        marks = ", ".join("?" * len(columns))
        plain = (tuple(f"{v:%F %T.%f}" if isinstance(v, datetime) else v for v in row) for row in rows)
        connection.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", plain)
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with file.open("rb") as written:
        os.fsync(written)  # or the disk would still be busy with gigabytes while we measure commits


def fill_postgres(url: str, past: Past) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for table, columns, rows in past.tables():
            with connection.cursor().copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")


async def timed(times: int, act: Callable[[], Awaitable[object]]) -> list[float]:
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        await act()
        spent.append((time.perf_counter() - start) * 1000)
    return sorted(spent)


async def measure(name: str, url: str, past: Past, times: int) -> None:
    async with await Store.open(url) as store:

        def show(what: str, spent: list[float], goal: float | None = None) -> None:
            p50, p95 = spent[len(spent) // 2], spent[int(len(spent) * 0.95)]
            size = f"{len(past.lines):,} matches"
            keep([Figure(f"{name}, {size}: {what}, p95", p95, "ms", goal, less_is_better=True)])
            print(f"{name:11} {what:44} {p50:8.2f} {p95:8.2f}", flush=True)

        pick = random.Random(2)
        pairs = [tuple(pick.sample(past.bots, 2)) for _ in range(times)]
        await store.create_tournament("now", GAME, {}, [(0, Setup(GAME, pair)) for pair in pairs])
        free = {GAME: past.bots}
        claims: list[Any] = []

        async def claim() -> None:
            claims.append(await store.claim("bench", 300, free=free))

        async def finish() -> None:
            one, moment = claims.pop(), datetime.now(UTC)
            result = Result("rule", "far-row", [1.0, 0.0])
            await store.finish(one, Record(one.match, one.setup, PLIES, result, moment, moment))

        await store.leaderboard(GAME)  # connect and warm up
        show(f"leaderboard of {len(past.bots)} bots", await timed(times, lambda: store.leaderboard(GAME)), P95_MS)
        show("claim the next match", await timed(times, claim))
        show("finish a match", await timed(times, finish), P95_MS)
        show("leaderboard after these results", await timed(times, lambda: store.leaderboard(GAME)))
        show("newest 50 matches of a bot", await timed(times, lambda: store.matches(bot=past.bots[0])))
        ratings = {bot: Rating(1500.0 + number, 20.0, False) for number, bot in enumerate(past.bots)}
        show("save all ratings", await timed(times // 5, lambda: store.save_ratings(GAME, ratings)))
        absent = [(0, Setup(GAME, (bot, "absent"))) for bot in islice(past.bots * WAITING, WAITING)]
        await store.create_tournament("later", GAME, {}, absent)
        show(f"claim: none of {WAITING}, all have an absent bot", await timed(20, claim))
        free[GAME] = past.bots[:2]
        show(f"claim: none of {WAITING}, only two bots free", await timed(20, claim))


async def bench_sqlite(past: Past, times: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.db"
        url = f"sqlite:///{file}"
        await (await Store.open(url)).close()
        start = time.perf_counter()
        fill_sqlite(file, past)
        size = file.stat().st_size / 2**20
        print(f"SQLite: filled in {time.perf_counter() - start:.0f} s, {size:.0f} MiB", flush=True)
        await measure("SQLite", url, past, times)


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
        await measure("PostgreSQL", url, past, times)
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
    print(f"{'':11} {'':44} {'p50':>8} {'p95':>8}")
    if given.only != "postgresql":
        await bench_sqlite(past, given.times)
    server = os.environ.get("PALIO_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432").rstrip("/")
    if given.only != "sqlite":
        await bench_postgres(server, past, given.times)


if __name__ == "__main__":
    asyncio.run(main())
