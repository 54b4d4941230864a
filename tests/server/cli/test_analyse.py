"""An analysis, as far as it comes: Ctrl-C at any moment loses nothing of it."""

import asyncio
import os
import signal
import sys
from datetime import UTC, datetime

import msgspec
import pytest

from palio_rules.contract.messages import Result
from palio_rules.records.record import JudgedPly, Ply, Record, Setup
from palio_server.cli.analyse import analyse_match
from palio_server.cli.command import CommandFailed

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RECORD = Record("m1", Setup("dominoes", ("ann", "bob")), (), Result("rule", "no-moves", [1.0, 0.0]), NOW, NOW)
START = JudgedPly(0, 0, "", (None, None), ("win", "loss"))


class Kept:
    """A source that keeps what it is given."""

    def __init__(self, meanwhile=lambda: None):
        self.analyses, self._meanwhile = [], meanwhile

    async def record(self, match):
        return RECORD

    async def keep_analysis(self, analysis):
        self._meanwhile()
        await asyncio.sleep(0)
        self.analyses.append(analysis)


@pytest.fixture
def judge(tmp_path, monkeypatch):
    """Lets a program of the test's own stand in for the one that judges."""

    def set_program(source):
        path = tmp_path / "judge.py"
        path.write_text(source)
        monkeypatch.setattr("palio_server.processes.hint_process.tethered", lambda *_: [sys.executable, str(path)])

    return set_program


def printing(*lines: bytes) -> str:
    return f"import sys; sys.stdin.read(); sys.stdout.buffer.write({b''.join(lines)!r})"


async def test_ctrl_c_while_the_analysis_is_being_kept_does_not_lose_it(judge, capsys):
    judge(printing(msgspec.json.encode(START), b"\n"))
    source = Kept(meanwhile=lambda: os.kill(os.getpid(), signal.SIGINT))
    assert await analyse_match(source, "m1", 1.0, keep=True, as_json=False) is None
    assert [ply.ply for ply in source.analyses[0].plies] == [0]
    assert source.analyses[0].complete
    assert "wins" in capsys.readouterr().out


async def test_a_line_that_was_cut_short_by_a_kill_is_no_ply(judge):
    judge(printing(msgspec.json.encode(START), b"\n", msgspec.json.encode(START)[:9]))
    source = Kept()
    assert await analyse_match(source, "m1", 1.0, keep=True, as_json=True) is None
    assert len(source.analyses[0].plies) == 1


async def test_what_the_judge_says_last_is_why_it_failed(judge):
    judge("import sys; sys.exit('no solver\\nError: the board is too large')")
    with pytest.raises(CommandFailed, match=r"^the board is too large$"):
        await analyse_match(Kept(), "m1", 1.0, keep=True, as_json=False)


async def test_what_was_judged_before_the_judge_failed_is_kept_and_printed(judge, capsys):
    judge(printing(msgspec.json.encode(START), b"\n") + "; sys.stdout.flush(); sys.exit('Error: katago was killed')")
    source = Kept()
    record = msgspec.structs.replace(RECORD, plies=(Ply(0, [0, 0], 5),))
    source.record = lambda _match: asyncio.sleep(0, record)
    with pytest.raises(CommandFailed, match=r"^katago was killed; 1 of 2 positions were judged before$"):
        await analyse_match(source, "m1", 1.0, keep=True, as_json=False)
    assert [(len(each.plies), each.complete) for each in source.analyses] == [(1, False)]
    assert "wins" in capsys.readouterr().out


async def test_the_engine_is_passed_on_to_the_process_that_judges(tmp_path, monkeypatch, capsys):
    told = []
    monkeypatch.setattr(
        "palio_server.processes.hint_process.tethered",
        lambda _goodbye_s, *program: told.extend(program) or [sys.executable, "-c", "import sys; sys.stdin.read()"],
    )
    for engine in ("gtp:katago gtp", ""):
        await analyse_match(Kept(), "m1", 1.0, engine, keep=False, as_json=True)
    assert told.count("--engine") == 1
    assert told[told.index("--engine") + 1] == "gtp:katago gtp"
