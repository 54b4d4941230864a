"""A process that judges plies: what it says comes out, why it fails is told, and it ends with its block."""

import os
import sys
from datetime import UTC, datetime

import msgspec
import pytest

from palio_rules.contract.messages import Result
from palio_rules.records.record import JudgedPly, Ply, Record, Setup
from palio_server.processes.hint_process import JudgeFailed, judging, positions

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RECORD = Record("m1", Setup("dominoes", ("ann", "bob")), (), Result("rule", "no-moves", [1.0, 0.0]), NOW, NOW)
START = JudgedPly(0, 0, "", (None, None), ("win", "loss"))
LINE = msgspec.json.encode(START) + b"\n"


@pytest.fixture
def judge(tmp_path, monkeypatch):
    """Lets a program of the test's own stand in for the one that judges."""

    def set_program(source):
        path = tmp_path / "judge.py"
        path.write_text(source)
        monkeypatch.setattr("palio_server.processes.hint_process.tethered", lambda *_: [sys.executable, str(path)])

    return set_program


async def test_the_record_goes_in_and_plies_come_out(judge):
    judge(f"import json, sys; assert json.load(sys.stdin)['match'] == 'm1'; sys.stdout.buffer.write({LINE!r})")
    async with judging(1.0, 5.0) as process:
        assert [ply async for ply in process.plies(RECORD)] == [START]


async def test_what_it_says_last_is_why_it_failed(judge):
    judge("import sys; sys.exit('a line before\\nError: the board is too large')")
    async with judging(1.0, 5.0) as process:
        with pytest.raises(JudgeFailed, match=r"^the board is too large$"):
            [ply async for ply in process.plies(RECORD)]


async def test_one_that_is_stopped_has_not_failed_and_keeps_what_it_said(judge):
    judge(f"import sys, time; sys.stdout.buffer.write({LINE!r}); sys.stdout.flush(); time.sleep(600)")
    async with judging(1.0, 5.0) as process:
        found = []
        async for ply in process.plies(RECORD):
            found.append(ply)
            process.stop()
    assert found == [START]


async def test_it_is_gone_when_the_block_ends(judge):
    judge("import time; time.sleep(600)")
    async with judging(1.0, 5.0) as process:
        pid = process.pid
        os.kill(pid, 0)  # it is there
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_first_position_counts_too():
    setup = Setup("dominoes", ("ann", "bob"), opening=([0, 0],))
    record = Record("m1", setup, (Ply(1, [0, 1], 5),), Result("rule", "no-moves", [1.0, 0.0]), NOW, NOW)
    assert positions(record) == 3
