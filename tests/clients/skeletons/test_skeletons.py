"""What `palio new` writes passes its own test at once: in every language, for every kind of game."""

import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner
from conftest import lacking

from palio_clients.cli.new import new
from palio_clients.skeletons import LANGUAGES, filled, language_of

TOOLS = {"js": "node", "rust": "rustc", "go": "go", "java": "javac", "cpp": "g++"}
PACKAGES = {"js": "nodejs", "rust": "rustc", "go": "golang-go", "java": "default-jdk-headless", "cpp": "g++"}


def written(folder, *arguments):
    """Write it there, and run its test as its author would."""
    done = CliRunner().invoke(new, arguments)
    assert done.exit_code == 0, done.output
    return ran(folder)


def ran(folder):
    environment = {**os.environ, "PYTHONPATH": "", "GOCACHE": os.environ.get("GOCACHE", str(folder / ".cache"))}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore",
        "--rootdir",
        folder,
        folder,
    ]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("game", ["breakthrough:rows=8,cols=8", "chexers", "rush_hour", "tsp"])
def test_a_bot_in_python(folder, game):
    done = written(folder, "bot", "mine.py", "--game", game)
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("game", ["chexers", "tsp"])
@pytest.mark.parametrize("language", TOOLS)
def test_a_bot_in_another_language(folder, language, game):
    if shutil.which(TOOLS[language]) is None:
        lacking(LANGUAGES[language].toolchain, f"install it (apt-get install {PACKAGES[language]})")
    done = written(folder, "bot", "mine", "--language", language, "--game", game)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout


@pytest.mark.slow
def test_a_game(folder):
    done = written(folder, "game", "rows.py")
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout


@pytest.mark.slow
def test_the_test_of_a_bot_fails_where_the_bot_breaks_the_rules(folder):
    assert CliRunner().invoke(new, ["bot", "mine.py", "--game", "dominoes"]).exit_code == 0
    file = folder / "mine.py"
    file.write_text(file.read_text().replace("return self.random.choice(moves)", "return type(moves[0])(-1, -1)"))
    done = ran(folder)
    assert done.returncode == 1
    assert "IllegalMove" in done.stdout


@pytest.mark.parametrize("suffix", [suffix for language in LANGUAGES.values() for suffix in language.suffixes])
def test_a_language_is_known_by_its_suffixes(suffix, tmp_path):
    assert suffix in language_of(tmp_path / f"mine{suffix}", None).suffixes


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.name)
@pytest.mark.parametrize("kind", ["listed", "anytime"])
def test_a_template_has_no_markers_left_and_only_words_that_are_filled_in(language, kind):
    text = filled(language.template, {}, [kind])
    assert "//+" not in text
    assert "#+" not in text
    words = {word for line in text.splitlines() for word in _words(line)}
    places = "CLASS FILE STEM TEST BUILD_TEXT RUN_TEXT"
    games = "GAME GAME_WORD MOVE MOVES OPPONENTS OPTIONS_JSON SEATS SPEC STATE TITLE"
    assert words <= set(f"{places} {games}".split())


def _words(line):
    import re

    return re.findall(r"__([A-Z][A-Z_]*[A-Z])__", line)
