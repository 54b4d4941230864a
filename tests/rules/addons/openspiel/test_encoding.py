"""OpenSpiel's games as environments: PettingZoo's own tests pass, and numbers are OpenSpiel's."""

import warnings
from functools import partial
from unittest.mock import MagicMock

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from palio_rules.addons.encodings import BadAction, encoding_of
from palio_rules.addons.openspiel.encoding import SpielEncoding
from palio_rules.addons.pettingzoo import env, raw_env
from palio_rules.errors import BadOption
from palio_rules.registry import game_from_spec

pytestmark = pytest.mark.usefixtures("own_games")
SPECS = ["tic_tac_toe", "connect_four", "hex:board_size=5", "breakthrough"]


@pytest.mark.parametrize("text", SPECS)
def test_pettingzoos_own_tests_pass(text, capsys):
    with warnings.catch_warnings():
        # Said of each dictionary with a mask, unless it is one of PettingZoo's own environments, by name.
        warnings.filterwarnings("ignore", "Observation is not a NumPy array", UserWarning)
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be", UserWarning)
        api_test(env(f"openspiel:{text}"), num_cycles=100)
        api_test(raw_env(f"openspiel:{text}"), num_cycles=100)
    seed_test(partial(env, f"openspiel:{text}"), num_cycles=100)
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("text", SPECS)
def test_an_observation_and_a_mask_are_openspiels_own(text):
    rules, options = game_from_spec(f"openspiel:{text}")
    encoding = encoding_of(rules, options)
    assert isinstance(encoding, SpielEncoding)
    state = rules.start(options)
    for _ in range(5):
        legal = state.spiel.legal_actions()
        assert np.flatnonzero(encoding.mask(state)).tolist() == legal
        for seat in (0, 1):
            assert encoding.observe(state, seat).ravel().tolist() == state.spiel.observation_tensor(seat)
            assert encoding.observe(state, seat).shape == encoding.shape
        state = state.play(encoding.read(state, legal[-1]))


def test_an_action_that_is_no_legal_one_is_refused():
    rules, options = game_from_spec("openspiel:tic_tac_toe")
    encoding = encoding_of(rules, options)
    state = rules.start(options).play(4)
    with pytest.raises(BadAction, match="action 4 is not legal here"):
        encoding.read(state, 4)
    with pytest.raises(BadAction, match="out of range: openspiel_tic_tac_toe has 0 to 8"):
        encoding.read(state, 9)


def test_a_game_that_openspiel_shows_in_no_numbers_is_one_sentence():
    rules = MagicMock()
    rules.name = "openspiel_mine"
    rules.start.return_value.spiel.get_game.return_value.get_type.return_value.provides_observation_tensor = False
    with pytest.raises(BadOption, match="openspiel_mine has no encoding: OpenSpiel shows its positions in no numbers"):
        SpielEncoding(rules, None)
