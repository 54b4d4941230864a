"""kill -9 of a server while another one is as busy as it may be: that one goes on with the dead one's matches, soon."""

import asyncio
import json
import secrets
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress

import psycopg
import pytest
from command import Palio, Started
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from palio_db.store import Store
from palio_db.values import MatchRow
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

LEASE_S, SPARE_S = 3.0, 5.0
THINK_S = 0.15  # a match takes some ten seconds, so that none ends while it is taken over
LOST = (OSError, WebSocketException)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def db(request: pytest.FixtureRequest, palio: Palio) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{palio.folder}/palio.db"
        return
    server, name = request.getfixturevalue("postgres_url"), f"palio_takeover_{secrets.token_hex(6)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{server}/{name}"
        palio.close()
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


async def play(url: str, name: str) -> None:
    """First moves, after a while, until the server is gone."""
    with suppress(*LOST):
        async with connect(f"{url}/ws/bot", subprotocols=["palio.1.json"], proxy=None) as socket:
            await socket.send(json.dumps({"type": "hello", "name": name, "games": ["breakthrough"], "slots": 4}))
            async for data in socket:
                message = json.loads(data)
                if message["type"] == "game":
                    await socket.send(json.dumps({"type": "ready", "match": message["match"]}))
                elif message["type"] == "turn":
                    await asyncio.sleep(THINK_S)
                    move = {"type": "move", "match": message["match"], "id": message["id"]}
                    await socket.send(json.dumps({**move, "move": message["moves"][0]}))


@asynccontextmanager
async def bots(url: str) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(play(url, name)) for name in ("ann", "bob", "cleo", "dan")]
    yield
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def rows(store: Store, wanted: Callable[[MatchRow], bool]) -> list[MatchRow]:
    return [row for row in await store.matches(limit=100) if wanted(row)]


def running_at(worker: str) -> Callable[[MatchRow], bool]:
    return lambda row: row.status == "running" and row.worker == worker


async def until(store: Store, wanted: Callable[[MatchRow], bool], count: int, within: float) -> list[MatchRow]:
    deadline = time.monotonic() + within
    while len(found := await rows(store, wanted)) < count:
        assert time.monotonic() < deadline, await store.matches(limit=100)
        await asyncio.sleep(0.05)
    return found


def serve(palio: Palio, db: str, worker: str) -> tuple[Started, str]:
    palio.env["PALIO_LEASE_S"] = str(LEASE_S)
    words = ("serve", "--port", "0", "--db", db, "--worker", worker, "--concurrency", "2", "--house-bots", "0")
    server = palio.start(*words)
    url = server.line_with("serves on").split("serves on ")[1].partition(",")[0]
    return server, url.replace("http", "ws", 1)


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_a_full_server_with_matches_waiting_takes_over_from_one_that_was_killed(palio: Palio, db: str):
    victim, first = serve(palio, db, "victim")
    other, second = serve(palio, db, "survivor")
    async with await Store.open(db) as store, bots(first), bots(second):
        clock = TimeControl.parse("300+5")
        pairs = [("ann", "bob"), ("cleo", "dan"), ("ann", "cleo"), ("bob", "dan")]
        await store.schedule_many([Setup(game="breakthrough", bots=pair, time=clock) for pair in pairs * 3])
        orphans = await until(store, running_at("victim"), 2, 30)
        await until(store, running_at("survivor"), 2, 30)
        assert await asyncio.to_thread(victim.end, signal.SIGKILL) == -signal.SIGKILL
        killed, taken = time.monotonic(), {orphan.id for orphan in orphans}
        while len(await rows(store, lambda row: row.worker == "survivor" and row.id in taken)) < len(taken):
            assert time.monotonic() - killed < LEASE_S + SPARE_S
            await asyncio.sleep(0.05)
        assert time.monotonic() - killed > LEASE_S / 2  # not while the victim may have been alive
        assert await rows(store, lambda row: row.status == "scheduled")  # there was something else to begin
        finished = await until(store, lambda row: row.id in taken and row.status == "finished", 2, 120)
        assert {row.epoch for row in finished} == {2}
        assert await store.recount() == []
    assert other.end(signal.SIGTERM) == 0
