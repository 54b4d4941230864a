"""Records are written while games go on, and all of them before the end."""

import asyncio
from datetime import UTC, datetime

import pytest

from palio_rules.contract.messages import Finish, Result
from palio_rules.records import Ply, Record, Setup
from palio_server.cli.records_file import RecordsFile, recording

THEN = datetime(2026, 11, 20, tzinfo=UTC)


def raced(match):
    setup = Setup("rush_hour", ("ann", "bob"), {"board": "b.../b.../aa.c/.d.."})
    ends = [Finish("rule", "solved", 1.0), Finish("resigned", "resigned", None)]
    plies = (Ply(0, ["c", 1], 5), Ply(1, None, 0, None, "resigned"))
    return Record(match, setup, plies, Result("rule", "ranked", [1.0, 0.0], finishes=ends), THEN, THEN)


async def test_all_that_was_noted_is_in_the_file_in_the_end(tmp_path):
    told = []
    async with recording(tmp_path / "games.txt", told.append) as recorder:
        for number in range(20):
            recorder.note(raced(f"m{number}"))
    async with recording(tmp_path / "games.txt", told.append) as recorder:
        assert recorder.known == {f"m{number}" for number in range(20)}
    assert told == []


async def test_a_record_is_in_the_file_soon_while_others_play(tmp_path):
    path = tmp_path / "games.txt"
    async with recording(path, print) as recorder:
        recorder.note(raced("m1"))
        async with asyncio.timeout(10):
            await recorder.drain()
        assert '[Match "m1"]' in path.read_text()


async def test_what_cannot_be_written_is_told_and_counted(tmp_path):
    told = []
    path = tmp_path / "folder" / "games.txt"
    path.parent.mkdir()
    async with recording(path, told.append) as recorder:
        path.unlink()
        path.parent.rmdir()
        recorder.note(raced("m1"))
        recorder.note(raced("m2"))
    assert len(told) == 2
    assert told[0].startswith(f"--records {path} cannot be written: no such file or directory; play goes on")
    assert told[1] == f"2 records are not in {path}; palio match export writes all from the database"


async def test_a_fault_of_ours_is_not_hidden(tmp_path, monkeypatch):
    def broken(self, record, round_):
        raise ZeroDivisionError

    monkeypatch.setattr(RecordsFile, "add", broken)

    async def record():
        async with recording(tmp_path / "games.txt", print) as recorder:
            recorder.note(raced("m1"))
            recorder.note(raced("m2"))

    with pytest.raises(ZeroDivisionError):
        await record()
