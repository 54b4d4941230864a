"""The registry: games by name, and a stranger's game that joins by its entry point alone and keeps every law."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from palio_rules import registry
from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.registry import adopt, game, game_files, game_from_spec, games, games_variable, is_race, typed

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
    ours = {"breakthrough", "chess", "chexers", "chexers_solo", "dominoes", "end_of_the_track", "rush_hour", "tsp"}
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
        ("ludo_royal", "unknown game 'ludo_royal'; known: "),
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


@pytest.mark.slow
def test_a_stranger_s_games_keep_all_the_laws(stranger):
    entry_points = Path(stranger["PYTHONPATH"].split(os.pathsep)[0]) / "palio_nim-1.0.dist-info" / "entry_points.txt"
    entry_points.write_text(ENTRY_POINTS.replace("misnamed = palio_nim:Nim\n", ""))
    laws = [str(HERE / f"test_game_laws{aspect}.py") for aspect in ("", "_hostile", "_kinds")]
    laws.append(str(HERE / "test_gestures.py"))
    done = run(stranger, "-m", "pytest", *laws, "-k", "nim", "-q", "-p", "no:cacheprovider")
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


@pytest.fixture
def mygame(own_games, tmp_path):
    return Path(shutil.copy(PLUGIN / "palio_nim.py", tmp_path / "mygame.py"))


def test_a_game_of_a_file_is_known_by_its_plain_name_from_then_on(mygame):
    spec = adopt(f"{mygame}:Nim:heaps=2")
    assert (spec.name, spec.settings) == ("nim", {"heaps": "2"})
    assert "nim" in games()
    assert game("nim") is game_from_spec(f"{mygame}:Nim")[0]
    assert not is_race("nim")
    assert typed("nim") == games_variable() == f"{mygame}:Nim"
    assert game_files() == (mygame,)


def test_what_this_process_starts_knows_it_too_wherever_it_runs(mygame, tmp_path):
    adopt(f"{mygame}:Nim")
    adopt(f"{mygame}:Nim3")
    script = "from palio_rules.registry import games; print([each for each in games() if 'nim' in each])"
    (tmp_path / "elsewhere").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path / "elsewhere", capture_output=True, text=True, check=True
    )
    assert done.stdout == "['nim', 'nim3']\n"


def test_settings_beside_a_file_are_read_like_those_in_its_spec(mygame):
    _, options = game_from_spec(f"{mygame}:Nim", ["heaps=2"])
    assert options.heaps == 2


def test_a_game_may_not_call_itself_as_an_installed_one_does(mygame):
    mygame.write_text(mygame.read_text().replace('name = "nim"', 'name = "breakthrough"'))
    with pytest.raises(BadOption, match="calls itself 'breakthrough', as an installed game does; give it"):
        adopt(f"{mygame}:Nim")
    assert game("breakthrough").title == "Breakthrough"


def test_two_games_may_not_call_themselves_alike(mygame):
    other = Path(shutil.copy(mygame, mygame.with_name("other.py")))
    adopt(f"{mygame}:Nim")
    adopt(f"{mygame}:Nim")
    with pytest.raises(BadOption, match=r"other.py:Nim and .*mygame.py:Nim both call themselves 'nim'; give one"):
        adopt(f"{other}:Nim")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("/none/mygame.py", "PALIO_GAMES in the environment: there is no file '/none/mygame.py'; check the path"),
        ("nim", "PALIO_GAMES in the environment: 'nim' is neither a file, as in ./mygame.py:Nim, nor a"),
        ("FILE:Nim:heaps=2", "has settings, which belong to a match; name the game alone"),
    ],
)
def test_what_the_environment_cannot_mean_is_said(mygame, monkeypatch, words, sentence):
    monkeypatch.setenv(registry.GIVEN, words.replace("FILE", str(mygame)))
    for _ in range(2):
        with pytest.raises(BadOption, match=sentence):
            games()
    assert "breakthrough" in registry.installed()


def test_the_environment_may_name_several_files_from_here(mygame, monkeypatch):
    monkeypatch.chdir(mygame.parent)
    monkeypatch.setenv(registry.GIVEN, "./mygame.py:Nim; mygame.py:Nim3;")
    assert {"nim", "nim3"} <= set(games())
    assert os.environ[registry.GIVEN] == f"{mygame}:Nim;{mygame}:Nim3"


def test_whoever_asks_for_a_game_of_a_file_hears_how_to_name_it(own_games):
    with pytest.raises(BadOption, match=r"unknown game 'nim'; .*if it is a game of a file, name that: \./nim"):
        game("nim")
    assert not is_race("nim")


def test_what_a_game_is_played_with_elsewhere_is_named(mygame):
    name = registry.adopt(f"{mygame}:Nim").name
    assert registry.distributions("dominoes") == ("palio",)
    assert registry.distributions("openspiel_hex") == ("palio", "open_spiel")
    assert registry.distributions(name) == ()


def test_a_game_that_is_forgotten_may_come_again_from_another_file(mygame):
    name = registry.adopt(f"{mygame}:Nim").name
    other = mygame.parent / "again.py"
    other.write_text(mygame.read_text())
    registry.forget(name)
    assert name not in registry.games()
    assert registry.games_variable() == ""
    registry.adopt(f"{other}:Nim")
    assert registry.typed(name) == f"{other}:Nim"
