"""The delay of a takeover on busy servers: from kill -9 of one to the other's claim of its matches.

Real servers on one database, each with bots of the same names and with more matches waiting than it may play. One of
them is killed repeatedly, always a new one; the other has a full load. Linux only.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgspec
from figures import Figure, environment, keep, table
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from palio_db.store import Store
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

SPARE_S = 5.0  # the goal: no later than this after the end of the lease
BOTS = 8
THINK_S = (0.2, 0.5)  # for each move: a match takes half a minute, far longer than a takeover may take
LOST = (OSError, WebSocketException, TimeoutError)
SERVE = (sys.executable, "-c", "from palio_server.cli import main; main()", "serve", "--port", "0")


class Server:
    """A child process `palio serve`."""

    def __init__(self, db: str, worker: str, concurrency: int, lease_s: float, folder: Path) -> None:
        words = [*SERVE, "--db", db, "--worker", worker, "--concurrency", str(concurrency), "--house-bots", "0"]
        self.worker = worker
        with (folder / f"{worker}.log").open("wb") as log:
            self.process = subprocess.Popen(
                words, env=environment() | {"PALIO_LEASE_S": f"{lease_s:g}"}, stdout=subprocess.PIPE, stderr=log
            )
        assert self.process.stdout is not None
        said = self.process.stdout.readline().decode()
        if "serves on" not in said:
            raise SystemExit(f"the server {worker} does not start: {(folder / f'{worker}.log').read_text()}")
        self.url = said.split("serves on ")[1].partition(",")[0].replace("http", "ws", 1)

    def kill(self) -> float:
        """Kill it; return the time."""
        self.process.kill()
        at = time.monotonic()
        self.process.wait()
        return at

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
            self.process.kill()
        self.process.wait()


async def bot(url: str, name: str, slots: int) -> None:
    """Play any move after a delay, and stay until the server has gone."""
    with contextlib.suppress(*LOST):
        async with connect(f"{url}/ws/bot", subprotocols=["palio.1.json"], compression=None, proxy=None) as socket:
            await socket.send(json.dumps({"type": "hello", "name": name, "games": ["breakthrough"], "slots": slots}))
            async with asyncio.TaskGroup() as moves:
                async for data in socket:
                    message = json.loads(data)
                    if message["type"] == "game":
                        await socket.send(json.dumps({"type": "ready", "match": message["match"]}))
                    elif message["type"] == "turn":
                        moves.create_task(_move(socket, message))


async def _move(socket: Any, turn: dict[str, Any]) -> None:
    await asyncio.sleep(random.uniform(*THINK_S))
    with contextlib.suppress(*LOST):
        answer = {"type": "move", "match": turn["match"], "id": turn["id"], "move": random.choice(turn["moves"])}
        await socket.send(json.dumps(answer))


@contextlib.asynccontextmanager
async def with_bots(server: Server, slots: int) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(bot(server.url, f"bot{number}", slots)) for number in range(BOTS)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def held(store: Store, worker: str) -> dict[str, int]:
    """Return the worker's running matches, and the epoch of each."""
    rows = await store.matches(status="running", limit=10_000)
    return {row.id: row.epoch for row in rows if row.worker == worker}


async def schedule(store: Store, matches: int) -> None:
    time_control = TimeControl.parse("600+5")
    pairs = [random.sample(range(BOTS), 2) for _ in range(matches)]
    await store.schedule_many(
        [
            Setup(game="breakthrough", bots=(f"bot{one}", f"bot{other}"), time=time_control, seed=number)
            for number, (one, other) in enumerate(pairs)
        ]
    )


async def takeovers(args: argparse.Namespace, folder: Path) -> list[float]:
    """Return seconds from the kill to the claim, for each match; inf without a claim within a minute."""
    found: list[float] = []
    survivor = Server(args.db, "survivor", args.matches, args.lease, folder)
    try:
        async with await Store.open(args.db) as store, with_bots(survivor, 3 * args.matches):
            for kill in range(args.kills):
                if args.waiting:
                    await schedule(store, 6 * args.matches)
                victim = Server(args.db, f"victim{kill}", args.matches, args.lease, folder)
                async with with_bots(victim, args.matches):
                    if not args.waiting:
                        await schedule(store, 2 * args.matches)
                    await _until_busy(store, victim.worker, args.matches)
                    await asyncio.sleep(random.uniform(0, args.lease / 3))  # at any time between two renewals
                    matches = await held(store, victim.worker)
                    at = victim.kill()
                    found += await _taken_over(store, victim.worker, matches, at)
                print(f"kill {kill + 1}: {[round(s, 2) for s in found[-len(matches) :]]}", file=sys.stderr, flush=True)
    finally:
        survivor.close()
    return found


async def _until_busy(store: Store, worker: str, matches: int) -> None:
    async with asyncio.timeout(60):
        while len(await held(store, worker)) < matches / 2:  # noqa: ASYNC110  # the event is in another process
            await asyncio.sleep(0.05)


async def _taken_over(store: Store, worker: str, matches: dict[str, int], killed: float) -> list[float]:
    """Return the takeover times; a match counts as taken over when a live worker has it."""
    taken: dict[str, float] = {}
    while len(taken) < len(matches) and time.monotonic() - killed < 60:
        for match in matches.keys() - taken.keys():
            row = await store.match(match)
            if row is not None and row.status == "finished" and row.worker == worker:
                taken[match] = -1.0  # it had just ended when its server was killed
            elif row is not None and row.worker not in (None, worker):
                taken[match] = time.monotonic() - killed
        await asyncio.sleep(0.02)
    return [seconds for match in matches if (seconds := taken.get(match, float("inf"))) >= 0]


@contextlib.contextmanager
def database(where: str, folder: Path) -> Iterator[str]:
    """Yield a new SQLite file, or a new database of a PostgreSQL server, which is dropped afterwards."""
    if where == "sqlite":
        yield f"sqlite:///{folder}/palio.db"
        return
    import psycopg  # noqa: PLC0415  # needs a PostgreSQL server

    name = f"palio_takeover_{os.getpid()}"
    server = where.rpartition("/")[0] + "/postgres"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{where.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def percentile(values: list[float], percent: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", default="sqlite", help="sqlite, or postgresql://USER@HOST/ANY")
    parser.add_argument("--lease", type=float, default=6.0, help="seconds")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--matches", type=int, default=8, help="of each server at once")
    parser.add_argument("--waiting", action=argparse.BooleanOptionalAction, default=True, help="matches wait besides")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="palio-takeover-") as name, database(args.on, Path(name)) as args.db:
        found = asyncio.run(takeovers(args, Path(name)))
    goal = args.lease + SPARE_S
    of = f"{len(found)} matches of {args.kills} killed servers, {'others wait' if args.waiting else 'none wait'}"
    figures = [
        Figure("taken over after kill -9, median", percentile(found, 50), "s", note=of),
        Figure("taken over after kill -9, p99", percentile(found, 99), "s", goal, less_is_better=True),
    ]
    keep(figures)
    print(msgspec.json.encode(figures).decode() if args.json else table(figures))


if __name__ == "__main__":
    main()
