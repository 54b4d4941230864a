"""Any game with a scene and gestures can be encoded, ours as well as those of others."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from palio_rules.addons.encodings import BadAction
from palio_rules.addons.encodings.finding import TouchEncoding
from palio_rules.errors import BadOption
from palio_rules.registry import game_from_spec
from palio_rules.scene import Mark, Scene

TOUCHED = [
    "breakthrough",
    "dominoes:rows=3,cols=4",
    "end_of_the_track",
    "chexers",
    "chexers_solo",
    "go:size=5",
    "rush_hour:size=5,moves=4",
]


def nim():
    sys.path.append(str(Path(__file__).parents[3] / "plugin"))
    try:
        from palio_nim import Nim, Nim3
    finally:
        sys.path.pop()
    return Nim(), Nim3()


def check(rules, options, seed, plies=60):
    encoding, choose = TouchEncoding(rules, options), random.Random(seed)
    state = rules.start(options, seed)
    while state.to_move is not None and plies:
        moves = list(state.legal_moves())
        actions = [encoding.index(state, move) for move in moves]
        assert sorted(set(actions)) == sorted(actions) == np.flatnonzero(encoding.mask(state)).tolist()
        assert [encoding.read(state, action) for action in actions] == moves
        seen = encoding.observe(state, state.to_move)
        assert (seen.shape, len(encoding.planes)) == (encoding.shape, encoding.shape[-1])
        state, plies = state.play(choose.choice(moves)), plies - 1


@pytest.mark.parametrize("text", [*TOUCHED, "go:size=5"])
@pytest.mark.parametrize("seed", range(2))
def test_moves_and_actions_are_one_to_one_in_games_of_ours(text, seed):
    check(*game_from_spec(text), seed)


def test_moves_and_actions_are_one_to_one_in_games_of_others():
    for rules in nim():
        check(rules, rules.parse_options({"heaps": 4}), 1)


def test_pieces_are_seen_by_their_owners():
    rules, options = game_from_spec("breakthrough")
    encoding = TouchEncoding(rules, options)
    start = rules.start(options)
    black, white = (encoding.observe(start, seat) for seat in (0, 1))
    own, other = encoding.planes.index("pawn of yours"), encoding.planes.index("pawn of the 1. seat from yours")
    assert (black[..., own] == white[..., other]).all()
    assert black[..., own].sum() == white[..., own].sum() == 12


def test_stones_and_the_points_that_they_surround_are_seen():
    rules, options = game_from_spec("go:size=5")
    encoding, state = TouchEncoding(rules, options), rules.start(options).play("E5")
    stones = encoding.planes.index("stone of the 1. seat from yours")
    assert encoding.observe(state, 1)[0, 4, stones] == 1
    ended = state.play("pass").play("pass")
    assert encoding.observe(ended, 0)[..., encoding.planes.index("area of yours")].sum() == 24
    assert (encoding.actions, encoding.index(state, "pass")) == (26, 0)


def test_chessmen_have_planes_only_in_games_that_begin_with_them(monkeypatch):
    rules, options = game_from_spec("breakthrough")
    plain = TouchEncoding(rules, options)
    assert not any(plane.startswith("king") for plane in plain.planes)
    kings = Scene(6, 6, (Mark("king", 0, 0, 0), Mark("king", 1, 5, 5)))
    monkeypatch.setattr(type(rules), "scene", lambda self, state: kings)
    encoding = TouchEncoding(rules, options)
    assert len(encoding.planes) == len(plain.planes) + 3 * 5
    seen = encoding.observe(rules.start(options), 1)
    assert seen[5, 5, encoding.planes.index("king of yours")] == 1


def test_touches_that_make_no_move_are_refused():
    rules, options = game_from_spec("breakthrough")
    with pytest.raises(BadAction, match="action 0 is not legal here: no legal move is made by these touches"):
        TouchEncoding(rules, options).read(rules.start(options), 0)


def test_a_game_that_cannot_be_touched_says_what_it_lacks(monkeypatch):
    rules, options = game_from_spec("tsp")
    with pytest.raises(BadOption, match=r"tsp has no encoding; give it one in the entry-point group palio\.encodings"):
        TouchEncoding(rules, options)
    rules, options = game_from_spec("dominoes")
    monkeypatch.setattr(type(rules), "scene", lambda *_: None)
    with pytest.raises(BadOption, match=r"dominoes has no encoding; .* or a scene"):
        TouchEncoding(rules, options)
