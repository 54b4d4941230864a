"""Three plies of readable alpha-beta with quiescence see mates in two, forks, and pieces that can be won or lost."""

from random import Random

import pytest
from chess_positions import RULES

from palio_clients.agents.greedy import GreedyBot
from palio_clients.agents.random import RandomBot
from palio_clients.agents.searcher import AlphaBetaBot
from palio_clients.sdk.clock import Clock
from palio_clients.search.game_tree import WIN
from palio_rules.game import Options

MATES = {  # position: plies
    "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1": 1,
    "6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1": 1,
    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2": 1,
    "7k/P7/6K1/8/8/8/8/8 w - - 0 1": 1,
    "r5k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1": 1,
    "4k2r/4pp1p/8/8/8/3Q4/8/3RK3 w - - 0 1": 1,
    "1k6/ppp5/8/8/8/8/5q2/3rR2K b - - 0 1": 1,
    "5rk1/5ppp/8/6N1/8/3Q4/8/6K1 w - - 0 1": 1,
    "6k1/8/8/8/8/8/R7/1R4K1 w - - 0 1": 3,
    "2rr2k1/5ppp/8/8/8/8/3Q1PPP/3R2K1 w - - 0 1": 3,
    "5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1": 3,
    "7k/8/5K2/8/8/8/8/6R1 w - - 0 1": 3,
    "5k2/7b/2p3RK/5N1p/5Q2/8/8/1r6 w - - 0 1": 3,
    "8/3K2np/2R5/1k6/8/1qB2N2/5p2/8 w - - 0 1": 3,
    "8/p4k2/7b/2KN2Q1/2p5/5r2/8/5R2 w - - 0 1": 3,
    "1k6/3p4/6Q1/6N1/3R4/2K5/2p2r2/6b1 w - - 0 1": 3,
}
WINS = {  # position: the moves that win a piece, or the exchange, or save what would be lost
    "r1bqkb1r/pppp1ppp/2n5/4p3/4P1n1/3P1N1P/PPP2PP1/RNBQKB1R w KQkq - 0 1": "h3g4",
    "rnb1kbnr/pppp1ppp/8/4p1q1/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 1": "f3g5",
    "6k1/5ppp/8/3q4/8/8/3R1PPP/6K1 w - - 0 1": "d2d5",
    "r3k2r/ppp2ppp/8/8/1b6/P7/1PP2PPP/R3K2R w KQkq - 0 1": "a3b4",
    "2kr3r/ppp2ppp/2n5/8/3N4/8/PPP2PPP/2KR3R b - - 0 1": "c6d4 d8d4",
    "r2qkb1r/ppp2ppp/2n2n2/3pp3/6b1/3P1N1P/PPP1PPP1/RNBQKB1R w KQkq - 0 1": "h3g4",
    "4k3/1p3pp1/8/8/8/2b5/PP3PP1/2R1K3 w - - 0 1": "b2c3 c1c3",
    "4r1k1/pp3ppp/8/8/3n4/8/PP2QPPP/5RK1 b - - 0 1": "d4e2 e8e2",
    "4k2r/pp3ppp/8/8/2n5/1P6/P4PPP/4KR2 w k - 0 1": "b3c4",
    "q3k3/5ppp/8/1N6/8/8/5PPP/4K3 w - - 0 1": "b5c7",
    "r3k3/pp3ppp/8/1N6/8/8/PP3PPP/4K3 w - - 0 1": "b5c7",
    "r1b1k2r/pp3ppp/8/3N4/8/8/PP3PPP/2R1K2R w Kkq - 0 1": "d5c7",
    "6k1/pp3ppp/8/2n1r3/8/2P5/PP1P1PPP/R5K1 w - - 0 1": "d2d4",
    "8/6pp/8/3k3q/8/8/6PP/R5K1 w - - 0 1": "a1a5",
    "8/1P3k2/8/8/8/3p4/6K1/8 w - - 0 1": "b7b8q g2f3",
    "6k1/5ppp/3r4/8/2q5/4N3/5PPP/3R2K1 w - - 0 1": "d1d6",
}


def seated(bot, seat=0):
    bot.game, bot.options, bot.seat = RULES, RULES.options_type(), seat
    bot.prepare(RULES, Options(), seat)
    return bot


def thought(fen):
    state = RULES.parse_state(fen)
    bot = seated(AlphaBetaBot(depth=3), state.turn)
    return bot.think(state, lambda: False)


@pytest.mark.parametrize("fen", MATES)
def test_it_mates_as_soon_as_possible(fen):
    assert thought(fen).score == WIN - MATES[fen]


@pytest.mark.parametrize("fen", WINS)
def test_it_wins_what_can_be_won(fen):
    assert thought(fen).move in WINS[fen].split()


@pytest.mark.parametrize("other", [RandomBot, pytest.param(GreedyBot, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seat", [0, 1])
def test_it_beats_bots_that_do_not_look_ahead(other, seat):
    state, choose = RULES.start(RULES.options_type()), Random(5)
    for _ in range(4):
        state = state.play(choose.choice(list(state.legal_moves())))
    bots = [seated(other(seed=3), 0), seated(other(seed=3), 1)]
    bots[seat] = seated(AlphaBetaBot(depth=2), seat)
    while state.to_move is not None:
        state = state.play(bots[state.to_move].choose(state, Clock()))
    assert state.outcome().scores[seat] == 1
