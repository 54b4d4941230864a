"""`palio check-game`: a line a law, an exit code, and the same positions for the same seed."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from palio_clients.cli.check_game import check_game

NIM = Path(__file__).parents[2] / "plugin" / "palio_nim.py"
pytestmark = pytest.mark.usefixtures("own_games")


@pytest.fixture
def mygame(tmp_path):
    return Path(shutil.copy(NIM, tmp_path / "mygame.py"))


def run(*words):
    return CliRunner().invoke(check_game, [str(word) for word in words])


@pytest.mark.slow
def test_a_good_game_has_a_line_for_each_law(mygame):
    done = run(f"{mygame}:Nim", "--positions", 30)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1].endswith(" ok, 0 failed")
    assert "positions/s" in done.output


@pytest.mark.slow
def test_a_broken_law_is_told_with_position_moves_seed_and_remedy(mygame):
    mygame.write_text(mygame.read_text().replace('"game-over", "the game is over"', '"over", "the end"'))
    done = run(f"{mygame}:Nim", "--positions", 30, "--seed", 4, "--json")
    assert done.exit_code == 1
    (failed,) = [found for found in map(json.loads, done.output.splitlines()) if found["verdict"] == "FAIL"]
    assert failed["law"] == "no move is legal after the end"
    assert failed["position"].startswith("000 ")
    assert failed["moves"]
    assert failed["seed"] >= 4
    assert "game-over" in failed["remedy"]
    again = run(f"{mygame}:Nim", "--positions", 30, "--seed", 4, "--json")
    assert [line for line in again.output.splitlines() if "speed" not in line] == [
        line for line in done.output.splitlines() if "speed" not in line
    ]


def test_what_is_no_game_is_refused_in_a_sentence():
    done = run("./none.py:Nim")
    assert done.exit_code == 2
    assert "there is no file" in done.output
