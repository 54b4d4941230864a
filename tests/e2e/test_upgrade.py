"""A rolling upgrade: two releases share a database for a while, and play each other's matches."""

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import psycopg
import pytest
from command import LIMIT_S, Palio, Started, program
from conftest import Mosquitto, lacking

from palio_db.schema import PACKED, USABLE
from palio_db.store import Store
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

ROOT = Path(__file__).parents[2]
PREVIOUS = "914e7c6026a9e848d036e8fc98aacee9b72300e0"  # the release before tables 0007
ROOMS = ("rules", "clients", "server", "db")
MAIN = "from palio_server.cli import main; main()"
SCHEDULE = """
import asyncio, sys
from palio_db.store import Store
from palio_rules.records.record import Setup
from palio_rules.time_control import TimeControl

async def main():
    async with await Store.open(sys.argv[1]) as store:
        pairs = [("ann", "bob"), ("cleo", "dan")]
        clock = TimeControl.parse("60")
        setups = [Setup("dominoes", pair, time=clock, seed=seed) for seed in range(8) for pair in pairs]
        print(*await store.schedule_many(setups))

asyncio.run(main())
"""

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.mosquitto, pytest.mark.timeout(240)]


@pytest.fixture
def previous(tmp_path: Path) -> Path:
    """The packages of the release before, as they were landed."""
    archive = subprocess.run(["git", "archive", PREVIOUS, *ROOMS], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        asked = ["git", "rev-parse", "--is-shallow-repository"]
        if subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip() != "false":
            pytest.skip("this checkout has no history, and so no earlier release: git fetch --unshallow")
        lacking("the release before this one", "fetch its history: git fetch --all")
    folder = tmp_path / "previous"
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


@pytest.fixture
def db(postgres_url: str, palio: Palio) -> Iterator[str]:
    name = f"palio_upgrade_{secrets.token_hex(6)}"
    with psycopg.connect(f"{postgres_url}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{postgres_url}/{name}"
        palio.close()
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


class Old:
    """The command of the release before."""

    def __init__(self, folder: Path, palio: Palio) -> None:
        self.folder, self._palio = palio.folder, palio
        self.env = palio.env | {"PYTHONPATH": os.pathsep.join(str(folder / room) for room in ROOMS)}
        self.started: list[Started] = []

    def start(self, *words: str) -> Started:
        self.started.append(Started(program([sys.executable, "-c", MAIN, *words], self.folder), self.env))
        return self.started[-1]

    def python(self, code: str, *words: str) -> str:
        command = [sys.executable, "-c", code, *words]
        done = subprocess.run(
            command, env=self.env, cwd=self.folder, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture
def old(previous: Path, palio: Palio) -> Iterator[Old]:
    found = Old(previous, palio)
    where = found.python("import palio_db, palio_server; print(palio_db.__file__, palio_server.__file__)")
    assert where.count(str(previous)) == 2, where
    yield found
    for started in found.started:
        started.close()


def both(palio: Palio, old: Old, url: str, first: str, second: str) -> list[Started]:
    """A bot of each release joins."""
    return [
        old.start("join", url, "random", "--name", first, "--quiet"),
        palio.start("join", url, "random", "--name", second, "--quiet"),
    ]


def address(server: Started) -> str:
    return server.line_with("serves on").split("serves on ")[1].partition(",")[0]


def serve(db: str, worker: str) -> list[str]:
    return ["serve", "--port", "0", "--db", db, "--worker", worker, "--house-bots", "0", "--concurrency", "1"]


async def finished(store: Store, count: int, servers: list[Started]) -> None:
    deadline = time.monotonic() + 60
    while len(await store.matches(status="finished", limit=100)) < count:
        left = [(row.id, row.bots, row.status, row.worker) for row in await store.matches(limit=100)]
        assert time.monotonic() < deadline, (left, [server.errors for server in servers])
        await asyncio.sleep(0.2)


async def test_two_releases_share_a_database_and_play_each_others_matches(
    db: str, palio: Palio, old: Old, mosquitto: Mosquitto
):
    before = old.start(*serve(db, "before"))
    address(before)  # it has made the tables
    refused = await asyncio.to_thread(palio, "serve", "--port", "0", "--db", db, code=1)
    assert "its tables are 0006, this Palio, " in refused.stderr
    upgraded = await asyncio.to_thread(palio, "migrate", db)  # while that one runs
    assert f"the tables are {USABLE} now" in upgraded.stdout
    assert f"after {PACKED} those of an older Palio could not go on" in upgraded.stdout
    now = palio.start(*serve(db, "now"), "--mqtt", mosquitto.url)
    after = old.start(*serve(db, "after"))  # another old one starts on what was expanded
    servers = [before, now, after]
    async with await Store.open(db) as store:
        # Scheduled by this release, played by the one before, in which a bot of each is connected.
        joined = [bot for server in (before, after) for bot in both(palio, old, address(server), "ann", "bob")]
        setups = [Setup("dominoes", ("ann", "bob"), time=TimeControl.parse("60"), seed=seed) for seed in range(8)]
        of_new = await store.schedule_many(setups)
        await finished(store, 8, servers)
        for bot in joined:
            await asyncio.to_thread(bot.end, signal.SIGTERM)
        # And the other way round; by the broker, too.
        both(palio, old, address(now), "ann", "bob")
        both(palio, old, mosquitto.url, "cleo", "dan")
        of_old = await asyncio.to_thread(old.python, SCHEDULE, db)
        await finished(store, 24, servers)
        by = {row.id: row.worker for row in await store.matches(limit=100)}
        assert set(by) == {*of_old.split(), *of_new}
        assert {by[match] for match in of_new} <= {"before", "after"}
        assert {by[match] for match in of_old.split()} == {"now"}
        assert await store.recount() == []
        # An old one that is restarted takes up where it was.
        assert await asyncio.to_thread(before.end, signal.SIGTERM) == 0
        again = old.start(*serve(db, "before"))
        address(again)
    for server in (*servers, again):
        said = "\n".join(server.errors)
        assert not [word for word in ("Traceback", "ERROR", "refused", "newer Palio") if word in said], said
    assert "24 matches replayed, 0 do not reproduce, 0 sums are wrong" in palio("verify", "--db", db).stdout
    for server in (again, after):
        await asyncio.to_thread(server.end, signal.SIGTERM)
    assert f"the tables are {PACKED} now" in palio("migrate", db, "--to", PACKED).stdout  # the new one runs on
    both_new = [palio.start("join", address(now), "random", "--name", name, "--quiet") for name in ("ann", "bob")]
    assert len(both_new) == 2
    async with await Store.open(db) as store:
        setups = [Setup("dominoes", ("ann", "bob"), time=TimeControl.parse("60"), seed=seed) for seed in range(2)]
        await store.schedule_many(setups)
        await finished(store, 26, [now])
        assert await store.recount() == []
    late = old.start(*serve(db, "late"))
    assert await asyncio.to_thread(late.wait) != 0
    assert "a newer Palio has written it" in "\n".join(late.errors)
