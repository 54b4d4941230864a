"""PettingZoo's own tests pass for every duel and table; an environment plays as the rules do."""

import copy
import pickle
import random
import subprocess
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.render_test import render_test

from palio_rules.addons.encodings import BadAction
from palio_rules.addons.pettingzoo import env, raw_env
from palio_rules.errors import BadOption
from palio_rules.registry import game_from_spec, games

SPECS = [
    "breakthrough",
    "breakthrough:rows=8,cols=8,first=white",
    "breakthrough:rows=4,cols=3",
    "chess",
    "chess:variant=chess960",
    "dominoes",
    "dominoes:rows=3,cols=5",
    "dominoes:board=.#./.../..#",
    "end_of_the_track",
    "end_of_the_track:max_plies=12",
    "go:size=4",
    "chexers",
    "chexers:max_turns=4",
]


def test_all_duels_and_tables_are_tried():
    assert {text.partition(":")[0] for text in SPECS} == {
        name for name in games() if game_from_spec(name)[0].kind != "race"
    }


@pytest.mark.parametrize("text", SPECS)
def test_pettingzoos_own_tests_pass(text, capsys):
    with warnings.catch_warnings():
        # Said of each dictionary with a mask, unless it is one of PettingZoo's own environments, by name.
        warnings.filterwarnings("ignore", "Observation is not a NumPy array", UserWarning)
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be", UserWarning)
        api_test(env(text), num_cycles=200)
        api_test(raw_env(text), num_cycles=200)
    seed_test(partial(env, text), num_cycles=200)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["breakthrough", "dominoes", "end_of_the_track", "chexers"])
def test_all_that_can_be_rendered_is(text, capsys):
    render_test(partial(env, text))
    render_test(partial(env, text), {"ansi": lambda text: len(text.splitlines()) > 5})
    assert capsys.readouterr().out


@pytest.mark.parametrize("text", SPECS)
def test_an_environment_plays_as_the_rules_do(text):
    rules, options = game_from_spec(text)
    game, choose = env(text), random.Random(text)
    game.reset(seed=1)
    raw = game.unwrapped
    state, total = rules.start(options, random.Random(1).randrange(2**31)), dict.fromkeys(raw.possible_agents, 0.0)
    for agent in game.agent_iter():
        observation, reward, termination, truncation, info = game.last()
        assert not truncation
        total[agent] += reward
        if termination:
            assert info == {"outcome": state.outcome().reason}
            game.step(None)
            continue
        assert agent == f"player_{state.to_move}"
        assert raw.state_now == state
        actions = np.flatnonzero(observation["action_mask"])
        assert len(actions) == len(list(state.legal_moves()))
        action = choose.choice(actions)
        state = state.play(raw.encoding.move(state, int(action)))
        game.step(action)
    scores = state.outcome().scores
    assert sum(total.values()) == pytest.approx(0)
    if max(scores) == 1:
        assert [round(each, 2) for each in total.values()] == [
            1.0 if score == 1 else round(-1 / (len(scores) - 1), 2) for score in scores
        ]
    else:
        assert all(each == pytest.approx(0) for each in total.values())


def test_whoever_is_not_to_move_has_no_legal_action():
    game = env("breakthrough")
    game.reset()
    assert game.observe("player_0")["action_mask"].sum() > 0
    assert game.observe("player_1")["action_mask"].sum() == 0


def test_an_illegal_action_ends_the_game_and_costs_1(caplog):
    game = env("breakthrough")
    game.reset()
    game.step(0)
    assert "Illegal move made" in caplog.text
    assert game.rewards == {"player_0": -1.0, "player_1": 0}
    assert all(game.terminations.values())


def test_without_wrappers_an_illegal_action_is_refused_and_changes_nothing():
    game = raw_env("breakthrough")
    game.reset()
    before = game.state_now
    with pytest.raises(BadAction, match="action 0 is not legal here"):
        game.step(0)
    with pytest.raises(BadAction, match="out of range"):
        game.step(108)
    assert game.state_now is before


def test_an_action_outside_of_the_space_is_refused():
    game = env("breakthrough")
    game.reset()
    with pytest.raises(AssertionError, match="action is not in action space"):
        game.step(108)


def test_options_may_be_keywords_and_go_on_from_those_of_the_spec():
    assert raw_env("breakthrough", rows=8, cols=7).encoding.shape[:2] == (8, 7)
    assert raw_env("breakthrough:rows=8", cols=7).encoding.shape[:2] == (8, 7)
    assert raw_env("breakthrough:rows=8", rows=5).encoding.shape[:2] == (5, 6)


def test_its_name_is_the_games():
    assert str(env("chexers")) == raw_env("chexers").metadata["name"] == "palio_chexers_v0"


@pytest.mark.parametrize("make", [raw_env, env], ids=["raw", "wrapped"])
def test_it_can_be_copied_and_sent_elsewhere(make):
    game = make("chexers")
    game.reset(seed=3)
    for other in (copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        assert other.unwrapped.state_now == game.unwrapped.state_now
        action = int(np.flatnonzero(game.observe("player_0")["action_mask"])[0])
        other.step(action)
        assert other.unwrapped.state_now != game.unwrapped.state_now


def test_rendering_without_a_mode_is_warned_of():
    game = raw_env("dominoes")
    game.reset()
    with pytest.warns(UserWarning, match="nothing is rendered without a render_mode"):
        assert game.render() is None


@pytest.mark.parametrize("missing", ["pettingzoo", "gymnasium", "numpy"])
def test_without_its_libraries_the_extra_is_named(missing):
    code = f"import sys; sys.modules[{missing!r}] = None\nimport palio_rules.addons.pettingzoo"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"needs {missing}, which is not installed; pip install 'palio[rl]'" in told.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (partial(env, "breakthru"), "unknown game 'breakthru'; did you mean 'breakthrough'"),
        (partial(env, "breakthrough", row=8), "breakthrough has no option 'row'; did you mean 'rows'"),
        (partial(env, "breakthrough", rows=99), "option rows=99: expected `int` <= 8"),
        (partial(env, "tsp"), r"tsp is a race, .*use palio_rules\.addons\.gymnasium\.env\('tsp'\)"),
        (partial(env, "chexers", render_mode="3d"), "render_mode '3d' does not exist; use human, ansi, rgb_array"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(call, message):
    with pytest.raises(BadOption, match=message):
        call()
