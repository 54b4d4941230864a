"""`palio run --cluster slurm:...` where the batch system refuses or keeps jobs waiting: it ends, and says why."""

import os
import signal
from pathlib import Path

import pytest
from command import Palio

pytestmark = [pytest.mark.timeout(300), pytest.mark.slow]

RUN = ("run", "dominoes:rows=4,cols=4", "random", "other=random", "--cluster")
WHERE = "slurm:jobs=2,cores=1,memory=1GB,interface=lo"


@pytest.fixture
def tools(palio: Palio, tmp_path: Path):
    """Return a function that makes `sbatch`, of this text; `scancel` notes what it cancels."""
    folder = tmp_path / "tools"
    folder.mkdir()
    palio.env["PATH"] = f"{folder}:{os.environ['PATH']}"

    def put(sbatch: str) -> Path:
        for name, text in (("sbatch", sbatch), ("scancel", f'echo "$1" >> "{folder}/cancelled"')):
            (folder / name).write_text(f"#!/bin/bash\n{text}\n")
            (folder / name).chmod(0o755)
        return folder / "cancelled"

    return put


def test_the_words_of_a_batch_system_that_refuses_end_the_run(palio: Palio, tools):
    tools('echo "sbatch: error: invalid partition specified: fast" >&2; exit 1')
    refused = palio(*RUN, WHERE, code=1)
    assert "2 jobs of slurm: sbatch refuses: sbatch: error: invalid partition specified: fast" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not list(palio.folder.glob(".palio-keys-*"))


def test_one_signal_ends_a_run_whose_jobs_wait_in_the_queue_and_cancels_them(palio: Palio, tools):
    cancelled = tools('echo "Submitted batch job 4711"')
    running = palio.start(*RUN, WHERE)
    running.line_with("waiting for the cluster's workers, 60 minutes at most")
    assert running.end(signal.SIGTERM) == 130
    assert cancelled.read_text() == "4711\n4711\n"
    assert not list(palio.folder.glob(".palio-keys-*"))
    assert palio.json("tournament", "list") == []


def test_a_run_whose_jobs_never_begin_ends_in_time(palio: Palio, tools):
    cancelled = tools('echo "Submitted batch job 4711"')
    ended = palio(*RUN, f"{WHERE},wait=0:00:01", code=1)
    assert "no worker has come within 1 s; 2 of 2 jobs are in the queue: look there" in ended.stderr
    assert cancelled.read_text() == "4711\n4711\n"
