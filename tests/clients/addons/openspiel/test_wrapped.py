"""Our positions as states of OpenSpiel."""

import copy

import pytest

from palio_clients.addons.openspiel.bots import Mirror, SpielState
from palio_rules.registry import game_from_spec

pytestmark = pytest.mark.usefixtures("own_games")


def test_breakthrough_is_followed_in_their_rules_and_their_actions_are_our_moves():
    rules, options = game_from_spec("breakthrough")
    state, mirror = rules.start(options), Mirror(rules, options)
    for _ in range(3):
        seen = mirror.state_of(state)
        assert not isinstance(seen, SpielState)
        assert {mirror.move(state, seen, action) for action in seen.legal_actions()} == set(state.legal_moves())
        for _ in range(2):
            state = state.play(next(state.legal_moves()))


@pytest.mark.parametrize("spec", ["breakthrough:rows=5,cols=4", "dominoes", "chexers"])
def test_other_games_are_asked_through_our_rules(spec):
    rules, options = game_from_spec(spec)
    state = rules.start(options)
    mirror = Mirror(rules, options)
    seen = mirror.state_of(state)
    assert isinstance(seen, SpielState)
    assert len(seen.legal_actions()) == len(list(state.legal_moves()))
    twin = copy.deepcopy(seen)
    twin.apply_action(0)
    assert twin.position == state.play(next(state.legal_moves()))
    assert seen.position == state


def test_what_is_won_is_worth_one_and_what_is_lost_minus_one():
    rules, _ = game_from_spec("dominoes")
    state = rules.parse_state("## vertical")
    assert sorted(Mirror(rules, rules.options_type()).state_of(state).returns()) == [-1.0, 1.0]
