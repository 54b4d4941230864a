"""The benchmarks that start servers run through, as `run_all.py` runs them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="they read Linux's /proc")
@pytest.mark.parametrize(
    ("script", "words", "what"),
    [
        ("bench_crowd.py", ["--bots", "20", "--settle", "1", "--seconds", "2"], "server's share of a core"),
        pytest.param(
            "bench_crowd.py",
            ["--mqtt", "--bots", "20", "--settle", "1", "--seconds", "2"],
            "the broker's share of a core",
            marks=pytest.mark.mosquitto,
        ),
        pytest.param(
            "bench_crowd_page.py",
            ["--bots", "20", "--seconds", "2", "--views", "lobby,bots"],
            "crowd's page, bots: main thread busy",
            marks=pytest.mark.browser,
        ),
        ("bench_run.py", ["--games", "20", "--times", "1"], "first game begins after"),
    ],
)
def test_it_runs_through_in_the_environment_of_run_all(script, words, what, tmp_path):
    environment = {**os.environ, "BENCH_FIGURES": str(tmp_path / "figures")}  # which a server would refuse
    command = [sys.executable, BENCHMARKS / script, *words]

    assert what in subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
