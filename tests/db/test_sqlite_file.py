"""A SQLite file that may only be read is read; one that is damaged is said to be so, whatever is damaged in it."""

import asyncio
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palio_db import watched_file
from palio_db.errors import Damaged, ReadOnly, StoreError, WrongDatabase
from palio_db.store import Store

LEAVE_WAL = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("UPDATE matches SET event = 'changed'")
connection.commit()
os._exit(0)
"""


async def answers(store: Store) -> object:
    """What reading commands ask."""
    board = await store.leaderboard("nim")
    rows = await store.matches(limit=50)
    records = [record async for record in store.records()]
    return [(leader.bot, leader.games) for leader in board.leaders], [row.id for row in rows], len(records)


@pytest.fixture
def filled(tmp_path, make) -> Path:
    """A file with some matches in it, which nobody has open."""
    file = tmp_path / "palio.db"

    async def fill() -> None:
        async with await Store.open(f"sqlite:///{file}") as store:
            for number in range(40):
                await make.play(store, *("anna", "ben", "cleo")[number % 2 :][:2])

    asyncio.run(fill())
    return file


def with_wal(file: Path, *, index: bool) -> None:
    """Leave behind what a killed writer would: the newest changes, and perhaps their index."""
    subprocess.run([sys.executable, "-c", LEAVE_WAL, str(file)], check=True)
    assert Path(f"{file}-wal").stat().st_size
    if not index:
        Path(f"{file}-shm").unlink()


@pytest.mark.parametrize("left", ["nothing", "wal", "wal without index"])
@pytest.mark.parametrize("how", ["by its modes", "on a disk that is read-only"])
async def test_what_may_only_be_read_is_read_and_nothing_is_written(request, make, filled, monkeypatch, left, how):
    async with await Store.open(f"sqlite:///{filled}") as store:
        right = await answers(store)
    if how == "by its modes":
        monkeypatch.setattr(watched_file, "_may_write", lambda _: False)  # root may, whatever they are
        file = filled
    else:
        disk = request.getfixturevalue("small_disk")
        file = Path(shutil.move(filled, disk.folder))
    if left != "nothing":
        with_wal(file, index=left == "wal")
    if how != "by its modes":
        disk.remount("ro")
    before = content(file)
    async with await Store.open(f"sqlite:///{file}") as store:
        assert await answers(store) == right
        assert {row.event for row in await store.matches(limit=50)} == {"" if left == "nothing" else "changed"}
        assert await store.recount() == []
        await store.check_file()
        for write in (store.schedule(make.setup()), store.add_bot("zoe"), store.probe()):
            with pytest.raises(ReadOnly, match="it is read-only; give this user write access"):
                await write
    assert content(file) == before


def content(file: Path) -> list[bytes]:
    """What is in the file and, if there is anything, in its log."""
    return [each.read_bytes() for each in (file, Path(f"{file}-wal")) if each.exists() and each.stat().st_size]


@settings(max_examples=max(20, settings().max_examples), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**16), st.sampled_from(["zeros", "garbage"]), st.integers(1, 3))
def test_whichever_pages_are_overwritten_what_is_answered_is_right_or_it_is_said_to_be_damaged(
    tmp_path_factory, filled, seed, what, pages
):
    async def asked(file: Path) -> object:
        async with await Store.open(f"sqlite:///{file}") as store:
            return await answers(store)

    pick = random.Random(seed)
    file = tmp_path_factory.mktemp("damaged") / "palio.db"
    shutil.copy(filled, file)
    count = file.stat().st_size // 4096
    with file.open("r+b") as data:
        for page in pick.sample(range(count), min(pages, count)):
            data.seek(page * 4096)
            data.write(bytes(4096) if what == "zeros" else pick.randbytes(4096))
    found = says_ok(file)
    try:
        answered = asyncio.run(asked(file))
    except WrongDatabase as error:
        assert not found  # only some of them are damaged so that it shows
        assert re.search("damaged.*restore a|restore a.*damaged", str(error))  # noqa: PT017  # as above
    else:
        assert found
        assert answered == asyncio.run(asked(filled))


def says_ok(file: Path) -> bool:
    """What SQLite itself says of the file."""
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as connection:
            return connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    except sqlite3.Error:
        return False


@pytest.mark.parametrize("size", [1, 100, 5000, 40_000])
async def test_a_file_that_was_cut_off_is_damaged(filled, size):
    os.truncate(filled, size)
    with pytest.raises(StoreError, match="damaged"):
        await Store.open(f"sqlite:///{filled}")


async def test_a_large_file_is_looked_through_only_by_verify(filled, monkeypatch):
    monkeypatch.setattr(watched_file, "CHEAP", 1000)
    async with await Store.open(f"sqlite:///{filled}") as store:
        await store.check_file()
        data = bytearray(filled.read_bytes())
        data[-4096:] = bytes(4096)
        filled.write_bytes(data)
        with pytest.raises(Damaged, match=r"\.recover"):
            await store.check_file()
