"""The bots that ship: legal, deterministic under a seed, in time, and each better than the one below it."""

import pytest

from palio_clients.agents.greedy import GreedyBot
from palio_clients.agents.planner import PlannerBot
from palio_clients.agents.random import RandomBot
from palio_clients.agents.searcher import AlphaBetaBot
from palio_clients.games import companion_of
from palio_clients.sdk.clock import Clock
from palio_rules.errors import BadOption
from palio_rules.registry import game

DUELS = ("breakthrough", "dominoes", "end_of_the_track")
AGENTS = {
    "random": lambda seed: RandomBot(seed=seed),
    "greedy": lambda seed: GreedyBot(seed=seed),
    "alpha_beta": lambda seed: AlphaBetaBot(depth=2),
    "planner": lambda seed: PlannerBot(nodes=150, seed=seed),
}


def play(name, first, second):
    """One game; the moves and the scores. Every move is checked."""
    rules = game(name)
    options = rules.options_type()
    bots, state, moves = (first, second), rules.start(options), []
    for seat, bot in enumerate(bots):
        bot.game, bot.options, bot.seat = rules, options, seat
        bot.prepare(rules, options, seat)
    while state.to_move is not None:
        move = bots[state.to_move].choose(state, Clock())
        state.check(move)
        state = state.play(move)
        moves.append(move)
    return moves, state.outcome().scores


def points(name, strong, weak, games):
    """The points of `strong` over so many games with seats swapped in turn."""
    total = 0.0
    for seed in range(games):
        if seed % 2 == 0:
            total += play(name, AGENTS[strong](seed), AGENTS[weak](seed))[1][0]
        else:
            total += play(name, AGENTS[weak](seed), AGENTS[strong](seed))[1][1]
    return total


@pytest.mark.parametrize("name", DUELS)
@pytest.mark.parametrize("agent", AGENTS)
def test_the_same_seed_plays_the_same_legal_game(name, agent):
    first = play(name, AGENTS[agent](7), AGENTS["random"](1))
    assert first == play(name, AGENTS[agent](7), AGENTS["random"](1))


@pytest.mark.first(4)
@pytest.mark.parametrize("name", DUELS)
@pytest.mark.parametrize("agent", ["greedy", "alpha_beta", "planner"])
def test_whoever_thinks_beats_random_play(name, agent):
    assert points(name, agent, "random", 6) >= 5


@pytest.mark.parametrize("name", DUELS)
def test_looking_further_ahead_beats_greed(name):
    assert points(name, "alpha_beta", "greedy", 8) > 4


def test_a_seed_of_minus_one_is_different_each_time():
    assert len({tuple(play("dominoes", RandomBot(), RandomBot())[0]) for _ in range(3)}) > 1


@pytest.mark.parametrize("name", DUELS)
def test_the_planner_played_alone_walks_a_shortest_way(name):
    """Against an opponent who stands still, each step of the plan brings the goal one nearer."""
    rules = game(name)
    options = rules.parse_options({"rows": 4, "cols": 4} if name != "end_of_the_track" else {})
    state, seat, problem = rules.start(options), 0, companion_of(name).problem
    lengths = []
    while problem(state, seat).remaining(state) > 0:
        bot = PlannerBot(nodes=5000, seed=1)
        bot.game, bot.options, bot.seat = rules, options, seat
        move = bot.choose(state, Clock())
        lengths.append(bot.told().depth)
        state = dict(problem(state, seat).successors(state))[move]
    assert lengths == list(range(len(lengths), 0, -1))


@pytest.mark.parametrize("name", DUELS)
@pytest.mark.parametrize("agent", AGENTS)
def test_the_line_that_is_given_begins_with_the_move_and_can_be_played(name, agent):
    rules = game(name)
    bot = AGENTS[agent](3)
    bot.game, bot.options, bot.seat = rules, rules.options_type(), 0
    state = rules.start(bot.options)
    move = bot.choose(state, Clock())
    told = bot.told()
    for step in told.pv if told else ():
        state.check(step)
        state = state.play(step)
    assert told is None or told.pv[0] == move


@pytest.mark.parametrize("name", DUELS)
def test_alpha_beta_answers_within_its_seconds_and_tells_how_deep_it_was(name, ticking):
    rules = game(name)
    bot = AlphaBetaBot(seconds=0.05)
    bot.game, bot.options, bot.seat = rules, rules.options_type(), 0
    before = ticking.looks
    move = bot.choose(rules.start(bot.options), Clock())
    assert ticking.looks - before <= 50 + 5
    told = bot.told()
    assert 1 <= told.depth < 20
    assert told.pv[0] == move


def test_alpha_beta_gives_up_a_deep_search_when_its_clock_says_so(ticking):
    rules = game("breakthrough")
    bot = AlphaBetaBot(depth=40)
    bot.game, bot.options, bot.seat = rules, rules.options_type(), 0
    bot.choose(rules.start(bot.options), Clock.of(0.05))
    assert bot.told().depth < 40


@pytest.mark.parametrize("make", [lambda: AlphaBetaBot(depth=-1), lambda: PlannerBot(weight=0.5)])
def test_settings_out_of_range_are_refused_by_name(make):
    with pytest.raises((ValueError, BadOption), match=r"depth=-1|weight=0\.5"):
        make()


@pytest.mark.parametrize(("bot", "quick"), [(RandomBot, True), (GreedyBot, True), (AlphaBetaBot, False)])
def test_only_bots_that_answer_at_once_say_that_they_are_quick(bot, quick):
    assert bot.quick is quick
