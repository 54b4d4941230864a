"""However many matches there are: an export, and an import, need no more memory for them than for a few."""

import asyncio
import tracemalloc

import made_matches
import pytest

from palio_db import exports
from palio_db.event_values import as_kept
from palio_db.store import Store
from palio_server.addons.transfer import import_records, parquet_file
from palio_server.cli.palio import call

FEW, MANY = 60, 480
GAME = as_kept(made_matches.played("breakthrough", "ann", "bob", longest=30))


async def _fill(db, count):
    from msgspec.structs import replace

    async with await Store.open(f"sqlite:///{db}") as store:
        await store.import_matches([replace(GAME, match=f"m{number:05}") for number in range(count)])


@pytest.fixture(scope="module")
def databases(tmp_path_factory):
    folder = tmp_path_factory.mktemp("databases")
    for count in (FEW, MANY):
        asyncio.run(_fill(folder / f"{count}.db", count))
    return folder


def peak(words):
    """Bytes of Python's own at once, at most, while a command runs that has run before."""
    assert call([*map(str, words)]) == 0
    tracemalloc.start()
    try:
        assert call([*map(str, words)]) == 0
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def small(monkeypatch):
    """Pages, groups and batches of which the few matches fill some already."""
    monkeypatch.setattr(exports, "PAGE", 10)
    monkeypatch.setattr(parquet_file, "GROUP_ROWS", 200)
    monkeypatch.setattr(import_records, "BATCH", 10)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet", "pgn"])
def test_eight_times_as_many_matches_are_exported_in_the_same_memory(databases, tmp_path, small, form):
    # Ratings are of 20,000 results at most, and Parquet holds rows until they make a group.
    what = {"pgn": "matches", "parquet": "plies"}.get(form, "matches,seats,plies,rejections")
    few, many = (
        peak(
            [
                "export",
                databases / f"{count}.db",
                "-o",
                f"{tmp_path}/{count}/",
                "--format",
                form,
                "--force",
                "--what",
                what,
            ]
        )
        for count in (FEW, MANY)
    )
    assert many < 1.5 * few


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "parquet", "pgn"])
def test_and_imported(databases, tmp_path, small, form):
    few, many = 0, 0
    for count in (FEW, MANY):
        file = tmp_path / f"{count}.{form}"
        assert call(["export", str(databases / f"{count}.db"), "-o", str(file)]) == 0
        few, many = many, peak(["import", file, "--db", tmp_path / f"{count}.db"])
    assert many < 1.5 * few
