"""Ratings need one thread, and leave no trace in the environment of programs that are started later."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOOK = """
import os, sys
from palio_server.ratings.arrays import np
rows = np.ones((600, 600))
rows @ rows
print(len(os.listdir("/proc/self/task")), os.environ.get("OPENBLAS_NUM_THREADS"))
"""


def looked(**environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    return subprocess.run(
        [sys.executable, "-c", LOOK], env={**inherited, **environment}, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted as Linux shows them")
def test_linear_algebra_has_one_thread_unless_the_environment_says_otherwise():
    assert looked() == "1 None\n"
    assert looked(OPENBLAS_NUM_THREADS="2") == f"{min(2, os.cpu_count() or 1)} 2\n"


def test_a_server_is_put_together_without_arrays(loaded_by):
    assert "numpy" not in loaded_by("import palio_server.server, palio_server.api.app")


def test_arrays_that_two_threads_ask_for_first_leave_the_environment_as_it_was():
    code = """
import os
from concurrent.futures import ThreadPoolExecutor
from palio_server.ratings.arrays import np
with ThreadPoolExecutor(8) as threads:
    found = list(threads.map(lambda _: np.zeros(2).sum(), range(8)))
print(found == [0.0] * 8, os.environ.get("OPENBLAS_NUM_THREADS"))
"""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert found.stdout == "True None\n"
