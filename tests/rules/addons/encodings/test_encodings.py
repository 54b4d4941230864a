"""Laws of every encoding: actions are the legal moves, one to one; observations tell positions apart."""

import builtins
import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_rules.addons.encodings import BadAction, encoding_of
from palio_rules.boards.end_of_track import word_of
from palio_rules.registry import game_from_spec

seeds = st.integers(0, 2**16)
FEW = settings(max_examples=4, deadline=None)
LOOKED_AT = 60  # positions of a game


def played(play_out, spec, seed):
    """The encoding, and positions of a random game in which somebody is to move."""
    rules, options = game_from_spec(spec)
    encoding = encoding_of(rules, options)
    states = [encoding.root(state) for state in play_out(spec, seed).states]
    if encoding.in_parts:
        states = list(in_parts(states[0], seed))
    states = [state for state in states if state.to_move is not None]
    return encoding, states[:: 1 + len(states) // LOOKED_AT]


def in_parts(state, seed):
    choose = random.Random(seed)
    while state.to_move is not None:
        yield state
        state = state.play(choose.choice(list(state.legal_moves())))


def key(encoding, state):
    """What an observation promises to show: blocks of one side look alike, and letters of vehicles mean nothing."""
    match encoding.rules.name:
        case "end_of_the_track":
            return word_of(state.pieces, state.turn), state.ply
        case "rush_hour":
            garage = state.garage
            cars = [(*car[1:], at, car.letter == "a") for car, at in zip(garage.vehicles, state.at, strict=True)]
            return frozenset(cars), state.moves
        case "chexers":
            return state, state.ply, state.history.count(" ".join(state.history.split()[-1:]))
        case "breakthrough" | "chexers_solo" | "dominoes" | "go" | "tsp":
            return state
    return encoding.mask(state).tobytes()  # of games of others no more is known


@FEW
@given(seed=seeds)
def test_each_legal_move_has_an_action_of_its_own_and_the_mask_is_these(play_out, spec, seed):
    encoding, states = played(play_out, spec, seed)
    for state in states:
        moves = list(state.legal_moves())
        actions = [encoding.index(state, move) for move in moves]
        assert len(set(actions)) == len(moves)
        assert [encoding.move(state, action) for action in actions] == moves
        assert [encoding.read(state, np.int64(action)) for action in actions] == moves
        assert np.flatnonzero(encoding.mask(state)).tolist() == sorted(actions)
        assert encoding.mask(state).dtype == np.int8
        assert encoding.mask(state).shape == (encoding.actions,)


@FEW
@given(seed=seeds)
def test_every_action_that_is_masked_is_refused_with_a_sentence(play_out, spec, seed):
    encoding, states = played(play_out, spec, seed)
    for state in states[:3]:
        for action in np.flatnonzero(encoding.mask(state) == 0):
            with pytest.raises(BadAction, match=rf"action {action} is not legal here: "):
                encoding.read(state, action)


@FEW
@given(seed=seeds)
def test_an_observation_is_a_new_array_of_the_shape_that_was_told(play_out, spec, seed):
    encoding, states = played(play_out, spec, seed)
    assert encoding.shape[-1] == len(encoding.planes) == len(set(encoding.planes))
    for state in states:
        for seat in range(len(encoding.rules.seats)):
            seen = encoding.observe(state, seat)
            assert (seen.shape, seen.dtype) == (encoding.shape, np.float32)
            assert seen.any()
            assert ((seen >= 0) & (seen <= 1)).all()
            seen[:] = 0.5
            assert not (encoding.observe(state, seat) == 0.5).all()


@FEW
@given(seed=seeds)
def test_positions_that_look_alike_to_whoever_moves_are_the_same(play_out, spec, seed):
    encoding, states = played(play_out, spec, seed)
    seen = {}
    for state in states:
        found = seen.setdefault(encoding.observe(state, state.to_move).tobytes(), key(encoding, state))
        assert found == key(encoding, state)


@pytest.mark.parametrize("text", ["breakthrough:cols=4", "dominoes:rows=4,cols=4", "end_of_the_track", "chexers"])
def test_from_every_seat_the_first_position_looks_alike(text):
    rules, options = game_from_spec(text)
    encoding = encoding_of(rules, options)
    start = rules.start(options)
    pieces = [at for at, plane in enumerate(encoding.planes) if "pawns" in plane or "own" in plane or "pieces" in plane]
    views = [encoding.observe(start, seat)[..., pieces] for seat in range(len(rules.seats))]
    assert all((view == views[0]).all() for view in views)


@pytest.mark.parametrize("text", ["breakthrough", "chexers", "end_of_the_track"])
def test_the_first_moves_of_every_seat_are_the_same_actions(text):
    rules, options = game_from_spec(text)
    encoding = encoding_of(rules, options)
    start = rules.start(options)
    seats = [type(start)(*(getattr(start, name) for name in start.__slots__)) for _ in rules.seats]
    for seat, state in enumerate(seats):
        object.__setattr__(state, "turn", seat)
    masks = [encoding.mask(state) for state in seats]
    assert all((mask == masks[0]).all() for mask in masks)


@pytest.mark.parametrize("action", [None, "3", 3.0, True, np.bool_(True), np.array([1, 2]), [3]])
def test_what_is_no_integer_is_no_action(action):
    rules, options = game_from_spec("breakthrough")
    with pytest.raises(BadAction, match="an action is an integer, got "):
        encoding_of(rules, options).read(rules.start(options), action)


@pytest.mark.parametrize("action", [-1, 108, np.int64(10**9), 10**30])
def test_an_action_out_of_range_is_told_the_range(action):
    rules, options = game_from_spec("breakthrough")
    with pytest.raises(BadAction, match="is out of range: breakthrough has 0 to 107"):
        encoding_of(rules, options).read(rules.start(options), action)


@pytest.mark.parametrize("action", [37, np.int8(37), np.uint64(37), np.array(37), np.array([37])])
def test_numbers_of_all_kinds_are_actions(action):
    rules, options = game_from_spec("dominoes")
    assert encoding_of(rules, options).read(rules.start(options), action) == (4, 5)


def test_without_numpy_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] == "numpy":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    for name in [name for name in sys.modules if name.startswith("palio_rules.addons.encodings")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"needs numpy, which is not installed; pip install 'palio\[rl\]'"):
        __import__("palio_rules.addons.encodings")


def test_the_rules_and_the_command_load_no_numpy_for_it():
    code = "import sys, palio_rules.registry as r; print(bool([*map(r.game, r.games())]) and 'numpy' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"
