"""OpenSpiel's searches find what is to be found."""

import pytest

from palio_clients.addons.openspiel import bots
from palio_clients.addons.openspiel.bots import AlphaBeta, Mcts, Minimax
from palio_clients.addons.openspiel.entrant import BOTS
from palio_clients.sdk.clock import Clock
from palio_rules.registry import game_from_spec

pytestmark = pytest.mark.usefixtures("own_games")


def chosen(bot, spec, *moves):
    rules, options = game_from_spec(spec)
    state = rules.start(options)
    for text in moves:
        state = state.play(rules.parse_notation(state, text))
    bot.game, bot.options, bot.seat = rules, options, state.to_move
    bot.prepare(rules, options, state.to_move)
    move = bot.choose(state, Clock.of(20))
    state.check(move)
    return rules.notation(state, move)


@pytest.mark.parametrize("bot", [Mcts(simulations=300, seed=1), AlphaBeta(depth=2, seed=1), Minimax(depth=2, seed=1)])
def test_a_search_takes_a_win(bot):
    assert chosen(bot, "openspiel:tic_tac_toe", "x(0,0)", "o(1,0)", "x(0,1)", "o(1,1)") == "x(0,2)"


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("spec", ["openspiel:connect_four", "breakthrough", "dominoes:rows=4,cols=4"])
def test_every_bot_plays_a_legal_move_in_games_of_both(name, spec):
    kind = getattr(bots, BOTS[name])
    settings = {"mcts": {"simulations": 20}, "random": {}}.get(name, {"depth": 1})
    assert chosen(kind(seed=2, **settings), spec)


@pytest.mark.slow
def test_the_same_seed_plays_the_same():
    moves = {chosen(Mcts(simulations=30, seed=5), "openspiel:hex:board_size=4") for _ in range(3)}
    assert len(moves) == 1
