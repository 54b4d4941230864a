"""A file's game at a worker: known while a run lasts, and another version of it in the next run."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from palio_rules import registry
from palio_rules.errors import BadOption
from palio_server.addons.cluster import game_server as module
from palio_server.addons.cluster.game_server import game_here

NIM = (Path(__file__).parents[3] / "plugin" / "palio_nim.py").read_text()
pytestmark = pytest.mark.usefixtures("own_games", "no_other_run")


@pytest.fixture
def no_other_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever plays on in this process from former tests."""
    monkeypatch.setattr(module, "_runs", Counter())


def version(folder: Path, title: str) -> str:
    """A game in `folder` whose title is said by a module beside it; what to type for it."""
    folder.mkdir()
    (folder / "words.py").write_text(f"TITLE = {title!r}\n")
    (folder / "mygame.py").write_text(f"{NIM}\n\nfrom words import TITLE\n\nNim.title = TITLE\n")
    return f"{folder}/mygame.py:Nim"


def test_it_is_known_here_and_by_what_is_started_as_long_as_a_run_lasts(tmp_path: Path):
    typed, before = version(tmp_path / "one", "One"), [*sys.path]
    with game_here("nim", typed):
        with game_here("nim", typed):
            assert registry.game("nim").title == "One"
        assert registry.game("nim").title == "One"
        assert os.environ[registry.GIVEN] == typed
    assert os.environ[registry.GIVEN] == ""
    assert sys.path == before
    with pytest.raises(BadOption, match="unknown game 'nim'"):
        registry.game("nim")


def test_the_next_run_may_bring_another_version_with_other_files_beside_it(tmp_path: Path):
    one, two = version(tmp_path / "one", "One"), version(tmp_path / "two", "Two")
    with game_here("nim", one):
        assert registry.game("nim").title == "One"
        with pytest.raises(BadOption, match="another version of the game nim is being played here; wait"):
            game_here("nim", two).__enter__()
        assert registry.game("nim").title == "One"
    with game_here("nim", two):
        assert registry.game("nim").title == "Two"


def test_what_cannot_be_loaded_is_said_and_forgotten(tmp_path: Path):
    typed = version(tmp_path / "one", "One")
    (tmp_path / "one" / "words.py").write_text("raise ValueError('mend me')\n")
    with pytest.raises(BadOption, match=r"mygame\.py cannot be loaded: .*mend me"):
        game_here("nim", typed).__enter__()
    (tmp_path / "one" / "words.py").write_text("TITLE = 'Mended'\n")
    with game_here("nim", typed):
        assert registry.game("nim").title == "Mended"


def test_files_of_another_machine_in_the_environment_count_for_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(registry.GIVEN, "/nowhere/theirs.py:Chess")
    with game_here("breakthrough", "breakthrough"):
        assert "breakthrough" in registry.games()
        assert registry.games_variable() == ""


def test_a_game_of_a_scheme_is_one_that_bots_hear_of():
    with game_here("openspiel_tic_tac_toe", "openspiel_tic_tac_toe"):
        assert os.environ[registry.GIVEN] == "openspiel_tic_tac_toe"
    assert "openspiel_tic_tac_toe" not in registry.games()
