"""A policy plays whole games by the rules; what it answers wrongly counts as what it is."""

from contextlib import suppress

import numpy as np
import pytest

from palio_clients.addons.policies.bot import PolicyBot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import PlayerFailed, Resign
from palio_rules.errors import IllegalMove
from palio_rules.registry import game_from_spec, games


def bot_of(policy, spec, seat=0):
    rules, options = game_from_spec(spec)
    bot = PolicyBot(lambda: policy)
    bot.game, bot.options, bot.seat = rules, options, seat
    bot.prepare(rules, options, seat)
    return bot, rules, rules.start(options, 2)


def at_random(seed=1):
    random = np.random.default_rng(seed)
    return lambda observation, mask: random.choice(np.flatnonzero(mask))


@pytest.mark.parametrize("text", [name for name in games() if name != "tsp"])
def test_every_move_is_legal_until_the_game_is_over(text):
    _, rules, state = bot_of(at_random(), text)
    bots = [bot_of(at_random(seat), text, seat)[0] for seat in range(len(rules.seats))]
    while state.to_move is not None:
        move = bots[state.to_move].choose(state, Clock())
        state.check(move)
        state = state.play(move)
    assert state.outcome() is not None


def test_a_policy_sees_the_board_from_its_own_seat():
    seen = []
    for seat in (0, 1):
        bot, _, state = bot_of(lambda observation, mask: seen.append(observation) or 0, "breakthrough", seat)
        with pytest.raises(PlayerFailed):
            bot.choose(state, Clock())
    assert (seen[0][..., :2] == seen[1][..., :2]).all()
    assert (seen[0][..., 3] != seen[1][..., 3]).all()


def test_a_tour_is_made_of_as_many_decisions_as_it_takes_and_then_there_is_no_more_to_submit():
    bot, rules, state = bot_of(lambda observation, mask: mask.argmax(), "tsp:size=6")
    tour = bot.choose(state, Clock())
    assert tour == (0, 1, 2, 3, 4, 5)
    with pytest.raises(Resign):
        bot.choose(state.play(tour), Clock())
    assert rules.cost(state.play(tour)) is not None


def test_a_policy_that_tries_again_may_find_a_better_tour():
    bot, rules, state = bot_of(at_random(), "tsp:size=7")
    costs = []
    with suppress(Resign):
        while True:
            state = state.play(bot.choose(state, Clock()))
            costs.append(rules.cost(state))
    assert costs == sorted(costs, reverse=True)
    assert len(costs) > 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "the policy decided on None: an action is an integer, got None"),
        (0.5, "the policy decided on 0.5: an action is an integer"),
        (108, "the policy decided on 108: action 108 is out of range: breakthrough has 0 to 107"),
        (-1, "action -1 is out of range"),
        (np.array([1, 2]), "an action is an integer, got array"),
        (0, "the policy decided on 0: a step from f1 would leave the board"),
    ],
)
def test_what_is_no_move_gives_the_match_up_with_the_reason(answer, message):
    bot, _, state = bot_of(lambda observation, mask: answer, "breakthrough")
    with pytest.raises(PlayerFailed, match=message):
        bot.choose(state, Clock())


def test_a_move_that_is_not_legal_is_played_all_the_same_and_its_author_reads_why(capsys):
    bot, _, state = bot_of(lambda observation, mask: 1 + int(mask[1]), "dominoes:rows=2,cols=2")
    state = state.play(next(state.legal_moves()))
    bot.seat = 1
    move = bot.choose(state, Clock())
    with pytest.raises(IllegalMove):
        state.check(move)
    assert "the policy decided on action 1, whose mask is 0: " in capsys.readouterr().err


def test_a_city_that_has_been_visited_is_no_part_of_a_tour():
    bot, _, state = bot_of(lambda observation, mask: 0, "tsp:size=6")
    with pytest.raises(PlayerFailed, match="the policy decided on 0: city 0 has been visited already"):
        bot.choose(state, Clock())


def test_a_model_of_another_board_is_told_so_before_the_match():
    class Model:
        class observation_space:  # noqa: N801
            shape = (5, 5, 4)

        def predict(self, observation): ...

    with pytest.raises(PlayerFailed, match=r"trained on observations of \(5, 5, 4\), those of .* \(6, 6, 4\)"):
        bot_of(Model(), "breakthrough")


def test_a_model_that_was_trained_on_flat_arrays_is_given_these():
    class Model:
        class observation_space:  # noqa: N801
            shape = (144,)

        def predict(self, observation):
            assert observation.shape == (144,)
            return (4 * 6 + 0) * 3 + 1

    bot, _, state = bot_of(Model(), "breakthrough")
    assert bot.choose(state, Clock()) == ((1, 5), (2, 5))


def test_an_exception_of_a_policy_is_told_from_its_own_line():
    def broken(observation, mask):
        raise RuntimeError("no weights")

    bot, _, state = bot_of(broken, "dominoes")
    with pytest.raises(PlayerFailed, match="RuntimeError: no weights") as told:
        bot.choose(state, Clock())
    assert "policies/bot.py" not in str(told.value).replace("tests/clients/addons/policies", "")
    assert "in broken" in str(told.value)


def test_what_is_no_policy_is_told_so():
    with pytest.raises(PlayerFailed, match="int is no policy"):
        PolicyBot(lambda: 3)
