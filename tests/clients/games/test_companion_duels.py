"""What is known of each duel: evaluations that are zero-sum, estimates that are admissible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.agents.random import RandomBot
from palio_clients.games import Companion, companion_of
from palio_clients.sdk.clock import Clock
from palio_rules.registry import game

DUELS = ("breakthrough", "dominoes", "end_of_the_track", "go")


def play_on(name, seed, plies):
    rules = game(name)
    state, bot = rules.start(rules.options_type()), RandomBot(seed=seed)
    bot.game = rules
    for _ in range(plies):
        if state.to_move is None:
            break
        state = state.play(bot.choose(state, Clock()))
    return name, state


states = st.builds(play_on, st.sampled_from(DUELS), st.integers(0, 1000), st.integers(0, 30))


@given(states)
def test_an_evaluation_is_zero_sum(found):
    name, state = found
    evaluate = companion_of(name).evaluate
    assert evaluate(state, 0) == pytest.approx(-evaluate(state, 1))


@given(states)
def test_an_estimate_falls_by_at_most_one_a_step_so_it_is_admissible(found):
    name, state = found
    if state.to_move is None or not companion_of(name).plans:
        return
    problem = companion_of(name).problem(state, state.to_move)
    for _, after in problem.successors(state):
        assert problem.remaining(after) >= problem.remaining(state) - 1


@pytest.mark.parametrize("name", DUELS)
def test_every_duel_that_ships_is_known(name):
    assert type(companion_of(name)) is not Companion


def test_a_game_that_is_not_installed_is_not_known():
    assert type(companion_of("ludo")) is Companion
