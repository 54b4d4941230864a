"""Pipes and links that commands write stay what they are; none of these is replaced by a file."""

import os
import stat
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest
from msgspec.structs import replace

from palio_rules.contract.messages import Result
from palio_rules.records import Record, Setup
from palio_server.addons.transfer.outputs import Outputs
from palio_server.cli.records_file import RecordsFile
from palio_server.cli.run_log import LogChoice, RunLog

THEN = datetime(2026, 11, 20, tzinfo=UTC)
RECORD = Record("m", Setup("dominoes", ("a", "b")), (), Result("aborted", "stopped", [0.5, 0.5]), THEN, THEN)


def records(path: Path) -> None:
    file = RecordsFile(path)
    assert [file.add(replace(RECORD, match=match)) for match in ("m1", "m2")] == ["", ""]
    file.close()


def log(path: Path) -> None:
    note = RunLog(LogChoice(str(path), append=False), pytest.fail)
    note.note("said", "info")
    note.close()


def export(path: Path) -> None:
    with ExitStack() as stack:
        Outputs(stack, force=path.is_file()).open(path).write(b"rows")


WRITERS = {records: '"m2"', log: "INFO  said\n", export: "rows"}  # with a part of what is written


@pytest.mark.parametrize(("write", "part"), WRITERS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_a_pipe_stays_a_pipe_and_a_link_a_link(tmp_path: Path, write: Callable[[Path], None], part: str):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to("file")
    (tmp_path / "file").touch()
    heard: list[str] = []

    def read() -> None:
        while not heard or part not in heard[-1]:
            heard.append(pipe.read_text())

    reader = Thread(target=read, daemon=True)
    reader.start()
    write(pipe)
    reader.join(30)
    assert part in heard[-1]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write(link)
    assert link.is_symlink()
    assert part in (tmp_path / "file").read_text()
