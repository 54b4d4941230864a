"""`palio compile` does it beforehand, and whoever has not done so is told what they wait for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from palio_clients import kernels
from palio_clients.cli.compile import compile_searches

PALIO = Path(sys.executable).parent / "palio"


def run(cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run([PALIO, *words], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_first_search_says_that_it_compiles_and_counts_it(tmp_path):
    words = ("solve", "dominoes:rows=3,cols=3")
    first, second = (run(tmp_path, *words) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr
    assert first.stderr.startswith(f"palio: compiling the searches of dominoes (once, kept in {tmp_path}")
    assert first.stderr.count("compiling") == 1
    assert first.stdout.splitlines()[-1].endswith(" s of them to compile the search, once")
    assert second.stderr == ""
    assert " s in all" not in second.stdout


@pytest.mark.slow
def test_what_was_compiled_beforehand_is_waited_for_by_nobody(tmp_path):
    first, second = (run(tmp_path, "compile", "rush_hour") for _ in range(2))
    assert first.stdout.startswith("rush_hour: compiled in "), first.stderr
    assert second.stdout == "rush_hour: kept already\n"
    assert second.stderr == ""


def test_an_unknown_game_is_refused_with_the_nearest():
    refused = CliRunner().invoke(compile_searches, ["dominos"])
    assert refused.exit_code == 2
    assert "dominoes" in refused.stderr


def test_without_numba_it_says_what_brings_it(monkeypatch):
    monkeypatch.setattr(kernels, "find_spec", lambda _name: None)
    refused = CliRunner().invoke(compile_searches, ["dominoes"])
    assert refused.exit_code == 1
    assert "pip install 'palio[kernels]'" in refused.stderr
