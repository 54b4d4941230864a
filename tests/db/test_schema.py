"""The tables: migrations build what the models say, whoever starts first; strange databases are refused."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from palio_db.address import Address
from palio_db.database import Database
from palio_db.errors import WrongDatabase
from palio_db.models import Base
from palio_db.schema import VERSION_TABLE
from palio_db.store import Store


@pytest.fixture
async def database(url):
    found = Database(Address.parse(url))
    yield found
    await found.close()


def description(connection: Connection) -> dict[str, object]:
    """All that both databases tell of their tables."""
    inspector = inspect(connection)
    return {
        table: {
            "columns": [(c["name"], str(c["type"]), c["nullable"], c["default"]) for c in inspector.get_columns(table)],
            "primary": inspector.get_pk_constraint(table)["constrained_columns"],
            "foreign": sorted(map(str, inspector.get_foreign_keys(table))),
            "unique": sorted(map(str, inspector.get_unique_constraints(table))),
            "check": sorted(map(str, inspector.get_check_constraints(table))),
            "index": sorted(map(str, inspector.get_indexes(table))),
        }
        for table in inspector.get_table_names()
        if table != VERSION_TABLE
    }


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection")  # SQLite: the index on `rating DESC`
async def test_alembic_finds_no_difference_between_migrations_and_models(store):
    def differences(connection: Connection) -> object:
        options = {"compare_type": True, "version_table": VERSION_TABLE}
        return compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata)

    async with store._database.read() as connection:
        assert await connection.run_sync(differences) == []


async def test_migrations_build_the_very_tables_of_the_models(url, database):
    async with await Store.open(url) as store, store._database.read() as connection:
        migrated = await connection.run_sync(description)
    async with database.write() as connection:
        await connection.execute(text(f"DROP TABLE {VERSION_TABLE}"))
        await connection.run_sync(Base.metadata.drop_all)
        await connection.run_sync(Base.metadata.create_all)
        modelled = await connection.run_sync(description)
    assert migrated == modelled
    assert len(migrated) == 10


async def test_opening_again_changes_nothing(url, make):
    async with await Store.open(url) as store:
        match = await make.play(store)
    async with await Store.open(url) as store:
        assert (await store.match(match)).status == "finished"


async def test_a_database_of_the_first_palio_is_brought_up_to_date_and_keeps_what_it_has(url, database, make):
    async with await Store.open(url) as store:
        match = await make.play(store)
    async with database.write() as connection:  # as the first version left it
        await connection.execute(text("DROP TABLE analyses"))
        await connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0001'"))
    async with await Store.open(url) as store:
        assert (await store.match(match)).status == "finished"
        assert await store.analysis(match) is None
        async with store._database.read() as connection:
            migrated = await connection.run_sync(description)
    assert migrated["analyses"]["primary"] == ["match"]
    assert "CASCADE" in str(migrated["analyses"]["foreign"])


async def test_many_may_open_an_empty_database_at_once(url):
    stores = await asyncio.gather(*(Store.open(url) for _ in range(6)))
    for store in stores:
        assert await store.matches() == []
        await store.close()


async def test_a_database_of_a_newer_palio_is_refused(url, database):
    await (await Store.open(url)).close()
    async with database.write() as connection:
        await connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(WrongDatabase, match=r"newer Palio has written it \(tables 9999, .*\); upgrade Palio"):
        await Store.open(url)


async def test_a_database_of_another_program_is_refused_and_left_alone(url, database):
    async with database.write() as connection:
        await connection.execute(text("CREATE TABLE recipes (dish TEXT)"))
    with pytest.raises(WrongDatabase, match=r"tables of another program \(recipes\); name a new one"):
        await Store.open(url)
    async with database.read() as connection:
        assert await connection.run_sync(lambda sync: inspect(sync).get_table_names()) == ["recipes"]


async def test_a_migration_that_fails_leaves_nothing_behind(url, database, monkeypatch):
    def broken(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half (done TEXT)"))
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr("palio_db.schema._upgrade", broken)
        with pytest.raises(RuntimeError, match="power cut"):
            await Store.open(url)
    async with database.read() as connection:
        assert await connection.run_sync(lambda sync: inspect(sync).get_table_names()) == []
    await (await Store.open(url)).close()


async def test_sqlite_is_set_to_lose_nothing(tmp_path):
    async with await Store.open(f"sqlite:///{tmp_path}/palio.db") as store, store._database.read() as connection:
        found = [
            (await connection.execute(text(f"PRAGMA {name}"))).scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    assert found == ["wal", 2, 1, 10_000]
    with closing(sqlite3.connect(tmp_path / "palio.db")) as connection:
        assert connection.execute(f"SELECT * FROM {VERSION_TABLE}").fetchone() == ("0002",)
