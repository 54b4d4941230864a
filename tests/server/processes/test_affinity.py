"""Games get CPUs of their own, and programs are kept on them with all that they start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.processes.affinity import CpuShares, of_bots, parse_cpus, pin

CHILD = """
import os, subprocess, sys, threading
depth = int(sys.argv[2])
if depth:
    child = subprocess.Popen([sys.executable, *sys.argv[:2], str(depth - 1)], stdin=subprocess.PIPE)
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("started", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("text", "cpus"),
    [("all", (0, 1, 2, 3, 8)), ("2", (2,)), ("0-2,8", (0, 1, 2, 8)), ("3,0, 1", (3, 0, 1)), ("1,0-1", (1, 0))],
)
def test_cpus_are_numbers_and_ranges(text, cpus):
    assert parse_cpus(text, {8, 0, 1, 2, 3}) == cpus


@pytest.mark.parametrize("text", ["", "x", "1-", "-1", "2-1", "0,,1", "1234567", "0-99999999999"])
def test_what_names_no_cpus_is_refused(text):
    with pytest.raises(BadOption, match="names no CPUs; write all, or numbers as in 0-3,6"):
        parse_cpus(text, {0, 1})


def test_a_cpu_that_is_not_there_is_named():
    with pytest.raises(BadOption, match="there is no CPU 2 for this process; there are 0,1"):
        parse_cpus("0-3", {1, 0})


@given(st.integers(1, 8), st.integers(1, 3), st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=40))
def test_running_games_never_share_a_cpu(cpus, per_game, turns):
    shares, running = CpuShares(tuple(range(cpus)), per_game), {}
    for number, begins in turns:
        match = f"m{number}"
        if not begins or match in running:
            running.pop(match, None)
        elif len(running) < shares.games:
            running[match] = shares.take(match, {*running, match})
            used = [cpu for each in running.values() for cpu in each]
            assert len(used) == len(set(used)) == per_game * len(running)


def test_more_games_than_cpus_are_refused():
    CpuShares((0, 1, 2, 3)).check(4)
    with pytest.raises(BadOption, match="each of 5 games at once needs a CPU, and there are 4; write --concurrency 4"):
        CpuShares((0, 1, 2, 3)).check(5)
    with pytest.raises(BadOption, match="needs 2 CPUs, because its bots think at the same time, and there are 3"):
        CpuShares((0, 1, 2), per_game=2).check(2)


def test_bots_share_a_cpu_or_have_one_each():
    assert of_bots((3,), 2) == [3, 3]
    assert of_bots((3, 5), 2) == [3, 5]


@pytest.mark.skipif(sys.platform != "linux", reason="CPUs are chosen on Linux only")
def test_a_program_is_kept_with_its_threads_and_all_that_it_has_started(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(CHILD)
    cpu = max(os.sched_getaffinity(0))
    with subprocess.Popen(
        [sys.executable, script, script, "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for _ in range(3):
            assert program.stdout.readline() == b"started\n"
        pin(program.pid, cpu)
        found, waiting = [], [program.pid]
        while waiting:
            pid = waiting.pop()
            for task in Path(f"/proc/{pid}/task").iterdir():
                found.append(os.sched_getaffinity(int(task.name)))
                waiting += map(int, (task / "children").read_text().split())
        program.stdin.close()
        assert program.stdout.read() == b""  # all three have ended, each at the end of its parent
    assert len(found) >= 6  # three processes with two threads
    assert set(map(tuple, found)) == {(cpu,)}
