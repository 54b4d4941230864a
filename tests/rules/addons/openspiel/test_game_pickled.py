"""Whatever belongs to one of OpenSpiel's games can be pickled, also for another process, and copied."""

import copy
import pickle
import random
import subprocess
import sys

import numpy as np
import pytest

from palio_rules.addons.openspiel import game as module
from palio_rules.addons.openspiel.library import playable
from palio_rules.addons.pettingzoo import env, raw_env
from palio_rules.errors import BadOption
from palio_rules.registry import game_from_spec

pytestmark = pytest.mark.usefixtures("own_games")
COPIES = [copy.deepcopy, copy.copy, *(lambda value, n=n: pickle.loads(pickle.dumps(value, n)) for n in range(2, 6))]

ELSEWHERE = """
import pickle, sys
for value in pickle.load(sys.stdin.buffer):
    print(value)
"""


@pytest.mark.parametrize("name", playable())
def test_each_game_its_settings_and_its_positions_can_be(name: str) -> None:
    rules, options = game_from_spec(f"openspiel:{name}")
    state, choose = rules.start(options, 1), random.Random(1)
    for _ in range(6):
        if state.to_move is not None:
            state = state.play(choose.choice(list(state.legal_moves())))
    for copied in COPIES:
        again, same, there = copied((rules, options, state))
        assert type(again) is type(rules)
        assert (same, there) == (options, state)
        assert list(there.legal_moves()) == list(state.legal_moves())
        assert again.format_state(there) == rules.format_state(state)


@pytest.mark.parametrize("make", [env, raw_env])
@pytest.mark.parametrize("text", ["hex:board_size=5", "quoridor:players=3,board_size=3", "connect_four"])
def test_an_environment_goes_on_as_its_copy_does(text: str, make) -> None:
    made = make(f"openspiel:{text}")
    made.reset(seed=4)
    choose = random.Random(4)

    def step(one, action: int):
        one.step(action)
        observation, reward, over, cut, _ = one.last()
        return observation["observation"], observation["action_mask"], reward, over, cut

    for _ in range(3):
        step(made, choose.choice(np.flatnonzero(made.last()[0]["action_mask"]).tolist()))
    for copied in (copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        again = copied(made)
        action = int(np.flatnonzero(made.last()[0]["action_mask"])[0])
        kept = copied(again)
        for one, other in zip(step(again, action), step(kept, action), strict=True):
            assert np.array_equal(one, other)
        assert again.agent_selection == kept.agent_selection


def test_another_process_reads_what_was_pickled_here() -> None:
    rules, options = game_from_spec("openspiel:hex:board_size=4")
    state = rules.start(options).play(5)
    made = raw_env("openspiel:hex:board_size=4")
    made.reset(seed=1)
    data = pickle.dumps([rules.name, options, state, type(rules), made.state_now, made])
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], input=data, capture_output=True, check=True)
    shown = done.stdout.decode().splitlines()
    assert shown == [str(each) for each in (rules.name, options, state, type(rules), made.state_now, made)]


@pytest.mark.parametrize("name", ["Spiel_", "Spiel_openspiel_no", "SpielOptions_x_hex", "SpielOptions_9_no", "else"])
def test_the_module_has_no_other_names(name: str) -> None:
    with pytest.raises(AttributeError):
        getattr(module, name)
    with pytest.raises(BadOption):
        game_from_spec("openspiel:no_such")
