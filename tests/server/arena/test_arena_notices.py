"""A match scheduled by another process begins at once through PostgreSQL's notices; and soon, where there are none."""

import asyncio
import secrets
import time

import psycopg
import pytest

from palio_db.store import Store
from palio_server.arena.arena import LOOK_S, TOLD_LOOK_S

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("small_games")]

KILL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN palio%%' AND datname = %s"


@pytest.fixture
def database(postgres_url):
    name = f"palio_test_{secrets.token_hex(6)}"
    with psycopg.connect(f"{postgres_url}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield name
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


async def begins(world, store, setup, within):
    """Schedule a match by another store; after how many seconds it is played here."""
    match = await store.schedule(setup("ann", "bob"))
    since = time.monotonic()
    async with asyncio.timeout(within):
        while match not in world.begun:  # noqa: ASYNC110  # it happens in another task
            await asyncio.sleep(0.005)
    return time.monotonic() - since


async def until(ready):
    async with asyncio.timeout(10):
        while not ready():  # noqa: ASYNC110  # it happens in the database
            await asyncio.sleep(0.01)


@pytest.mark.slow
async def test_a_match_begins_at_once_or_within_the_look_while_nobody_listens(
    new_world, setup, postgres_url, database, monkeypatch
):
    url = f"{postgres_url}/{database}"
    async with await Store.open(url) as store, await Store.open(url) as other:
        notices = store.notices()
        world = new_world(store, notices=notices)
        world.begun = []
        world.arena.on_start.append(world.begun.append)
        world.bot("ann", think=0.01), world.bot("bob", think=0.01)
        listening = asyncio.create_task(notices.run())
        async with world.open():
            await until(lambda: notices.listening)
            await asyncio.sleep(0.1)  # nothing more to look at for TOLD_LOOK_S
            assert await begins(world, other, setup, 5) < LOOK_S / 2 < TOLD_LOOK_S
            await until(lambda: not world.arena.playing())

            async def refuse(*_words, **_more):
                raise psycopg.OperationalError("no connection today")

            with monkeypatch.context() as patched:
                patched.setattr(psycopg.AsyncConnection, "connect", refuse)
                with psycopg.connect(f"{postgres_url}/postgres", autocommit=True) as connection:
                    connection.execute(KILL, (database,))
                await until(lambda: not notices.listening)
                for _ in range(2):
                    assert await begins(world, other, setup, 5) < LOOK_S + 0.5
                    await until(lambda: not world.arena.playing())
            await until(lambda: notices.listening)
            await asyncio.sleep(0.1)
            assert await begins(world, other, setup, 5) < LOOK_S / 2
        listening.cancel()
        await asyncio.wait([listening])
