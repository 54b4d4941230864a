"""`bench_environments.py` runs through, and its peers' loop is Python that plays."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_environments

    return bench_environments


def test_it_measures_every_environment():
    command = [sys.executable, BENCHMARKS / "bench_environments.py", "--seconds", "0.01", "--json"]
    told = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    assert [row["what"].split(",")[0] for row in told["figures"]] == ["PettingZoo"] * 5 + ["Gymnasium"] * 3
    assert all(row["value"] > 0 for row in told["figures"])


def test_open_spiel_is_measured_in_a_process_of_its_own(script):
    assert script.peer_speed(sys.executable, "breakthrough 6", 0.05) > 0


def test_all_are_measured_in_turns_and_the_first_round_is_left_out(script):
    ours, theirs = iter(range(100, 106)), iter([9, 1, 2, 3, 4, 5])
    assert script.medians({"ours": lambda: next(ours), "theirs": lambda: next(theirs)}) == {"ours": 103, "theirs": 3}
