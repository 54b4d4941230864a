"""The delay until a server begins a match that another process has scheduled, and its queries on an idle database.

A real `palio serve` on PostgreSQL with two bots connected; this process writes into the database, as `palio match
schedule --db` does. The statements of an idle server are counted by sampling PostgreSQL's activity.
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from pathlib import Path

import msgspec
from bench_takeover import Server, database, percentile
from figures import Figure, keep, table
from websockets.asyncio.client import connect

from palio_db.connections import Sql
from palio_db.store import Store
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

NEWEST = Sql(
    "",
    "SELECT pid, query_start FROM pg_stat_activity WHERE datname = current_database() "
    "AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
)
SETTLE_S = 3.0  # until the bots are connected
REST_S = 5.0  # until the work after the last match is done


async def bot(url: str, name: str, begun: dict[str, float]) -> None:
    """Play any move at once, and record the time of each new match."""
    async with connect(f"{url}/ws/bot", subprotocols=["palio.1.json"], compression=None, proxy=None) as socket:
        await socket.send(json.dumps({"type": "hello", "name": name, "games": ["breakthrough"]}))
        async for data in socket:
            message = json.loads(data)
            if message["type"] == "game":
                begun.setdefault(message["match"], time.monotonic())
                await socket.send(json.dumps({"type": "ready", "match": message["match"]}))
            elif message["type"] == "turn":
                move = {"type": "move", "match": message["match"], "id": message["id"]}
                await socket.send(json.dumps({**move, "move": random.choice(message["moves"])}))


async def measured(args: argparse.Namespace, folder: Path) -> tuple[list[float], float]:
    """Return seconds from each commit to the bot's news of the match, and idle statements a second."""
    server = Server(args.db, "noticed", 8, 30.0, folder)
    begun: dict[str, float] = {}
    waits = []
    try:
        async with await Store.open(args.db) as store:
            bots = [asyncio.create_task(bot(server.url, name, begun)) for name in ("ann", "bob")]
            await asyncio.sleep(SETTLE_S)
            for seed in range(args.times):
                setup = Setup("breakthrough", ("ann", "bob"), time=TimeControl.parse("60"), seed=seed)
                match, at = await store.schedule(setup), time.monotonic()
                async with asyncio.timeout(30):
                    while match not in begun:  # noqa: ASYNC110  # the event is in another process
                        await asyncio.sleep(0.001)
                waits.append(begun[match] - at)
                await asyncio.sleep(random.uniform(0.8, 2.0))  # the match is over, and polling is not in step
            await asyncio.sleep(REST_S)
            idle = await _statements(store, args.idle) / args.idle
            for each in bots:
                each.cancel()
            await asyncio.wait(bots)
    finally:
        server.close()
    return waits, idle


async def _statements(store: Store, seconds: float) -> int:
    """Return how many others have run meanwhile; two within a hundredth of a second on one connection count as one."""
    seen: set[object] = set()
    end = time.monotonic() + seconds
    ask = store._database.query  # noqa: SLF001  # no public name exists for it
    first = len(await ask(lambda connection: connection.rows(NEWEST)))
    while time.monotonic() < end:
        seen.update(await ask(lambda connection: connection.rows(NEWEST)))
        await asyncio.sleep(0.01)
    return len(seen) - first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", default="postgresql://postgres@127.0.0.1/postgres", help="postgresql://USER@HOST/ANY")
    parser.add_argument("--times", type=int, default=40, help="matches")
    parser.add_argument("--idle", type=float, default=20.0, help="seconds for which nothing happens")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palio-notices-") as name, database(args.on, Path(name)) as args.db:
        waits, idle = asyncio.run(measured(args, Path(name)))
    figures = [
        Figure("scheduled elsewhere until it begins, median", percentile(waits, 50), "s", 0.05, less_is_better=True),
        Figure("scheduled elsewhere until it begins, p99", percentile(waits, 99), "s"),
        Figure("statements of an idle server", idle, "/s", 1.0, less_is_better=True),
    ]
    keep(figures)
    print(msgspec.json.encode(figures).decode() if args.json else table(figures))


if __name__ == "__main__":
    main()
