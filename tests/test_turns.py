"""Deep tests are run in turns: each of them has its turn, and only one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ["tests/clients/search", "tests/rules/test_game_laws.py"]  # with property tests and slow ones


def collected(*words: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *words, *ROOMS]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    found = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-2000:]
    return [line for line in found.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_every_slow_test_and_every_property_has_one_turn_of_three():
    turns = [collected("--turn", f"{part}/3") for part in (1, 2, 3)]
    together = [test for turn in turns for test in turn]
    assert all(turns)
    assert sorted(together) == sorted(collected("--turn", "1/1"))
    assert set(collected("-m", "slow")) < set(together) < set(collected())


@pytest.mark.slow
def test_all_cases_of_a_test_have_the_same_turn():
    first, second = ({test.partition("[")[0] for test in collected("--turn", f"{part}/2")} for part in (1, 2))
    assert first.isdisjoint(second)
