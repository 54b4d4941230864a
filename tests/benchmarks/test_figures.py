"""The tables of benchmarks: goals that are met or missed, numbers that can be read, and scripts that can be started."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def beside_the_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))


def test_a_goal_is_met_from_there_on_in_the_better_direction():
    from figures import Figure

    assert Figure("speed", 10, "nodes/s", 10).met
    assert not Figure("speed", 9, "nodes/s", 10).met
    assert Figure("time", 1.0, "s", 1.0, less_is_better=True).met
    assert not Figure("time", 1.1, "s", 1.0, less_is_better=True).met
    assert Figure("size", 1, "cities").met is None


def test_a_missed_goal_is_said_aloud():
    from figures import Figure, table

    rows = table(
        [Figure("time", 1.5, "s", 1.0, less_is_better=True, peer="theirs 1 s"), Figure("speed", 3e6, "nodes/s")]
    )
    assert rows.splitlines()[0].split() == ["time", "1.5", "s", "<=", "1", "s", "MISSED", "peer:", "theirs", "1", "s"]
    assert rows.splitlines()[1].split() == ["speed", "3", "M", "nodes/s"]


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [(0.00041, "s", "0.41 ms"), (2.5, "s", "2.5 s"), (412762, "nodes", "412,762 nodes"), (5.1e9, "", "5.1 G")],
)
def test_numbers_are_short(value, unit, words):
    from figures import said

    assert said(value, unit) == words


def test_only_figures_with_a_goal_are_kept_for_the_table_of_all(tmp_path, monkeypatch, capsys):
    from figures import FILE, Figure, report

    monkeypatch.setenv(FILE, str(tmp_path / "kept"))
    report([Figure("a", 1, "s", 2, less_is_better=True), Figure("b", 1, "s")], 3, as_json=True)
    assert [json.loads(line)["what"] for line in (tmp_path / "kept").read_text().splitlines()] == ["a"]
    assert [each["what"] for each in json.loads(capsys.readouterr().out)["figures"]] == ["a", "b"]


@pytest.mark.slow
def test_every_script_can_be_imported():
    names = ",".join(sorted(script.stem for script in BENCHMARKS.glob("*.py")))
    done = subprocess.run(
        [sys.executable, "-c", f"import {names}"], cwd=BENCHMARKS, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
