"""A connection in a thread: found again after it was lost, and in order after work that failed."""

import psycopg
import pytest

from palio_db.store import Store


@pytest.mark.parametrize("url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
async def test_plain_connections_that_the_server_has_closed_cost_no_transaction(url, make):
    async with await Store.open(url) as store:
        await make.play(store)
        await store.schedule(make.setup())
        for _ in range(2):
            with psycopg.connect(url, autocommit=True) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            assert len((await store.leaderboard("nim")).leaders) == 2
            claim = await store.claim("w", 30)
            assert await store.release(claim)


async def test_what_work_raises_reaches_who_asked_and_the_next_finds_the_connection_in_order(store):
    def fail(connection):
        connection.begin()
        raise LookupError("of ours")

    with pytest.raises(LookupError, match="of ours"):
        await store._database.query(fail)
    assert await store.rated_games() == []
