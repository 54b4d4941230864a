"""The restore drill: backups are made while matches end and at rest, and restored; nothing in them differs."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from command import Palio
from private_postgres import PrivatePostgres, programs
from serving import ROOT

from palio_db.store import Store

BACKUP, RESTORE = (ROOT / "deploy" / "backup" / name for name in ("backup.sh", "restore.sh"))


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, ...]]:
    """A database, and two empty ones to restore into."""
    if request.param == "sqlite":
        yield tuple(f"sqlite:///{tmp_path}/{name}.db" for name in ("palio", "first", "second"))
        return
    if programs() is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL's initdb is not installed")
        pytest.skip("PostgreSQL's initdb is not installed")
    server = PrivatePostgres()
    try:
        with psycopg.connect(server.url, autocommit=True) as connection:
            for name in ("palio", "first", "second"):
                connection.execute(f"CREATE DATABASE {name}")
        yield tuple(server.url.removesuffix("/postgres") + f"/{name}" for name in ("palio", "first", "second"))
    finally:
        server.close()


def script(path: Path, *words: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([path, *words], env=os.environ | env, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


async def records(db: str) -> dict[str, object]:
    """All finished matches."""
    async with await Store.open(db) as store:
        rows = await store.matches(status="finished", limit=100_000)
        return {row.id: await store.record(row.id) for row in rows}


@pytest.mark.slow
async def test_what_is_restored_is_what_was_there_at_rest_and_under_load(palio: Palio, databases, tmp_path: Path):
    db, first, second = databases
    backups = {"PALIO_DB": db, "BACKUPS": str(tmp_path / "backups")}
    words = ["breakthrough", "random", "greedy", "--rounds", "400", "--openings", "4", "--db", db]
    running = palio.start("run", *words)
    running.wait_for(lambda lines: sum(line.startswith("Finished game") for line in lines) >= 5)
    before = await records(db)
    under_load = script(BACKUP, **backups).stdout.strip()
    running.wait_for(lambda lines: sum(line.startswith("Finished game") for line in lines) >= len(before) + 3)
    running.end(signal.SIGTERM)
    script(RESTORE, under_load, first)
    restored, whole = await records(first), await records(db)
    assert before.items() <= restored.items() <= whole.items()
    assert len(restored) < len(whole), "it was a copy of that moment"
    palio("verify", "--db", first)

    at_rest = script(BACKUP, **backups).stdout.strip()
    assert at_rest != under_load
    script(RESTORE, at_rest, second)
    assert await records(second) == whole
    boards = [palio("leaderboard", "--game", "breakthrough", "--json", "--db", each).stdout for each in (db, second)]
    assert boards[0] == boards[1]
    names = sorted(Path(each).name for each in (under_load, at_rest))
    assert sorted(each.name for each in (tmp_path / "backups").glob("*")) == names, "no half copies"


def test_old_copies_go_only_after_a_good_one(tmp_path: Path, palio: Palio):
    palio("bot", "add", "ann", "--db", f"sqlite:///{tmp_path}/palio.db")
    folder = tmp_path / "backups"
    folder.mkdir()
    old, foreign = folder / "palio-20200101T000000Z.db", folder / "notes.txt"
    for each in (old, foreign):
        each.write_text("x")
        os.utime(each, (0, 0))
    refused = script(BACKUP, code=1, PALIO_DB=f"sqlite:///{tmp_path}/none.db", BACKUPS=str(folder))
    assert "there is no database" in refused.stderr
    assert old.exists()
    copy = Path(script(BACKUP, PALIO_DB=f"sqlite:///{tmp_path}/palio.db", BACKUPS=str(folder)).stdout.strip())
    assert copy.stat().st_mode & 0o077 == 0, "it has the keys of guests' tokens"
    assert not old.exists()
    assert foreign.exists()


def test_a_database_that_is_there_is_never_overwritten(tmp_path: Path):
    (tmp_path / "copy.db").write_text("copy")
    (tmp_path / "palio.db-wal").write_text("mine")
    refused = script(RESTORE, str(tmp_path / "copy.db"), f"sqlite:///{tmp_path}/palio.db", code=1)
    assert "palio.db-wal is there; stop the server and move it away" in refused.stderr
    assert not (tmp_path / "palio.db").exists()
