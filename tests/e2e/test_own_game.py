"""A game of one's own in one file, wherever a game is named: every program that is started knows it, too."""

import json
import re
import shutil
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from command import Palio

NIM = Path(__file__).parents[1] / "plugin" / "palio_nim.py"
BOT = """\
import sys
from mygame import Heaps, Take
from palio_clients import Bot

class Mine(Bot):
    games = ("nim",)
    def choose(self, state, clock):
        assert type(state) is Heaps, "another class of the same name"
        return next(state.legal_moves())
"""


@pytest.fixture
def mygame(palio: Palio) -> Path:
    (palio.folder / "mine.py").write_text(BOT)
    return Path(shutil.copy(NIM, palio.folder / "mygame.py"))


@pytest.mark.slow
def test_a_tournament_of_it_is_played_by_all_kinds_of_bots_and_verified(palio, mygame):
    done = palio.json("run", "./mygame.py:Nim:heaps=4", "./mine.py", "random", "mcts", "--st", "0.1")
    assert done["games"] == {"scheduled": 0, "finished": 6, "aborted": 0}
    verified = palio("verify", "--game", "./mygame.py:Nim")
    assert "6 matches replayed, 0 do not reproduce, 0 sums are wrong" in verified.stdout


@pytest.mark.slow
def test_who_verifies_without_the_file_hears_which_one_to_give(palio, mygame):
    palio("run", "./mygame.py:Nim", "random", "greedy")
    done = palio("verify", code=1)
    assert f"unknown game 'nim'; it was played from {mygame}:Nim: palio verify --game {mygame}:Nim" in done.stdout


@pytest.mark.slow
def test_an_interrupted_tournament_of_it_goes_on_without_naming_the_file_again(palio, mygame):
    palio("run", "./mygame.py:Nim", "random", "greedy")
    done = palio.json("run", "--resume", "1", "--rounds", "2")
    assert done["games"]["finished"] == 4


def test_a_server_offers_it_to_bots_that_join_and_shows_its_matches_and_rules(palio, mygame):
    line = palio.start("serve", "--port", "0", "--house-bots", "0", "--game", "./mygame.py:Nim").line_with("serves on")
    url = re.search(r"http://[\w.:]+", line)[0]

    def get(path: str) -> Any:
        with urlopen(f"{url}/api/{path}") as answer:
            return json.load(answer)

    assert "nim" in [game["name"] for game in get("games")]
    for name, spec in {"ada": "./mine.py", "emmy": "random"}.items():
        palio.start("join", url, spec, "--name", name, "--game", "./mygame.py:Nim").line_with("connected to")
    match = palio.json("match", "start", "./mygame.py:Nim:heaps=4", "ada", "emmy", "--url", url)["match"]
    shown = palio("watch", match, "--url", url).stdout
    found = get(f"matches/{match}")
    assert (found["game"], found["status"]) == ("nim", "finished"), shown
    rules = get("games/nim/rules")
    assert (rules["title"], rules["text"].splitlines()[0]) == ("Nim", "0: o")
