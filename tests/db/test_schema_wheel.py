"""The migrations of a built wheel, as an operator installs it, on both databases."""

import asyncio
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from palio_db.address import Address
from palio_db.database import Database
from palio_db.upgrades import migrate

OPEN = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
import palio_db
from palio_db.schema import HEAD, VERSION_TABLE
from palio_db.store import Store
from palio_db.upgrades import Upgrade
from sqlalchemy import text
assert palio_db.__file__.startswith(sys.argv[1]), palio_db.__file__

async def main():
    await Upgrade(sys.argv[2]).run(HEAD)
    async with await Store.open(sys.argv[2]) as store:
        await store.schedule_many([])
        async with store._database.read() as connection:
            version = (await connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}"))).scalar_one()
        assert version == HEAD
        print(len(await store.matches()))

asyncio.run(main())
"""


@pytest.fixture(scope="session")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is in the wheel."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as files:
        files.extractall(folder / "site")
    return folder / "site"


@pytest.mark.slow
async def test_it_brings_an_old_database_up_to_date_and_the_second_run_changes_nothing(url, unpacked, tmp_path):
    database = Database(Address.parse(url))
    async with database.write() as connection:
        await connection.run_sync(migrate, "0001")
    await database.close()
    digests = []
    for _ in range(2):
        command = [sys.executable, "-c", OPEN, str(unpacked), url]
        opened = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, cwd=tmp_path)
        assert (opened.returncode, opened.stdout) == (0, "0\n"), opened.stderr
        if url.startswith("sqlite"):
            digests.append(hashlib.sha256((tmp_path / "palio.db").read_bytes()).hexdigest())
    assert len(set(digests)) <= 1
