"""One process compiles, the others wait: the lock, and that it does what it is for."""

import os
import subprocess
import sys
import threading
import time

import pytest

from palio_clients.kernels.compiling import alone

STORY = """
from palio_clients.games import companion_of
from palio_rules.registry import game_from_spec
companion_of("breakthrough").engine(*game_from_spec("breakthrough")).warm_up()
from palio_clients.games.breakthrough.kernels import strong
print(sum(strong.visit.stats.cache_misses.values()))
"""


def test_only_one_at_a_time_is_alone(tmp_path):
    inside, seen = [], []

    def enter():
        with alone(tmp_path / "lock"):
            inside.append(None)
            seen.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    threads = [threading.Thread(target=enter) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 6


def test_who_fails_while_alone_lets_the_next_one_in(tmp_path):
    with pytest.raises(ValueError, match="oh"), alone(tmp_path / "lock"):
        raise ValueError("oh")
    with alone(tmp_path / "lock"):
        pass


def test_a_process_that_dies_while_alone_lets_the_next_one_in(tmp_path):
    story = "import os, pathlib, sys; from palio_clients.kernels.compiling import alone\n"
    story += "with alone(pathlib.Path(sys.argv[1])): os._exit(0)"
    subprocess.run([sys.executable, "-c", story, tmp_path / "lock"], check=True)
    with alone(tmp_path / "lock"):
        pass


@pytest.mark.parametrize("nowhere", ["missing/lock", None])
def test_where_no_lock_can_be_kept_nobody_waits(nowhere, tmp_path):
    path = nowhere and tmp_path / nowhere
    with alone(path), alone(path):
        pass


@pytest.mark.slow
def test_of_processes_that_begin_at_once_one_compiles_and_the_others_read_what_it_has_kept(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    begun = [
        subprocess.Popen([sys.executable, "-c", STORY], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert sorted(int(process.communicate()[0]) for process in begun) == [0, 0, 1]
