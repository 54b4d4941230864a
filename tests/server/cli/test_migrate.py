"""`palio migrate`: it says what it will do, copies a SQLite file first, and nothing else changes tables."""

import asyncio
import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from palio_db.address import Address
from palio_db.database import Database
from palio_db.schema import HEAD, PACKED, USABLE, VERSION_TABLE
from palio_db.upgrades import migrate
from palio_server.cli.palio import call as palio

READING = (
    ["leaderboard"],
    ["export"],
    ["verify"],
    ["audit"],
    ["match", "list"],
    ["bot", "list"],
    ["tournament", "list"],
)
WRITING = (["bot", "add", "mine"], ["archive", "--before", "1y", "-o", "x.parquet"], ["serve", "--port", "0"],
           ["run", "dominoes", "random", "greedy", "--rounds", "1"])  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("PALIO_DB", "PALIO_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def made(version: str, file: str = "palio.db") -> None:
    async def make() -> None:
        database = Database(Address.parse(f"sqlite:///{file}"))
        await database.prepare()
        async with database.write() as connection:
            await connection.run_sync(migrate, version)
        await database.close()

    asyncio.run(make())


def version_of(file: str | Path = "palio.db") -> str:
    with closing(sqlite3.connect(file)) as connection:
        [found] = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()
        return str(found)


@pytest.mark.parametrize("words", [*READING, *WRITING], ids=" ".join)
def test_other_commands_refuse_an_old_database_in_a_sentence_and_leave_its_bytes(words, folder, capsys):
    made("0010")
    before = hashlib.sha256(Path("palio.db").read_bytes()).hexdigest()
    assert palio(words) != 0
    said = capsys.readouterr().err
    assert "its tables are 0010, this Palio, " in said
    assert f"needs {USABLE} or newer; palio migrate sqlite:///palio.db upgrades them" in said
    assert hashlib.sha256(Path("palio.db").read_bytes()).hexdigest() == before


def test_check_says_every_step_and_changes_nothing(folder, capsys):
    made("0010")
    assert palio(["migrate", "--check"]) == 1
    said = capsys.readouterr().out
    assert f"sqlite:///palio.db: from tables 0010 to {HEAD} (palio " in said
    assert f"  {USABLE}  Matches whose moves are in an archive's file, " in said
    assert "servers of an older Palio go on\n" in said
    assert "servers of an older Palio cannot go on\n" in said
    assert version_of() == "0010"
    assert [path.name for path in Path().glob("*.db")] == ["palio.db"]


def test_an_upgrade_copies_the_file_first_and_the_second_one_finds_nothing_to_do(folder, capsys):
    made("0010")
    assert palio(["migrate", "palio.db"]) == 0
    assert version_of() == HEAD
    [copy] = Path().glob("palio-0010-*.db")
    assert version_of(copy) == "0010"
    assert "backup: palio-0010-" in capsys.readouterr().out
    assert palio(["migrate", "--check"]) == 0
    assert f"nothing to do, its tables are {HEAD}" in capsys.readouterr().out
    assert palio(["audit"]) == 0


def test_without_a_backup_there_is_no_copy(folder):
    made("0010")
    assert palio(["migrate", "--no-backup"]) == 0
    assert [path.name for path in Path().glob("*.db")] == ["palio.db"]


def test_a_step_after_which_older_servers_could_not_go_on_waits_while_others_use_the_database(folder, capsys):
    made("0010")
    with closing(sqlite3.connect("palio.db")) as server:
        server.execute("SELECT count(*) FROM matches").fetchone()
        assert palio(["migrate", "--no-backup"]) == 0
        assert version_of() == USABLE
        assert f"after {PACKED} those of an older Palio could not go on" in capsys.readouterr().out
        assert palio(["migrate", "--no-backup", "--to", PACKED]) == 0  # as it was told
        assert version_of() == PACKED


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--to", "0099"], "there are no tables '0099'"),
        (["--to", "0001"], "no upgrade leads back to 0001"),
        (["palio.db", "--db", "palio.db"], "give either DB or --db"),
        (["nowhere.db"], "there is no database at sqlite:///nowhere.db"),
    ],
)
def test_what_cannot_be_done_is_said(folder, capsys, words, sentence):
    made("0010")
    assert palio(["migrate", *words]) != 0
    assert sentence in capsys.readouterr().err
    assert version_of() == "0010"
