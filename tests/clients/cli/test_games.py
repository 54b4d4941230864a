"""`--game` at the clients' verbs: an installed name, or a game of a file."""

import shutil
import sys
from pathlib import Path

import click
import pytest

from palio_clients.cli import Misuse
from palio_clients.cli.games import plain_names
from palio_clients.sdk.loader import load
from palio_rules.registry import games

NIM = Path(__file__).parent.parent.parent / "plugin" / "palio_nim.py"
BOT = """
from palio_clients import Bot
class Mine(Bot):
    games = ("nim",)
    def choose(self, state, clock): ...
"""
pytestmark = pytest.mark.usefixtures("own_games")


def names(*typed):
    command = click.Command("x")
    return plain_names(click.Context(command), click.Option(["--game"]), typed)


def test_a_file_becomes_the_name_of_its_game_which_is_known_then(tmp_path):
    path = shutil.copy(NIM, tmp_path / "mygame.py")
    assert names("breakthrough", f"{path}:Nim") == ("breakthrough", "nim")
    assert "nim" in games()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("./none.py:Nim", r"there is no file 'none\.py'; check the path"),
        ("breakthrough:rows=6", "--game breakthrough:rows=6 has settings, which the server chooses"),
    ],
)
def test_what_is_no_game_alone_is_refused_in_a_sentence(typed, sentence):
    with pytest.raises(Misuse, match=sentence):
        names(typed)


def test_a_bot_in_the_file_of_its_game_means_the_classes_that_are_played(tmp_path):
    both = tmp_path / "both.py"
    both.write_text(NIM.read_text() + BOT)
    names(f"{both}:Nim")
    assert load(f"{both}:Mine").games == ("nim",)
    assert "both" in sys.modules
    assert "palio_bot_both" not in sys.modules
