"""What the tests of the races' bots share: bots that are seated, and races that are played out."""

from palio_clients.agents.tours import HillClimbingBot, OrOptBot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_rules.registry import game

CLIMBERS = [HillClimbingBot, OrOptBot]


def seated(bot, name, options=None):
    """A bot that has been told what it plays."""
    rules = game(name)
    bot.game, bot.seat = rules, 0
    bot.options = options or rules.options_type()
    bot.prepare(rules, bot.options, 0)
    return bot


def play_out(bot, state, clock=Clock):
    """The moves of a whole puzzle, each checked, and the last position."""
    moves = []
    while state.to_move is not None:
        move = bot.choose(state, clock())
        state.check(move)
        state = state.play(move)
        moves.append(move)
    return moves, state


def race(bot, size, seed=1, answers=None, clock=Clock):
    """What a bot submits, until it has no more to give or has given so many answers."""
    rules = game("tsp")
    options = rules.parse_options({"size": size})
    state = rules.start(options, seed)
    seated(bot, "tsp", options)
    lengths = []
    while answers is None or len(lengths) < answers:
        try:
            tour = bot.choose(state, clock())
        except Resign:
            break
        state.check(tour)
        state = state.play(tour)
        lengths.append(state.instance.length(tour))
    return lengths
