"""Plain connections: what is written comes back, in both databases and in bulk."""

import asyncio
from contextlib import AsyncExitStack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from palio_db.connections import BULK, Sql
from palio_db.database import POOL
from palio_db.store import Store
from palio_db.work import Exclusive

KEEP = Sql(
    "INSERT INTO kept VALUES (?, ?, ?)", "INSERT INTO kept SELECT * FROM unnest(%s::text[], %s::int[], %s::bytea[])"
)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
lines = st.lists(st.tuples(texts, st.integers(-(2**31), 2**31 - 1), st.binary()), min_size=1)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=lines)
@pytest.mark.parametrize("quoted", ['a"b', "a\\b", "{a,b}", "NULL", "", " a"])
async def test_lines_in_bulk_come_back_as_they_were(store, lines, quoted):
    many = [(quoted, number, quoted.encode()) for number in range(2 * BULK)]  # more than one statement takes
    lines = [*lines, *many]

    def keep(connection):
        connection.begin()
        connection.change(Sql.of("CREATE TEMPORARY TABLE kept (a text, b int, c {blob})", blob=("blob", "bytea")), [()])
        connection.change_bulk(KEEP, lines)
        found = connection.rows(Sql.of("SELECT a, b, c FROM kept"))
        connection.rollback()
        return found

    assert sorted(await store._database.query(keep)) == sorted(lines)


def test_a_statement_is_spelled_for_each_database():
    found = Sql.of("SELECT {a} WHERE x = ? AND y {b}", a="z", b=("= ?", "IN (?)"))
    assert found == Sql("SELECT z WHERE x = ? AND y = ?", "SELECT z WHERE x = %s AND y IN (%s)")


async def test_every_connection_of_every_kind_is_set_to_lose_nothing(tmp_path):
    """Those of the pool, the writer's and the reader's."""
    pragmas = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 10_000, "cell_size_check": 1}
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store:
        database = store._database

        def asked(connection):
            connection.rows(Sql("SELECT * FROM matches", ""))  # only then does it know the file's mode
            return {name: connection.rows(Sql(f"PRAGMA {name}", ""))[0][0] for name in pragmas}

        found = [await database.query(asked), await database.submit(Exclusive(asked))]
        async with AsyncExitStack() as stack:
            for _ in range(POOL):  # all of them at once, so that each is another one
                connection = await stack.enter_async_context(database.read())
                found.append({name: (await connection.execute(text(f"PRAGMA {name}"))).scalar() for name in pragmas})
    assert found == [pragmas] * (POOL + 2)


async def test_read_modify_writes_at_the_same_time_lose_nothing(tmp_path):
    async with (
        await Store.open(f"sqlite:///{tmp_path}/palio.db") as one,
        await Store.open(f"sqlite:///{tmp_path}/palio.db") as two,
    ):
        async with one._database.write() as connection:
            await connection.execute(text("CREATE TABLE counted (n INTEGER)"))
            await connection.execute(text("INSERT INTO counted VALUES (0)"))

        async def add(database):
            for _ in range(10):
                async with database.write() as connection:
                    n = (await connection.execute(text("SELECT n FROM counted"))).scalar_one()
                    await asyncio.sleep(0)
                    await connection.execute(text(f"UPDATE counted SET n = {n + 1}"))

        await asyncio.gather(*(add(store._database) for store in (one, two, one, two)))
        async with one._database.read() as connection:
            assert (await connection.execute(text("SELECT n FROM counted"))).scalar_one() == 40
