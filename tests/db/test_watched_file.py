"""A SQLite file that goes away under an open store: nothing is taken for committed, and what it held is saved."""

import asyncio
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from palio_db import watched_file
from palio_db.connections import SqliteConnection
from palio_db.errors import FileLost, Unavailable
from palio_db.store import Store
from palio_rules.records.record import Setup


@pytest.fixture
def file(tmp_path: Path, new_file: Path) -> Path:
    shutil.copy(new_file, tmp_path / "palio.db")
    return tmp_path / "palio.db"


@pytest.fixture
def setup(make) -> Setup:
    found: Setup = make.setup()
    return found


def delete(file: Path) -> None:
    file.unlink()


def move(file: Path) -> None:
    file.rename(file.with_name("elsewhere.db"))


def replace(file: Path) -> None:
    with closing(sqlite3.connect(file.with_name("new.db"))) as new:
        new.execute("CREATE TABLE other (it INTEGER)")
    file.with_name("new.db").replace(file)


def delete_wal(file: Path) -> None:
    Path(f"{file}-wal").unlink()


def delete_index_of_wal(file: Path) -> None:
    Path(f"{file}-shm").unlink()


def delete_all(file: Path) -> None:
    for each in file.parent.glob("palio.db*"):
        each.unlink()


def truncate(file: Path) -> None:
    os.truncate(file, 0)


def write_text_over(file: Path) -> None:
    file.write_text("hello\n" * 2000)


def copy_other_over(file: Path) -> None:
    with closing(sqlite3.connect(file.with_name("new.db"))) as new:
        new.execute("CREATE TABLE other (it INTEGER)")
    file.write_bytes(file.with_name("new.db").read_bytes())


LOSSES: list[Callable[[Path], None]] = [delete, move, replace, delete_wal, delete_index_of_wal, delete_all]
OVERWRITES: list[Callable[[Path], None]] = [truncate, write_text_over, copy_other_over]


def is_there(file: Path) -> bool:
    return file.exists()


def content(file: Path) -> bytes:
    return file.read_bytes()


def put(data: bytes, file: Path) -> None:
    file.write_bytes(data)


def rescued(folder: Path) -> Iterator[Path]:
    return folder.glob("palio-rescued-*.db")


@pytest.mark.parametrize("lose", LOSSES)
async def test_what_is_written_to_a_file_that_is_gone_is_refused_and_kept_in_a_fresh_one(
    file: Path, setup: Setup, lose: Callable[[Path], None]
):
    async with await Store.open(f"sqlite:///{file}") as store:
        first = await store.schedule(setup)
        lose(file)
        with pytest.raises(
            FileLost, match=rf"{file.name}.*the file .* while it was open; nothing is announced"
        ) as lost:
            await store.schedule(setup)
        assert store.write_error == str(lost.value)
        [copy] = rescued(file.parent)
        assert f"is kept in {copy}: stop Palio" in str(lost.value)
        for write in (store.schedule(setup), store.probe(), store.add_bot("anna")):  # later, too, whoever writes
            with pytest.raises(FileLost):
                await write
    async with await Store.open(f"sqlite:///{copy}") as store:
        assert [match.id for match in await store.matches()] == [first]
        assert await store.recount() == []


@pytest.mark.parametrize("overwrite", OVERWRITES)
async def test_a_file_that_is_overwritten_takes_nothing_more(
    file: Path, setup: Setup, overwrite: Callable[[Path], None]
):
    async with await Store.open(f"sqlite:///{file}") as store:
        await store.schedule(setup)
        overwrite(file)
        here = content(file)
        with pytest.raises(FileLost, match=r"was overwritten while it was open"):
            await store.schedule(setup)
        assert content(file) == here


async def test_results_that_were_being_written_are_in_the_fresh_file_though_nobody_was_told(file: Path, make):
    async with await Store.open(f"sqlite:///{file}") as store:
        await make.play(store, "anna", "ben")
        await store.schedule(make.setup())
        claim = await store.claim("worker", 30, free={"nim": ("anna", "ben")})
        delete_all(file)
        with pytest.raises(FileLost):
            await store.finish(claim, make.record(claim))
    [copy] = rescued(file.parent)
    async with await Store.open(f"sqlite:///{copy}") as store:
        assert len([match for match in await store.matches() if match.status == "finished"]) == 2
        assert await store.recount() == []


@pytest.mark.parametrize("how", ["VACUUM INTO", "page by page"])
async def test_an_older_backup_that_is_copied_over_it_is_noticed(file: Path, setup: Setup, how: str):
    backup = file.with_name("backup.db")
    async with await Store.open(f"sqlite:///{file}") as store:
        await store.schedule(setup)
        with closing(sqlite3.connect(file)) as connection, closing(sqlite3.connect(backup)) as copy:
            if how == "VACUUM INTO":
                connection.execute("VACUUM INTO ?", (str(backup),))
            else:
                connection.backup(copy)
            for _ in range(100):
                await store.schedule(setup)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        await store.check_open_file()
        put(content(backup), file)
        with pytest.raises(FileLost, match="was overwritten while it was open"):
            await store.check_open_file()
        with pytest.raises(FileLost):
            await store.schedule(setup)


async def test_a_connection_that_cannot_be_made_for_a_look_is_a_sentence(file: Path, monkeypatch):
    async with await Store.open(f"sqlite:///{file}") as store:

        def fails(*_: object) -> None:
            raise sqlite3.OperationalError("disk I/O error")

        monkeypatch.setattr(SqliteConnection, "__init__", fails)
        with pytest.raises(Unavailable, match="the disk reports an error"):
            await store.check_open_file()


async def test_a_look_finds_it_without_a_write(file: Path):
    async with await Store.open(f"sqlite:///{file}") as store:
        await store.check_open_file()
        move(file)
        with pytest.raises(FileLost, match="was deleted or moved"):
            await store.check_open_file()
        file.with_name("elsewhere.db").rename(file)
        await store.check_open_file()  # it is back
        await store.probe()
        assert store.write_error == ""


async def test_nothing_makes_a_new_file_where_the_old_one_was(file: Path, setup: Setup):
    async with await Store.open(f"sqlite:///{file}") as store:
        await store.schedule(setup)
        delete_all(file)
        with pytest.raises(FileLost):
            await store.check_open_file()
        more = await asyncio.gather(*(store.tournaments() for _ in range(3)), return_exceptions=True)
        assert any(isinstance(each, FileLost) for each in more)  # of those that open connections
        assert not is_there(file)


CHECKPOINT_THAT_STOPS = """
import os, resource, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("INSERT INTO secrets VALUES ('large', zeroblob(300000))")
size = os.path.getsize(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
except sqlite3.OperationalError as error:
    print(error, flush=True)
os._exit(0)
"""


async def test_a_checkpoint_that_has_not_extended_the_file_yet_is_no_loss(file: Path, setup: Setup):
    """Another process writes the first page, and then stops for long: its disk is busy, or full."""
    async with await Store.open(f"sqlite:///{file}") as store:
        await store.schedule(setup)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        await store.check_open_file()
        program = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", CHECKPOINT_THAT_STOPS, str(file)), stdout=asyncio.subprocess.PIPE
        )
        assert b"disk I/O error" in (await program.communicate())[0]
        here = content(file)
        assert int.from_bytes(here[28:32], "big") * int.from_bytes(here[16:18], "big") > len(here)
        await store.check_open_file()
        await store.schedule(setup)
        assert [*rescued(file.parent)] == []
        put(content(file)[:-4096], file)  # what is shorter than before is another matter
        with pytest.raises(FileLost, match="was overwritten"):
            await store.check_open_file()


async def test_a_process_with_too_many_open_files_has_not_lost_its_database(file: Path, setup: Setup, monkeypatch):
    async with await Store.open(f"sqlite:///{file}") as store:
        await store.schedule(setup)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        monkeypatch.setattr(watched_file, "quote", lambda path: f"{path}-that-cannot-be-opened/palio.db")
        with pytest.raises(Unavailable) as refused:
            await store.check_open_file()
        assert not isinstance(refused.value, FileLost)
        monkeypatch.undo()
        await store.schedule(setup)


async def test_others_who_write_checkpoint_and_vacuum_are_no_loss(file: Path, setup: Setup):
    async with await Store.open(f"sqlite:///{file}") as store, await Store.open(f"sqlite:///{file}") as other:
        for _ in range(5):
            await store.schedule(setup)
            await other.schedule(setup)
            with closing(sqlite3.connect(file, isolation_level=None)) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.execute("CREATE TABLE IF NOT EXISTS expanded (it INTEGER)")
                connection.execute("VACUUM")
        assert len(await store.matches()) == 10


async def test_a_database_keeps_the_number_that_it_was_given(file: Path):
    async def number() -> int:
        async with await Store.open(f"sqlite:///{file}") as store:
            await store.probe()
        with closing(sqlite3.connect(file)) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])

    assert await number() == await number() != 0
