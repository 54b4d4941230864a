"""Upgrades are explicit: opening a database changes no tables, and each old version of them can be upgraded."""

import asyncio
import hashlib
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import inspect, text

from palio_db.address import Address
from palio_db.course_values import NewSubmission, RosterEntry
from palio_db.database import Database
from palio_db.errors import Outdated, StoreError, WrongDatabase
from palio_db.schema import BANS, DETAILS, FLOOR_TABLE, HEAD, MEETINGS, OWN_DUES, PACKED, TRIES, USABLE, VERSION_TABLE
from palio_db.store import Store
from palio_db.upgrades import Upgrade, migrate, revisions
from palio_db.values import JournalEntry
from palio_rules.records.record import Ply

OLD = [each for each in revisions() if each < USABLE]
NEW = [each for each in revisions() if each >= USABLE]


@pytest.fixture
async def database(url):
    found = Database(Address.parse(url))
    await found.prepare()
    yield found
    await found.close()


async def made(database: Database, version: str) -> None:
    async with database.write() as connection:
        await connection.run_sync(migrate, version)


async def versions(database: Database) -> tuple[str, str]:
    async with database.read() as connection:
        kept = [await connection.scalar(text(f"SELECT * FROM {table}")) for table in (VERSION_TABLE, FLOOR_TABLE)]
    return kept[0], kept[1]


@pytest.mark.parametrize("version", OLD)
async def test_an_older_database_is_refused_with_both_versions_and_left_as_it_is(url, database, version):
    await made(database, version)
    before = await versions(database)
    with pytest.raises(Outdated, match=rf"tables are {version}, this Palio, .*, needs {USABLE} .*; palio migrate "):
        await Store.open(url)
    assert await versions(database) == before


@pytest.mark.parametrize("version", OLD)
@pytest.mark.first(6)
async def test_each_older_database_can_be_upgraded_and_used(url, database, version, make):
    await made(database, version)
    await database.close()
    upgrade = Upgrade(url)
    assert [step.revision for step in (await upgrade.plan()).steps] == [each for each in revisions() if each > version]
    await upgrade.run(HEAD)
    assert (await upgrade.plan()).steps == ()
    async with await Store.open(url) as store:
        assert (await store.match(await make.play(store))).status == "finished"
        assert await store.recount() == []


async def content(database: Database) -> dict[str, list[dict[str, object]]]:
    """Every row of what was played, rated and journaled, as it is stored; NULLs, also of a new column, are left out."""
    tables = ("matches", "seats", "journal", "ratings", "pair_scores", "outcomes", "audit", "bots", "tokens")
    async with database.read() as connection:
        known = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
        asked = {table: text(f"SELECT * FROM {table} ORDER BY 1, 2, 3") for table in tables if table in known}
        rows = {table: (await connection.execute(sql)).mappings() for table, sql in asked.items()}
    return {
        table: [{name: value for name, value in row.items() if value is not None} for row in found]
        for table, found in rows.items()
    }


@pytest.mark.parametrize("version", NEW[:-1])
async def test_an_upgrade_leaves_each_match_rating_and_journal_as_it_is_and_so_does_a_refused_way_back(
    url, database, version, make
):
    await made(database, version)
    async with await Store.open(url) as store:
        for scores in ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5)):
            await make.play(store, scores=scores)
        await store.schedule_many([make.setup("anna", "ben"), make.setup("cyd", "dot")])
        claim = await store.claim("worker", 30, free={"nim": ("anna", "ben")})
        await store.journal([JournalEntry(claim.match, claim.epoch, 1, Ply(0, [1, 2], 30))])
        before = await content(database)
        await Upgrade(url).run(HEAD)
        assert await content(database) == before
        with pytest.raises(StoreError, match=f"no upgrade leads back to {version}; restore a backup instead"):
            await Upgrade(url).plan(version)
        await Upgrade(url).run(version)  # which would be nothing
        assert await content(database) == before
        assert (await versions(database))[0] == HEAD
        await store.finish(claim, make.record(claim))  # the match in play goes on to its end
        assert await store.recount() == []


@pytest.mark.postgres
@pytest.mark.slow
async def test_an_upgrade_and_a_result_that_is_being_written_wait_for_one_another_in_one_order(postgres_database, make):
    url = postgres_database
    database = Database(Address.parse(url))
    await made(database, USABLE)
    async with await Store.open(url) as store:
        await make.play(store)
        async with database.write() as connection:  # as `group.py` writes a result
            await connection.execute(text("UPDATE seats SET ms = ms"))
            upgrade = asyncio.create_task(Upgrade(url).run(HEAD))
            waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'seats'::regclass")
            for _ in range(400):
                if await connection.scalar(waiting):
                    break
                await asyncio.sleep(0.05)
            await connection.execute(text("UPDATE outcomes SET count = count"))
        await upgrade
        assert await store.recount() == []
    assert (await versions(database))[0] == HEAD
    await database.close()


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.parametrize("version", [USABLE, PACKED, MEETINGS])
async def test_an_upgrade_waits_for_a_result_that_has_locked_its_match_and_not_yet_its_seats(
    postgres_database, make, version
):
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    database = Database(Address.parse(postgres_database))
    await made(database, version)
    async with await Store.open(postgres_database) as store:
        await make.play(store)
        async with database.write() as connection:  # as `group.py` writes a result
            await connection.execute(text("UPDATE matches SET plies = plies"))
            upgrade = asyncio.create_task(Upgrade(postgres_database).run(HEAD))
            waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'matches'::regclass")
            for _ in range(400):
                if await connection.scalar(waiting):
                    break
                await asyncio.sleep(0.05)
            await connection.execute(text("UPDATE seats SET ms = ms"))
            await connection.execute(text("UPDATE outcomes SET count = count"))
        await upgrade
        assert await store.recount() == []
    assert (await versions(database))[0] == HEAD
    await database.close()


@pytest.mark.parametrize("version", NEW)
async def test_tables_that_this_palio_can_use_are_used_without_changing_them(url, database, version, make):
    await made(database, version)
    async with await Store.open(url) as store:
        await store.set_roster("ai", [RosterEntry("1", "Ann")])
        kept = await store.keep_submission(NewSubmission("ai", "a", "1", datetime.now(UTC), "d", {"a.py": b"x"}))
        assert await store.claim_check(kept.submission.id, "r", "w", timedelta(seconds=-1)) == 1
        await store.release_check(kept.submission.id, "r", "w")
        assert await store.claim_check(kept.submission.id, "r", "v", timedelta(minutes=1)) == 1
        match = await make.play(store)
        assert (await store.record(match)).plies
        assert (await store.outcomes("anna")) == {"nim": {"won": 1}}
        assert await store.recount() == []
    assert (await versions(database))[0] == version


async def test_outcomes_that_were_counted_beside_an_older_palio_are_right_after_the_upgrade(url, database, make):
    await made(database, USABLE)
    async with await Store.open(url) as store:
        for _ in range(2):
            await make.play(store)
        async with database.write() as connection:  # as if an older Palio had finished one of them
            await connection.execute(text("UPDATE outcomes SET count = 1"))
        await Upgrade(url).run(HEAD)
        await make.play(store)  # by a server that was started before the upgrade
    async with await Store.open(url) as store:
        assert await store.outcomes("anna") == {"nim": {"won": 3}}
        assert await store.recount() == []


async def test_the_plan_says_what_each_step_means_for_older_servers_and_how_many_rows_it_touches(url, database, make):
    await made(database, USABLE)
    async with await Store.open(url) as store:
        for _ in range(3):
            await make.play(store)
    plan = await Upgrade(url).plan()
    assert (plan.version, plan.harmless) == (USABLE, ())
    assert [(step.revision, step.older_go_on, step.rows) for step in plan.steps] == [
        (PACKED, False, 6),
        (MEETINGS, True, 6),
        (DETAILS, True, 0),
        (TRIES, True, 0),
        (OWN_DUES, True, 0),
        (BANS, True, 6),
        (HEAD, True, 3),
    ]
    assert plan.steps[0].about.startswith("From here on records are packed")


async def test_steps_before_the_first_one_that_stops_older_servers_are_harmless(url, database):
    await made(database, "0008")
    plan = await Upgrade(url).plan()
    assert [step.revision for step in plan.harmless] == ["0009", "0010", "0011", "0012"]
    assert [step.revision for step in plan.steps] == [f"{number:04}" for number in range(9, int(HEAD) + 1)]


async def test_a_step_that_only_expands_keeps_the_floor_for_older_servers(url, database):
    await made(database, "0010")
    await Upgrade(url).run(USABLE)
    assert await versions(database) == (USABLE, "0006")
    await Upgrade(url).run(PACKED)
    assert await versions(database) == (PACKED, PACKED)
    await Upgrade(url).run(MEETINGS)
    assert await versions(database) == (MEETINGS, PACKED)
    await Upgrade(url).run(DETAILS)
    assert await versions(database) == (DETAILS, PACKED)
    await Upgrade(url).run(OWN_DUES)
    assert await versions(database) == (OWN_DUES, PACKED)


UNREACHABLE = {
    "0099": "there are no tables '0099'; ",
    "head": "there are no tables 'head'; ",
    "0009": "no upgrade leads back to 0009; restore a backup",
}


@pytest.mark.parametrize(("to", "sentence"), UNREACHABLE.items())
async def test_a_target_that_cannot_be_reached_is_refused(url, database, to, sentence):
    await made(database, "0010")
    with pytest.raises(StoreError, match=sentence):
        await Upgrade(url).plan(to)


async def test_a_newer_database_and_another_programs_are_not_upgraded(url, database):
    await made(database, HEAD)
    async with database.write() as connection:
        for table in (VERSION_TABLE, FLOOR_TABLE):
            await connection.execute(text(f"UPDATE {table} SET version_num = '9999'"))
    with pytest.raises(WrongDatabase, match="newer Palio"):
        await Upgrade(url).plan()
    async with database.write() as connection:
        await connection.execute(text(f"DROP TABLE {FLOOR_TABLE}"))
    with pytest.raises(WrongDatabase, match="another program"):
        await Upgrade(url).plan()


async def test_an_empty_database_has_nothing_to_upgrade(url):
    plan = await Upgrade(url).plan()
    assert (plan.version, plan.steps) == (None, ())


async def test_an_upgrade_that_fails_changes_nothing(url, database, monkeypatch):
    await made(database, "0010")

    def broken(connection: object, version: str) -> None:
        migrate(connection, version)
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr("palio_db.upgrades.migrate", broken)
        with pytest.raises(RuntimeError, match="power cut"):
            await Upgrade(url).run(HEAD)
    assert (await versions(database))[0] == "0010"
    await Upgrade(url).run(HEAD)
    assert (await versions(database))[0] == HEAD


async def test_a_program_that_uses_the_database_is_noticed(url, database):
    await made(database, "0010")
    await database.close()
    upgrade = Upgrade(url)
    assert not await upgrade.others()
    await made(user := Database(Address.parse(url)), "0011")
    assert await upgrade.others()
    await user.close()
    assert not await upgrade.others()


async def test_a_backup_is_on_the_disk_and_so_is_its_name_before_the_upgrade_begins(tmp_path, monkeypatch):
    url, synced = f"sqlite:///{tmp_path}/palio.db", []
    await made(database := Database(Address.parse(url)), USABLE)
    await database.close()
    monkeypatch.setattr(os, "fsync", lambda number: synced.append(Path(f"/proc/self/fd/{number}").readlink()))
    copy = await Upgrade(url).backup(USABLE)
    assert synced == [copy, copy.parent]


async def test_a_backup_has_all_that_the_file_has_and_the_former_version(tmp_path, make):
    url = f"sqlite:///{tmp_path}/palio.db"
    await made(database := Database(Address.parse(url)), USABLE)
    async with await Store.open(url) as store:
        match = await make.play(store)
        upgrade = Upgrade(url)
        copy = await upgrade.backup(USABLE)
    await upgrade.run(HEAD)
    await database.close()
    assert copy.name.startswith(f"palio-{USABLE}-")
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute(f"SELECT * FROM {VERSION_TABLE}").fetchone() == (USABLE,)
    async with await Store.open(f"sqlite:///{copy}") as store:
        assert (await store.record(match)).match == match


async def test_an_old_file_keeps_its_bytes_when_a_program_tries_to_open_it(tmp_path):
    file = tmp_path / "palio.db"
    await made(database := Database(Address.parse(f"sqlite:///{file}")), "0010")
    await database.close()
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    with pytest.raises(Outdated):
        await Store.open(f"sqlite:///{file}")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
