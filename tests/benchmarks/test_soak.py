"""The soak runs through by itself, as `make soak` starts it."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it reads Linux's /proc")
def test_a_short_soak_counts_every_result_once_and_judges_itself(tmp_path):
    command = [sys.executable, BENCHMARKS / "soak.py", "--minutes", "0.5", "--bots", "20", "--no-broker"]
    command += ["--csv", tmp_path / "soak.csv", "--svg", tmp_path / "soak.svg"]

    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=200, check=False)

    faults = [line for line in done.stdout.splitlines() if line.startswith("FAULT")]
    # Half a minute is too short to judge what grows, and on a busy machine perhaps for a match; but nothing is lost.
    assert [fault for fault in faults if "samples are too few" not in fault and "grew" not in fault] in (
        [],
        ["FAULT matches: none was finished in the second half"],
    )
    assert "results heard" in done.stdout
    assert len((tmp_path / "soak.csv").read_text().splitlines()) > 3
    assert (tmp_path / "soak.svg").read_text().startswith("<svg")
