"""`palio archive`, `palio retain`: first a file, then moves leave the database; a kill at any step loses nothing."""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from made_matches import duel, race, table
from msgspec.structs import replace

from palio_db.event_values import KeptMatch, KeptQuery
from palio_db.store import Store
from palio_db.values import ArchivePlace
from palio_rules import written_file
from palio_server.addons.transfer import archive, export_job
from palio_server.cli.palio import call as palio

LATER = "2027-06-01"  # after all of the matches
KILLED = 9
OLD = ("archive", "--before", LATER, "-o", "old.parquet")
# Before each of these calls the process is killed: while the file is written, before it is on the disk, before it has
# its name, before anything is moved, and between two transactions of the move.
STEPS: list[tuple[Any, str, int]] = [
    (export_job.ExportJob, "add", 2),
    (written_file, "_sync", 1),
    (written_file.Path, "replace", 1),
    (Store, "archive", 1),
    (Store, "archive", 2),
    (Store, "archive", 3),
]

pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # a child that is killed needs no more


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("PALIO_DB", "PALIO_KEEP", "PALIO_ARCHIVES"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def in_store(read: Callable[[Store], Any]) -> Any:
    async def opened() -> Any:
        async with await Store.open("sqlite:///palio.db") as store:
            return await read(store)

    return asyncio.run(opened())


@pytest.fixture
def before(folder: Path) -> object:
    """A database with three matches, and everything that people see of it."""
    in_store(lambda store: store.import_matches([duel(), race(), table()]))
    return in_store(standing)


async def standing(store: Store) -> object:
    games = await store.rated_games()
    boards = [await store.leaderboard(game) for game in games]
    return boards, [await store.head_to_head(game) for game in games], await store.recount()


async def _places(store: Store) -> dict[str, ArchivePlace | None]:
    return {row.id: row.archived for row in await store.matches()}


def files() -> dict[str, str | None]:
    """The file that has the moves of each match; None: the database has them."""
    return {match: place and place.file for match, place in in_store(_places).items()}


async def _records(store: Store) -> list[KeptMatch]:
    return [each async for each in store.kept_matches(KeptQuery())]


def killed_before(owner: Any, name: str, number: int, *words: str) -> int:
    """Run a command in a child that ends, without any cleaning up, before the `number`-th call; its exit code."""
    child = os.fork()
    if child == 0:
        real, left = getattr(owner, name), [number]

        def step(*arguments: Any, **more: Any) -> Any:
            left[0] -= 1
            if left[0] == 0:
                os._exit(KILLED)
            return real(*arguments, **more)

        setattr(owner, name, step)
        archive.BATCH = 1
        os._exit(palio(list(words)))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(("owner", "name", "number"), STEPS, ids=[f"{name}-{number}" for _, name, number in STEPS])
def test_a_kill_at_any_step_loses_nothing_and_the_same_command_finishes_it(before, folder, owner, name, number):
    matches = in_store(_records)
    assert killed_before(owner, name, number, *OLD) == KILLED
    assert set(files().values()) == {None} or (folder / "old.parquet").exists()
    assert palio(OLD) == 0
    assert set(files().values()) == {"old.parquet"}
    assert in_store(standing) == before
    assert palio(["import", "old.parquet"]) == 0
    assert in_store(_records) == matches
    assert in_store(standing) == before


def test_which_matches_are_meant_must_be_said(capsys):
    assert palio(["archive", "-o", "x.parquet"]) == 2
    assert "which matches?" in capsys.readouterr().err
    assert palio(["archive", "--before", "1y", "-o", "x.jsonl"]) == 2
    assert "an archive is a Parquet file" in capsys.readouterr().err


def test_nothing_is_written_where_nothing_fits(before, folder):
    assert palio(["archive", "--before", "2001-01-01", "-o", "x.parquet"]) == 0
    assert not Path("x.parquet").exists()


def test_of_a_file_that_is_there_it_says_how_many_that_fit_it_does_not_have(before, folder, capsys):
    assert palio(["archive", "--before", LATER, "--game", duel().setup.game, "-o", "old.parquet"]) == 0
    assert "more fit" not in capsys.readouterr().out
    palio(OLD)
    assert "2 more fit, which old.parquet does not have; archive them into another file" in capsys.readouterr().out
    assert sorted(file or "" for file in files().values()) == ["", "", "old.parquet"]


def test_a_file_that_is_no_archive_takes_nothing_out_of_the_database(before, folder):
    Path("x.parquet").write_bytes(b"PAR1 is not enough")
    assert palio(["archive", "--before", LATER, "-o", "x.parquet"]) == 1
    assert set(files().values()) == {None}


def test_an_export_names_the_archives_that_it_leaves_out(before, folder, capsys):
    assert palio(OLD) == 0
    capsys.readouterr()
    assert palio(["export", "-o", "rest.jsonl"]) == 2
    left_out = "3 archived matches are left out: 3 in old.parquet; palio import old.parquet brings them back"
    assert left_out in capsys.readouterr().err
    assert palio(["verify"]) == 0
    assert "0 matches replayed (3 are archived, without their moves)" in capsys.readouterr().out


def test_retain_moves_what_is_older_than_the_rule_into_a_file_of_its_day(folder, monkeypatch):
    def at(moment: datetime) -> dict[str, datetime]:
        return {"created_at": moment, "started_at": moment, "finished_at": moment + timedelta(seconds=5)}

    now = datetime.now(UTC)
    matches = [replace(race(), **at(now - timedelta(days=5))), replace(table(), **at(now))]
    in_store(lambda store: store.import_matches(matches))
    (folder / "archives").mkdir()
    (folder / "archives/.until-2026-01-01.parquet.77.part").write_bytes(b"half")  # of a run that was killed
    monkeypatch.setenv("PALIO_KEEP", "1d")
    monkeypatch.setenv("PALIO_ARCHIVES", "archives")
    assert palio(["retain"]) == 0
    [file] = [path.name for path in Path("archives").iterdir()]
    assert file.startswith("until-")
    assert files() == {matches[0].match: file, matches[1].match: None}
    assert palio(["retain"]) == 0  # again on the same day
    assert [path.name for path in Path("archives").iterdir()] == [file]


def test_retain_finishes_first_what_a_killed_run_has_left(before, folder):
    (folder / "archives").mkdir()
    assert palio(["archive", "--before", LATER, "-o", "archives/until-2026-01-01.parquet"]) == 0
    assert palio(["import", "archives/until-2026-01-01.parquet"]) == 0  # as if it had been killed after its file
    assert palio(["retain", "--keep", "52w", "--archives", "archives"]) == 0
    assert set(files().values()) == {"until-2026-01-01.parquet"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "how long do matches keep their moves?"),
        (["--keep", "soon"], "--keep 'soon' is no age"),
        (["--keep", "5m"], "a day at least"),
        (["--keep", "90d"], "where to?"),
        (["--keep", "90d", "--archives", "nowhere"], "nowhere is no folder; make it first"),
    ],
)
def test_a_rule_that_cannot_be_kept_is_refused(words, sentence, capsys):
    assert palio(["retain", *words]) == 2
    assert sentence in capsys.readouterr().err
