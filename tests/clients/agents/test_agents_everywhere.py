"""Random and greedy play every installed game to its end: duels, tables, puzzles and anytime races."""

from itertools import count
from types import SimpleNamespace

import pytest

from palio_clients.agents.greedy import GreedyBot
from palio_clients.agents.random import RandomBot
from palio_clients.games import Companion
from palio_clients.games.tsp.landscape import STARTS
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_rules.registry import game, game_from_spec, games

SMALL = {
    "breakthrough": "breakthrough:rows=5,cols=4",
    "chexers_solo": "chexers_solo:pieces=2",
    "rush_hour": "rush_hour:moves=3",
}
EVERY = [SMALL.get(name, name) for name in games()]
RACES = [spec for spec in EVERY if game_from_spec(spec)[0].kind == "race"]


def play(spec, bot, seed=1):
    """The moves and the last position; every seat is played by such a bot, every move is checked."""
    rules, options = game_from_spec(spec)
    state, moves = rules.start(options, seed), []
    bots = [bot(seed=seed + seat) for seat in range(len(rules.seats))]
    for seat, each in enumerate(bots):
        each.game, each.options, each.seat = rules, options, seat
    while state.to_move is not None:
        try:
            move = bots[state.to_move].choose(state, Clock())
        except Resign:
            assert rules.anytime, f"{spec} was given up"
            state = rules.forfeit(state, state.to_move)
            continue
        state.check(move)
        moves.append(move)
        state = state.play(move)
    return moves, state


@pytest.mark.parametrize("spec", EVERY)
@pytest.mark.parametrize("bot", [RandomBot, GreedyBot])
def test_every_installed_game_is_played_to_its_end_and_the_same_by_the_same_seed(spec, bot):
    moves, end = play(spec, bot)
    assert end.outcome() is not None
    assert play(spec, bot)[0] == moves


@pytest.mark.parametrize("spec", RACES)
@pytest.mark.parametrize("seed", range(6))
def test_greedy_gets_to_the_goal_of_every_puzzle_and_never_walks_in_circles(spec, seed):
    _, end = play(spec, GreedyBot, seed)
    assert end.outcome().scores == (1.0,)


def test_a_puzzle_that_nobody_knows_anything_about_is_solved_all_the_same(monkeypatch):
    monkeypatch.setattr("palio_clients.agents.greedy.companion_of", lambda game: Companion())
    _, end = play("rush_hour:moves=3", GreedyBot)
    assert end.outcome().reason == "solved"


def test_in_an_anytime_race_greedy_goes_from_city_to_nearest_city_and_then_home():
    rules, options = game_from_spec("tsp:size=40")
    moves, end = play("tsp:size=40", GreedyBot)
    assert len(moves) == 1
    assert end.outcome().reason == "best-tour"
    instance = rules.start(options, 1).instance
    for place, city in enumerate(moves[0][:-1]):
        nearest = min(instance.distance(city, other) for other in moves[0][place + 1 :])
        assert instance.distance(city, moves[0][place + 1]) == nearest
    assert rules.cost(end) < rules.cost(play("tsp:size=40", RandomBot)[1])


def test_with_little_time_greedy_hands_in_the_first_solution_that_it_has(monkeypatch):
    """Each look at the time costs 0.1 s here: after the first tour half of the second is gone."""
    ticks = count()
    monkeypatch.setattr("palio_clients.sdk.clock.time", SimpleNamespace(monotonic=lambda: next(ticks) / 10))
    rules, options = game_from_spec("tsp:size=30")
    bot = GreedyBot(seed=1)
    bot.game, bot.options, bot.seat = rules, options, 0
    bot.choose(rules.start(options, 1), Clock(limit_ms=500, deadline=0.5))
    assert bot.told().nodes == 2
    bot.choose(rules.start(options, 1), Clock())
    assert bot.told().nodes == STARTS


def test_greedy_takes_a_win_and_avoids_a_loss_before_anything_else():
    state = game("chexers").parse_state("..../...../....../......r/b..g../...../.... 3,3,3 red 40/256")
    bot = GreedyBot(seed=1)
    bot.game, bot.seat = game("chexers"), 0
    assert bot.choose(state, Clock()) == ("EXIT", (3, 0))
    assert bot.told().score == 1000
