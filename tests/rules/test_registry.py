"""The registry: games by name, and a stranger's game that joins by its entry point alone and keeps every law."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.registry import game, game_from_spec, games

HERE = Path(__file__).parent
PLUGIN = HERE.parent / "plugin"
ENTRY_POINTS = """\
[palio.games]
nim = palio_nim:Nim
nim3 = palio_nim:Nim3
misnamed = palio_nim:Nim
"""


@pytest.fixture
def stranger(tmp_path):
    """An environment in which a package with two games of its own is installed."""
    shutil.copy(PLUGIN / "palio_nim.py", tmp_path)
    info = tmp_path / "palio_nim-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: palio-nim\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


def run(environment, *words):
    return subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, timeout=100, check=False
    )


def test_the_games_that_ship_are_listed_by_name():
    ours = {"breakthrough", "chexers", "chexers_solo", "dominoes", "end_of_the_track", "rush_hour", "tsp"}
    assert ours <= set(games())
    assert list(games()) == sorted(games())


@pytest.mark.parametrize("name", games())
def test_a_game_is_one_object_under_its_own_name(name):
    assert isinstance(game(name), Game)
    assert game(name) is game(name)
    assert game(name).name == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("braekthrough", "unknown game 'braekthrough'; did you mean 'breakthrough'?"),
        ("go", "unknown game 'go'; known: "),
    ],
)
def test_an_unknown_game_is_refused_with_the_nearest_known_one(name, message):
    with pytest.raises(BadOption) as caught:
        game(name)
    assert str(caught.value).startswith(message)


def test_a_spec_names_a_game_and_its_options():
    found, options = game_from_spec("breakthrough:rows=8,cols=8")
    assert (found.name, options.rows, options.cols, options.first) == ("breakthrough", 8, 8, "black")
    with pytest.raises(BadOption, match="did you mean 'rows'"):
        game_from_spec("breakthrough:row=8")


def test_a_stranger_s_game_joins_by_its_entry_point(stranger):
    done = run(
        stranger,
        "-c",
        "from palio_rules.registry import game, game_from_spec, games\n"
        "found, options = game_from_spec('nim:heaps=4')\n"
        "print(*games(), '|', found.title, game('nim') is found, found.start(options).heaps)",
    )
    assert done.returncode == 0, done.stderr
    names, _, third_party = done.stdout.strip().partition(" | ")
    assert {"breakthrough", "nim", "nim3"} <= set(names.split())
    assert third_party == "Nim True (1, 2, 3, 4)"


def test_a_game_installed_under_another_name_than_its_own_is_refused(stranger):
    done = run(stranger, "-c", "from palio_rules.registry import game; game('misnamed')")
    assert "the game installed as 'misnamed' calls itself 'nim'; name both alike" in done.stderr


def test_a_stranger_s_games_keep_all_the_laws(stranger):
    entry_points = Path(stranger["PYTHONPATH"].split(os.pathsep)[0]) / "palio_nim-1.0.dist-info" / "entry_points.txt"
    entry_points.write_text(ENTRY_POINTS.replace("misnamed = palio_nim:Nim\n", ""))
    laws = [str(HERE / f"test_game_laws{aspect}.py") for aspect in ("", "_hostile", "_kinds")]
    laws.append(str(HERE / "test_gestures.py"))
    done = run(stranger, "-m", "pytest", *laws, "-k", "nim", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
