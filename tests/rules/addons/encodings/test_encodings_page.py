"""docs/reference/environments.md says what the encodings are, and its examples run."""

import ast
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from palio_rules.addons.encodings import BadAction, Encoding, encoding_of
from palio_rules.addons.gymnasium import env as gymnasium_env
from palio_rules.registry import game_from_spec, games

ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "reference" / "environments.md").read_text()
OF_AUTHORS = (ROOT / "docs" / "how-to" / "games.md").read_text()
*LISTINGS, TRAINING = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)  # the last one needs PyTorch


def told(name):
    """Return the shape of a game's observations and the number of its actions, as the page has them."""
    return re.search(rf"^\| `{name}` \| `(.*?)`.* \| `(.*?)`", PAGE, re.MULTILINE).groups()


@pytest.mark.parametrize("text", [*games(), "breakthrough:rows=8,cols=7", "dominoes:rows=3,cols=5", "rush_hour:size=7"])
def test_shapes_and_numbers_of_actions_are_told(text):
    rules, options = game_from_spec(text)
    encoding = encoding_of(rules, options)
    names = {name: getattr(options, name) for name in options.__struct_fields__}
    if rules.name == "dominoes":
        names["side"] = max(options.rows, options.cols)
    shape, actions = told(rules.name)
    assert eval(shape, names) == encoding.shape
    assert eval(actions, names) == encoding.actions


@pytest.mark.parametrize("listing", LISTINGS, ids=["pettingzoo", "gymnasium"])
def test_the_examples_run(listing):
    names = {}
    exec(compile(listing, "docs/reference/environments.md", "exec"), names)
    assert ("game" in names and not names["game"].agents) or names["info"]["outcome"] in ("solved", "max-moves")


def test_what_is_trained_on_is_made_of_the_words_that_are_shown():
    """Of the listing that needs PyTorch: all of it is Python, and what it tells our environment is understood."""
    compile(TRAINING, "docs/reference/environments.md", "exec")
    words = ast.literal_eval(re.search(r"words = (.*)", TRAINING)[1])
    race = gymnasium_env(**words)
    race.reset(seed=1)
    assert race.action_masks().any()


def test_the_encoding_that_is_shown_keeps_the_laws(monkeypatch):
    monkeypatch.setattr("sys.path", [*sys.path, str(ROOT / "tests" / "plugin")])
    from palio_nim import Heaps, Nim, Take

    listing = re.search(r"```python\n(class NimEncoding.*?)```", OF_AUTHORS, re.DOTALL)[1]
    names = {"np": np, "Encoding": Encoding, "BadAction": BadAction, "Heaps": Heaps, "Take": Take}
    exec(compile(listing, "docs/how-to/games.md", "exec"), names)
    rules = Nim()
    options = rules.parse_options({"heaps": 4})
    encoding, state = names["NimEncoding"](rules, options), rules.start(options)
    while state.to_move is not None:
        moves = list(state.legal_moves())
        assert [encoding.read(state, encoding.index(state, move)) for move in moves] == moves
        assert encoding.mask(state).sum() == len(moves) == encoding.observe(state, 0).sum()
        state = state.play(moves[-1])
