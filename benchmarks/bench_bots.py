"""The response time of a bot's page among a million matches of which the bot has played 20,000.

    python benchmarks/bench_bots.py                      # a million matches, SQLite and PostgreSQL
    python benchmarks/bench_bots.py --matches 20000      # seconds instead of minutes

PostgreSQL is that of PALIO_TEST_POSTGRES (default postgresql://postgres@127.0.0.1:5432), and left out if there is none.
Each query is about another bot each time, through `BotReader` and `Store`, as in the server.
"""

import argparse
import asyncio
import os
import secrets
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg
from figures import Figure, keep
from past import GAME, Past, fill_postgres, fill_sqlite

from palio_db.match_search import MatchQuery
from palio_db.store import Store
from palio_db.values import Rating
from palio_server.api.bot_reader import FORM, SAMPLE

P95_MS = 50.0
BOTS = 100  # of which each plays in a fiftieth of all matches
TIMES = 60


async def ask(store: Store, past: Past, label: str) -> None:
    await store.save_ratings(GAME, {bot: Rating(1500.0 + number, 20.0, False) for number, bot in enumerate(past.bots)})
    bots = past.bots

    async def profile(bot: str) -> object:
        return (
            await store.standings(bot),
            await store.outcomes(bot),
            await store.profiles([bot]),
            await store.is_registered(bot),
        )

    async def report(bot: str) -> object:
        return (
            await store.opponents(bot, GAME),
            await store.form(bot, GAME, FORM),
            await store.newest_records(bot, GAME, SAMPLE),
        )

    def search(**query: object) -> Callable[[str], Awaitable[object]]:
        return lambda bot: store.search(MatchQuery(status="finished", bot=bot, **query))  # type: ignore[arg-type]

    questions: dict[str, Callable[[str], Awaitable[object]]] = {
        "profile": profile,
        "report": report,
        "matches": search(),
        "matches lost": search(game=GAME, outcomes=("lost",)),
        "matches by a fault, of which there is none": search(game=GAME, outcomes=("time", "illegal")),
        "matches against another": lambda bot: store.search(
            MatchQuery(bot=bot, against=bots[0 if bot != bots[0] else 1])
        ),
        "matches against one that it never met": lambda bot: store.search(MatchQuery(bot=bot, against="nobody")),
        "all matches on time, of which there is none": lambda _: store.search(MatchQuery(terminations=("time",))),
        "search by a part of a name": lambda bot: store.search(MatchQuery(q=bot[1:])),
        "search for a name that nobody has": lambda _: store.search(MatchQuery(q="nobody")),
    }
    for what, question in questions.items():
        spent = []
        await question(bots[-1])
        for number in range(TIMES):
            start = time.perf_counter()
            await question(bots[number % len(bots)])
            spent.append((time.perf_counter() - start) * 1000)
        spent.sort()
        p95 = spent[int(len(spent) * 0.95)]
        keep([Figure(f"{label}, {len(past.lines):,} matches: {what}, p95", p95, "ms", P95_MS)])
        print(f"{label:11} {what:50} {spent[len(spent) // 2]:8.2f} {p95:8.2f}", flush=True)


async def on_sqlite(past: Past) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "palio.db"
        await (await Store.open(f"sqlite:///{file}")).close()
        fill_sqlite(file, past)
        async with await Store.open(f"sqlite:///{file}") as store:
            await ask(store, past, "SQLite")


async def on_postgres(past: Past, server: str) -> None:
    name = f"palio_bench_{secrets.token_hex(6)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            await (await Store.open(f"{server}/{name}")).close()
            fill_postgres(f"{server}/{name}", past)
            async with await Store.open(f"{server}/{name}") as store:
                await ask(store, past, "PostgreSQL")
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    arguments = parser.parse_args()
    past = Past(arguments.matches, BOTS)
    print(f"{'':11} {'':50} {'median':>8} {'p95':>8}  ms")
    if arguments.only != "postgresql":
        asyncio.run(on_sqlite(past))
    server = os.environ.get("PALIO_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432")
    if arguments.only != "sqlite":
        try:
            psycopg.connect(f"{server}/postgres", connect_timeout=3).close()
        except psycopg.OperationalError as error:
            print(f"PostgreSQL is left out: {error}")
        else:
            asyncio.run(on_postgres(past, server))


if __name__ == "__main__":
    main()
