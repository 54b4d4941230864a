"""Policies of all kinds are asked alike."""

import numpy as np
import pytest

from palio_clients.addons.policies.bot import deciding, is_policy, trained_on
from palio_clients.sdk.failures import BadBot

SEEN, MASK = np.ones((2, 2, 3), np.float32), np.array([0, 1, 1], np.int8)


class Space:
    def __init__(self, shape):
        self.shape = shape


class Spaces:
    """A dictionary of spaces, as Gymnasium has it."""

    shape = None

    def __init__(self, **spaces):
        self.spaces = spaces


class Acting:
    def act(self, observation, action_mask):
        return observation is SEEN, action_mask is MASK


class Masked:
    """As MaskablePPO."""

    observation_space = Space((2, 2, 3))

    def predict(self, observation, state=None, episode_start=None, deterministic=False, action_masks=None):
        assert observation is SEEN
        assert action_masks.dtype == bool
        return np.int64(action_masks.argmax()), None


class Recurrent:
    """As RecurrentPPO: it knows no mask, but a state."""

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        state = (state or 0) + 1
        return np.array([state]), state


class OfDictionaries:
    observation_space = Spaces(observation=Space((2, 2, 3)), action_mask=Space((3,)))

    def predict(self, observation):
        assert observation["observation"] is SEEN
        return int(observation["action_mask"].argmax())


def test_act_is_given_the_observation_and_the_mask():
    assert deciding(Acting())(SEEN, MASK) == (True, True)


def test_a_function_is_given_the_same():
    assert deciding(lambda observation, mask: int(mask.argmax()))(SEEN, MASK) == 1


def test_a_model_that_takes_masks_is_given_them():
    assert deciding(Masked())(SEEN, MASK) == 1


def test_a_recurrent_model_gets_its_own_state_back():
    decide = deciding(Recurrent())
    assert [int(decide(SEEN, MASK)[0]) for _ in range(3)] == [1, 2, 3]


def test_a_model_trained_on_dictionaries_is_given_one():
    assert deciding(OfDictionaries())(SEEN, MASK) == 1


def test_what_cannot_decide_is_no_policy():
    assert not is_policy(3)
    assert not is_policy(int)
    assert is_policy(Acting)
    assert is_policy(Masked())
    assert is_policy(len)
    with pytest.raises(BadBot, match=r"int is no policy; give it a method act\(self, observation, action_mask\)"):
        deciding(3)


def test_a_model_says_on_what_it_was_trained():
    assert trained_on(Masked()) == (2, 2, 3)
    assert trained_on(OfDictionaries()) == (2, 2, 3)
    assert trained_on(Acting()) is None
