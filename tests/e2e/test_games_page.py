"""The examples of docs/games.md and docs/bots.md for games in files and of OpenSpiel, unchanged."""

import re
import shlex
from pathlib import Path

import pytest
from command import Palio

DOCS = Path(__file__).parents[2] / "docs"


def section(page: str, heading: str) -> str:
    found = re.search(
        rf"^##+ {re.escape(heading)}\n(.*?)(?=^##+ |\Z)", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL
    )
    assert found is not None
    return found[1]


def block(text: str, language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.slow
def test_the_game_in_one_file_keeps_all_laws_and_is_played(palio: Palio):
    shown = section("games.md", "A game in one file")
    (palio.folder / "mygame.py").write_text(block(shown, "python"))
    check, run = block(shown, "sh").splitlines()
    assert palio(*shlex.split(check)[1:]).stdout.endswith(" ok, 0 failed\n")
    assert "Finished game 2" in palio(*shlex.split(run)[1:]).stdout
    assert "0 do not reproduce" in palio("verify", "--game", "./mygame.py").stdout


@pytest.mark.slow
@pytest.mark.parametrize(("page", "heading"), [("games.md", "OpenSpiel's games"), ("bots.md", "OpenSpiel's bots")])
def test_openspiels_games_and_bots_are_played_as_shown_and_verified(palio: Palio, page: str, heading: str):
    for line in block(section(page, heading), "sh").splitlines():
        palio(*shlex.split(line)[1:])
    assert re.search(r"[1-9]\d* matches replayed, 0 do not reproduce, 0 sums are wrong", palio("verify").stdout)
