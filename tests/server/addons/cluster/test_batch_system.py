"""Batch systems that refuse, hang, answer late or say nothing: their words come, jobs are cancelled, keys go."""

import asyncio
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from palio_server.addons.cluster import batch_system
from palio_server.addons.cluster.batch_system import key_folder
from palio_server.addons.cluster.connecting import ClusterSpec, cluster_client

pytestmark = pytest.mark.timeout(120)

SYSTEMS = {"slurm": ("sbatch", "scancel"), "pbs": ("qsub", "qdel"), "sge": ("qsub", "qdel"), "lsf": ("bsub", "bkill")}
REFUSES = 'echo "{submit}: error: invalid partition specified: fast" >&2; exit 1'
HANGS = "sleep 1000"
LATE = 'read -r _line < "$0"; sleep 0.3; echo "Submitted job <4711> to queue <short>"'
SAYS_NOTHING = "exit 0"


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Return a function that puts the two commands of a system on the PATH; what is cancelled is in `cancelled`."""
    folder = tmp_path / "tools"
    folder.mkdir()
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("PALIO_DEBUG", "1")
    monkeypatch.chdir(tmp_path / "run")

    def put(kind: str, submit: str) -> Path:
        cancel = f'echo "$1" >> "{folder}/cancelled"'
        for name, text in zip(SYSTEMS[kind], (submit.replace("{submit}", SYSTEMS[kind][0]), cancel), strict=True):
            (folder / name).write_text(f"#!/bin/bash\n{text}\n")
            (folder / name).chmod(0o755)
        return folder / "cancelled"

    return put


async def until(happened: Callable[[], bool]) -> None:
    while not happened():  # noqa: ASYNC110  # another program does it
        await asyncio.sleep(0.02)


async def submitted(kind: str, jobs: int = 1):
    """Open the cluster, wait until all jobs are accepted or refused, and end; what became of them."""
    spec = ClusterSpec.parse(f"{kind}:jobs={jobs},cores=1,memory=1GB,interface=lo,walltime=0:10:00")
    async with cluster_client(spec) as (_, found):
        await until(lambda: found.accepted + len(found.refused) == jobs)
        [keys] = Path.cwd().glob(".palio-keys-*")
        assert stat.S_IMODE(keys.stat().st_mode) == 0o700
        assert list(keys.iterdir())
    assert not list(Path.cwd().iterdir())
    return found


@pytest.mark.parametrize("kind", SYSTEMS)
async def test_the_words_of_a_system_that_refuses_are_told(tools, kind):
    tools(kind, REFUSES)
    submit = SYSTEMS[kind][0]
    found = await submitted(kind, jobs=2)
    assert found.refusal == f"{submit} refuses: {submit}: error: invalid partition specified: fast"


@pytest.mark.parametrize("kind", SYSTEMS)
async def test_a_late_answer_is_waited_for_and_its_job_is_cancelled(tools, kind):
    cancelled = tools(kind, LATE)
    found = await submitted(kind)
    assert (found.accepted, found.refusal) == (1, "")
    assert cancelled.read_text() == "4711\n"


@pytest.mark.parametrize("kind", SYSTEMS)
async def test_a_system_that_hangs_is_given_up(tools, kind, monkeypatch):
    monkeypatch.setattr(batch_system, "SUBMIT_S", 0.2)
    tools(kind, HANGS)
    found = await submitted(kind)
    assert found.refusal == f"{SYSTEMS[kind][0]} has not answered within 0.2 s; try it by hand"


@pytest.mark.parametrize("kind", SYSTEMS)
async def test_an_answer_without_a_job_is_quoted(tools, kind):
    tools(kind, SAYS_NOTHING)
    found = await submitted(kind)
    assert found.refusal == f"{SYSTEMS[kind][0]} has named no job; it says: nothing"


async def test_a_command_that_is_not_here_is_named(tools, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    found = await submitted("slurm")
    assert found.refusal.startswith("sbatch cannot be run: No such file")


async def test_the_end_of_a_run_waits_for_no_submission(tools):
    tools("slurm", HANGS)
    spec = ClusterSpec.parse("slurm:jobs=2,cores=1,memory=1GB,interface=lo")
    async with asyncio.timeout(20), cluster_client(spec) as (_, found):
        await until(lambda: len(found._submitting) == 2)
    assert (found.accepted, len(found.refused)) == (0, 2)


def test_folders_of_keys_of_killed_runs_go_and_those_of_others_stay(tmp_path):
    import socket

    here = socket.gethostname()
    dead = tmp_path / f".palio-keys-{2**22 + 1}-{here}-abc"
    ours, elsewhere = tmp_path / f".palio-keys-{os.getpid()}-{here}-abc", tmp_path / ".palio-keys-1-other-host-abc"
    for folder in (dead, ours, elsewhere):
        folder.mkdir()
    with key_folder(tmp_path) as folder:
        assert set(tmp_path.iterdir()) == {folder, ours, elsewhere}
    assert set(tmp_path.iterdir()) == {ours, elsewhere}
