"""The tables: migrations build what the models say, whoever starts first; strange databases are refused."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from itertools import chain
from typing import Any

import msgspec
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from palio_db import course_models
from palio_db.address import Address
from palio_db.database import Database
from palio_db.errors import WrongDatabase
from palio_db.event_values import Plan
from palio_db.models import Base
from palio_db.playable import others_of
from palio_db.schema import (
    BANS,
    DETAILS,
    FLOOR,
    FLOOR_TABLE,
    HEAD,
    MEETINGS,
    OWN_DUES,
    PACKED,
    TRIES,
    USABLE,
    VERSION_TABLE,
)
from palio_db.store import Store
from palio_db.upgrades import Upgrade, floor_of, migrate, revisions
from palio_rules.records.record import Setup

VERSIONS = (VERSION_TABLE, FLOOR_TABLE)
COURSES = {each.__tablename__ for each in vars(course_models).values() if hasattr(each, "__tablename__")}


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
            "index": sorted(
                str({**index, "dialect_options": options(index)}) for index in inspector.get_indexes(table)
            ),
        }
        for table in inspector.get_table_names()
    }


def options(index: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in index.get("dialect_options", {}).items()}


@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection")  # SQLite: the index on `rating DESC`
async def test_alembic_finds_no_difference_between_migrations_and_models(store):
    def differences(connection: Connection) -> object:
        options = {
            "compare_type": True,
            "version_table": VERSION_TABLE,
            "include_name": lambda name, kind, _parent: (kind, name) != ("table", FLOOR_TABLE),
        }
        return compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata)

    async with store._database.read() as connection:
        assert await connection.run_sync(differences) == []


async def test_migrations_build_the_very_tables_of_the_models(url, database):
    async with await Store.open(url) as store, store._database.read() as connection:
        modelled = await connection.run_sync(description)
    async with database.write() as connection:
        for table in VERSIONS:
            await connection.execute(text(f"DROP TABLE {table}"))
        await connection.run_sync(Base.metadata.drop_all)
        await connection.run_sync(migrate)
        migrated = await connection.run_sync(description)
        for table, version in ((VERSION_TABLE, HEAD), (FLOOR_TABLE, FLOOR)):
            assert (await connection.execute(text(f"SELECT * FROM {table}"))).all() == [(version,)]
    assert migrated == modelled
    assert len(migrated) == 34


def test_the_constants_agree_with_the_migrations():
    known = revisions()
    assert known == [f"{number:04}" for number in range(1, len(known) + 1)]  # without a gap: see `is_known`
    assert (known[-1], floor_of(HEAD)) == (HEAD, FLOOR)
    assert {USABLE, PACKED, MEETINGS, DETAILS, TRIES, OWN_DUES, BANS} <= set(known)
    assert PACKED == FLOOR  # a Palio that knows these tables reads packed records


@pytest.mark.parametrize("state", ["empty", "current"])
def test_no_migrations_are_loaded_where_there_is_nothing_to_migrate(tmp_path, loaded_by, new_file, state):
    file = tmp_path / "palio.db"
    if state == "current":
        shutil.copy(new_file, file)
    opening = "import asyncio; from palio_db.store import Store; s = asyncio.run(Store.open({url!r}))"
    loaded = loaded_by(opening.format(url=f"sqlite:///{file}"))
    assert "sqlalchemy" in loaded
    assert not loaded & {"alembic", "mako", "psycopg"}


async def test_opening_again_changes_nothing(url, make):
    async with await Store.open(url) as store:
        match = await make.play(store)
    async with await Store.open(url) as store:
        assert (await store.match(match)).status == "finished"


OLD_MATCH = (
    "INSERT INTO matches (id, game, status, seat0, round, event, created_at, epoch, setup) "
    "VALUES ('{id}', 'nim', '{status}', '{seat0}', 0, '', '2026-05-01 12:00:00.000000', 0, {blob})"
)


@pytest.mark.parametrize("version", ["0001", "0002"])
async def test_a_database_of_an_older_palio_is_brought_up_to_date_and_keeps_what_it_has(url, database, version):
    setups = {"m1": ("zoe",), "m2": ("cleo", 'an "odd" name', "ben\n"), "m3": ("anna", "b"), "m4": ("anna", "ö")}
    states = {"m1": "scheduled", "m2": "scheduled", "m3": "aborted", "m4": "running"}
    async with database.write() as connection:
        await connection.run_sync(migrate, version)
        for match, bots in setups.items():
            setup = msgspec.json.encode(Setup("nim", bots))
            blob = f"'\\x{setup.hex()}'" if database.is_postgresql else f"x'{setup.hex()}'"
            line = OLD_MATCH.format(id=match, status=states[match], seat0=bots[0], blob=blob)
            await connection.execute(text(line.replace(":", "\\:")))
            for seat, bot in enumerate(bots):
                line = {"match": match, "seat": seat, "bot": bot}
                await connection.execute(
                    text("INSERT INTO seats (match, seat, bot) VALUES (:match, :seat, :bot)"), line
                )
    await Upgrade(url).run(HEAD)
    async with await Store.open(url) as store:
        assert await store.analysis("m1") is None
        assert [row.bots for row in await store.matches()] == [setups[f"m{number}"] for number in (4, 3, 2, 1)]
        claims = [await store.claim("w", 30, free={"nim": list(chain(*setups.values()))}) for _ in range(3)]
        assert [claim and claim.match for claim in claims] == ["m1", "m2", None]
        async with store._database.read() as connection:
            upgraded = await connection.run_sync(description)
            others = dict((await connection.execute(text("SELECT id, others FROM matches"))).all())
    assert others == {match: "" if match == "m3" else others_of(bots) for match, bots in setups.items()}
    async with database.write() as connection:
        for table in [*VERSIONS, *reversed(Base.metadata.sorted_tables)]:
            await connection.execute(text(f"DROP TABLE {table}"))
    async with await Store.open(url) as store, store._database.read() as connection:
        assert upgraded == await connection.run_sync(description)


async def test_a_tournament_of_an_older_palio_gets_its_encounters_stage_and_specs(url, database):
    settings = {"bots": [["anna", "./a.py"], ["ben", "random"]], "worker": "run-1", "rounds": 2}
    setups = [
        Setup("nim", bots, opening=opening) for opening in ((1,), (2,)) for bots in (("anna", "ben"), ("ben", "anna"))
    ]

    def blob(value: object) -> str:
        data = msgspec.json.encode(value).hex()
        return f"'\\x{data}'" if database.is_postgresql else f"x'{data}'"

    async with database.write() as connection:
        await connection.run_sync(migrate, "0003")
        for number in (1, 2):
            line = f"VALUES ({number}, 'cup', 'nim', {blob(settings)}, '2026-05-01 12:00:00.000000')"
            await connection.exec_driver_sql(f"INSERT INTO tournaments (id, name, game, settings, created_at) {line}")
            for place, bot in enumerate(("anna", "ben")):
                await connection.exec_driver_sql(f"INSERT INTO entries VALUES ({number}, {place}, '{bot}')")
        for place, setup in enumerate(setups):
            for number, status in ((1, "scheduled"), (2, "aborted")):
                await connection.exec_driver_sql(
                    "INSERT INTO matches (id, game, status, seat0, tournament, round, event, created_at, epoch, setup) "
                    f"VALUES ('m{number}{place}', 'nim', '{status}', 'anna', {number}, 1, '', "
                    f"'2026-05-01 12:00:00.000000', 0, {blob(setup)})"
                )
    await Upgrade(url).run(HEAD)
    async with await Store.open(url) as store:
        first, second = await store.tournament(1), await store.tournament(2)
        assert (first.stage, second.stage, first.worker, first.format) == (
            "running",
            "finished",
            "run-1",
            "round_robin",
        )
        assert [(entry.bot, entry.number, entry.spec) for entry in first.entries] == [
            ("anna", 1, "./a.py"), ("ben", 2, "random")
        ]  # fmt: skip
        assert [(row.number, row.plan) for row in await store.encounters(1)] == [
            (1, Plan(1, 1, ("anna", "ben"), 2)),
            (2, Plan(1, 2, ("anna", "ben"), 2)),
        ]
        found = [(each.match, each.encounter, each.game) for each in await store.event_matches(1)]
        assert found == [("m10", 1, 0), ("m11", 1, 1), ("m12", 2, 0), ("m13", 2, 1)]


async def test_the_results_and_tokens_of_an_older_palio_stay_as_they_are_and_can_be_voided_and_revoked(
    url, database, make
):
    async with await Store.open(url) as store:
        match = await make.play(store)
        await store.add_bot("anna")
        token = await store.issue_token(["play"], bot="anna")
        board, record = await store.leaderboard("nim"), await store.record(match)
    async with database.write() as connection:  # back to what it was before
        courses = (table.name for table in reversed(course_models.Base.metadata.sorted_tables) if table.name in COURSES)
        for trigger in ("seats_met", "seats_left"):
            await connection.execute(text(f"DROP TRIGGER {trigger}{' ON seats' if database.is_postgresql else ''}"))
        await connection.execute(text("DROP INDEX ix_seats_address"))
        for table in ("bans", "former_names", "audit", "changes", "outcomes", "meetings", *courses):
            await connection.execute(text(f"DROP TABLE {table}"))
        costs = ("asked_plies", "tokens_in", "tokens_out", "cost_nano", "latency_ms")
        acts = ("tokens.expires_at", "matches.voided_at", "matches.voided_by", "matches.void_reason")
        acts = (*acts, "matches.archived_at", "matches.archive", "matches.detail", "seats.address")
        for column in (*acts, *(f"ratings.{name}" for name in costs)):
            table, _, name = column.partition(".")
            await connection.execute(text(f"ALTER TABLE {table} DROP COLUMN {name}"))
        await connection.execute(text(f"DROP TABLE {VERSION_TABLE}"))
        await connection.execute(text(f"UPDATE {FLOOR_TABLE} SET version_num = '0005'"))
        if database.is_postgresql:
            for trigger in ("palio_scheduled", "palio_given_back"):
                await connection.execute(text(f"DROP TRIGGER {trigger} ON matches"))
    await Upgrade(url).run(HEAD)
    async with await Store.open(url) as store:
        assert (await store.leaderboard("nim"), await store.record(match)) == (board, record)
        assert (await store.grant(token)).bot == "anna"
        assert (await store.tokens())[0].expires_at is None
        await store.void(match, "why")
        await store.revoke_token(1)
        assert (await store.leaderboard("nim")).leaders == []
        assert [line.act for line in await store.audit()] == ["match voided", "token revoked"]
        async with store._database.read() as connection:
            upgraded = await connection.run_sync(description)
    async with database.write() as connection:
        for table in [*VERSIONS, *reversed(Base.metadata.sorted_tables)]:
            await connection.execute(text(f"DROP TABLE {table}"))
    async with await Store.open(url) as store, store._database.read() as connection:
        assert upgraded == await connection.run_sync(description)


async def test_many_may_open_an_empty_database_at_once(url):
    stores = await asyncio.gather(*(Store.open(url) for _ in range(6)))
    for store in stores:
        assert await store.matches() == []
        await store.close()


async def a_later_palio(database: Database, *changes: str, floor: str = FLOOR) -> None:
    """What the next migration does to the database, run by a Palio that knows it."""
    async with database.write() as connection:
        for change in (*changes, f"UPDATE {VERSION_TABLE} SET version_num = '9999'"):
            await connection.execute(text(change))
        await connection.execute(text(f"UPDATE {FLOOR_TABLE} SET version_num = '{floor}'"))


async def test_a_database_that_a_newer_palio_has_only_expanded_is_used_as_it_is_known(url, database, make, caplog):
    async with await Store.open(url) as before:
        await a_later_palio(
            database,
            "ALTER TABLE matches ADD COLUMN mood TEXT NOT NULL DEFAULT 'good'",
            "CREATE TABLE moods (name TEXT PRIMARY KEY)",
        )
        async with await Store.open(url) as store:  # and whoever had it open goes on, too
            for each in (before, store):
                assert (await store.match(await make.play(each))).status == "finished"
            assert await store.recount() == []
    assert "a newer Palio has expanded the tables (9999)" in caplog.text
    async with database.read() as connection:
        kept = [(await connection.execute(text(f"SELECT * FROM {table}"))).scalar_one() for table in VERSIONS]
    assert kept == ["9999", FLOOR]  # whoever knows less changes nothing about that


async def test_a_database_that_a_newer_palio_has_contracted_is_refused(url, database):
    await (await Store.open(url)).close()
    await a_later_palio(database, "ALTER TABLE matches DROP COLUMN void_reason", floor="9998")
    with pytest.raises(
        WrongDatabase, match=r"newer Palio has written it \(tables 9999 for .* 9998, .*\); upgrade Palio"
    ):
        await Store.open(url)


async def test_a_palio_that_knows_of_no_floor_finds_the_version_that_it_knows(url, database):
    """Palio of the tables 0006 compares `palio_version` with its own newest migration."""
    async with database.write() as connection:
        await connection.run_sync(migrate, USABLE)
    async with database.read() as connection:
        assert (await connection.execute(text("SELECT version_num FROM palio_version"))).scalar_one() == "0006"


async def test_a_database_of_an_unknown_version_is_refused(url, database):
    await (await Store.open(url)).close()
    async with database.write() as connection:
        await connection.execute(text(f"DROP TABLE {VERSION_TABLE}"))
        await connection.execute(text(f"UPDATE {FLOOR_TABLE} SET version_num = '9999'"))
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
        patch.setattr("palio_db.schema._create", broken)
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
        assert connection.execute(f"SELECT * FROM {VERSION_TABLE}").fetchone() == (HEAD,)
