"""PostgreSQL says what other processes change, in the transaction of the change; a lost connection comes back."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from palio_db.connections import Sql
from palio_db.errors import StoreError
from palio_db.notices import CHANGES, MATCHES, Notices
from palio_db.store import Store

KILL = Sql(
    "",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE query LIKE 'LISTEN palio%%' AND datname = current_database()",
)


async def until(ready: Callable[[], object], seconds: float = 10) -> None:
    async with asyncio.timeout(seconds):
        while not ready():  # noqa: ASYNC110  # it happens in the database
            await asyncio.sleep(0.01)


@asynccontextmanager
async def heard(store: Store) -> AsyncIterator[tuple[Notices, list[str]]]:
    notices, calls = store.notices(), list[str]()
    for name in (MATCHES, CHANGES):
        notices.on(name, lambda name=name: calls.append(name))
    task = asyncio.create_task(notices.run())
    await until(lambda: notices.listening)
    calls.clear()
    yield notices, calls
    task.cancel()
    await asyncio.wait([task])


@pytest.fixture(params=[pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(postgres_database: str, request: pytest.FixtureRequest) -> str:
    import psycopg

    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return postgres_database


async def test_what_another_process_schedules_gives_back_or_revokes_is_heard_at_once(store, url, make):
    async with await Store.open(url) as other, heard(store) as (_, calls):
        await other.schedule(make.setup())
        await until(lambda: calls == [MATCHES])
        claim = await other.claim("other", 30)
        await other.renew([claim], 60)
        await other.release(claim)
        await until(lambda: calls == [MATCHES, MATCHES])  # of the claim and the renewal nothing was said
        await other.schedule_many([make.setup(), make.setup("cleo", "dan")])
        await until(lambda: calls == [MATCHES] * 3)
        await other.issue_token(["admin"])
        await other.revoke_token(1)
        await until(lambda: calls == [*[MATCHES] * 3, CHANGES])
        claim = await other.claim("other", -5)
        await other.reschedule([claim.match], 1)
        await until(lambda: calls == [*[MATCHES] * 3, CHANGES, MATCHES])


async def test_nothing_is_said_of_what_was_rolled_back(store, url, make):
    async with await Store.open(url) as other, heard(store) as (_, calls):
        with pytest.raises(StoreError):  # the first match is written, the other one undoes it
            await other.schedule_many([make.setup(), make.setup("same", "same")])
        await other.schedule(make.setup())
        await until(lambda: calls)
        assert calls == [MATCHES]


async def test_a_connection_that_is_killed_is_told_of_and_comes_back(store, caplog, make, url):
    async with await Store.open(url) as other, heard(store) as (notices, calls):
        await other._database.query(lambda connection: connection.rows(KILL))
        await until(lambda: len(calls) == 4)  # lost, and there again: both times everybody looks
        assert notices.listening
        calls.clear()
        await other.schedule(make.setup())
        await until(lambda: calls == [MATCHES])
    assert caplog.text.count("tells of no changes now") == 1


async def test_sqlite_says_nothing(tmp_path):
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store:
        notices = store.notices()
        await notices.run()
        assert not notices.listening
