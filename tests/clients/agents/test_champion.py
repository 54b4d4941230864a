"""The champion: it thinks with what is compiled, beats what is not, keeps its time, and says when it falls short."""

import pytest

from palio_clients.agents.champion import ChampionBot
from palio_clients.agents.random import RandomBot
from palio_clients.agents.searcher import AlphaBetaBot
from palio_clients.agents.thinking_time import ThinkingTime
from palio_clients.games import companion_of
from palio_clients.kernels import MISSING
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.loader import load
from palio_rules.registry import game, game_from_spec, games

AGAINST = [name for name in games() if game(name).kind != "race"]
DUELS = [name for name in AGAINST if game(name).kind == "duel"]
# The engines of the other games take long to compile.
each_game = pytest.mark.parametrize(
    "name", [AGAINST[0], *(pytest.param(name, marks=pytest.mark.slow) for name in AGAINST[1:])]
)
RACES = ["chexers_solo:pieces=2", "rush_hour:moves=5", "tsp:size=12"]


def seated(bot, spec, seat=0):
    rules, options = game_from_spec(spec)
    bot.game, bot.options, bot.seat = rules, options, seat
    bot.prepare(rules, options, seat)
    return bot


def play(spec, *bots, plies=1000):
    """The moves of one game, each of them checked, and its last position."""
    for seat, bot in enumerate(bots):
        seated(bot, spec, seat)
    rules, options = game_from_spec(spec)
    state, moves = rules.start(options), []
    while state.to_move is not None and len(moves) < plies:
        move = bots[state.to_move].choose(state, Clock())
        state.check(move)
        moves.append(move)
        state = state.play(move)
    return moves, state


# --- how it plays ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DUELS if companion_of(name).compiled])
def test_it_beats_the_readable_search_from_either_seat(name):
    assert play(name, ChampionBot(nodes=20_000), AlphaBetaBot(depth=1))[1].outcome().scores == (1, 0)
    assert play(name, AlphaBetaBot(depth=1), ChampionBot(nodes=20_000))[1].outcome().scores == (0, 1)


@each_game
@pytest.mark.parametrize("settings", [{"nodes": 300}, {"depth": 2}])
def test_where_nodes_or_depth_end_its_search_the_same_seed_plays_the_same(name, settings):
    seats = len(game(name).seats)
    first, again = (
        play(name, *(ChampionBot(**settings, seed=7 + seat) for seat in range(seats)), plies=12)[0] for _ in range(2)
    )
    assert first == again


def test_seeds_differ_and_minus_one_differs_from_itself():
    def lines(seeds):
        return {tuple(play("breakthrough", ChampionBot(depth=2, seed=s), RandomBot(seed=1))[0]) for s in seeds}

    assert len(lines(range(6))) > 1
    assert len(lines([-1] * 6)) > 1


@each_game
def test_viewers_hear_how_deep_it_was_how_much_it_looked_at_and_what_it_expects(name):
    bot = seated(ChampionBot(depth=3), name)
    state = bot.game.start(bot.options)
    move, told = bot.choose(state, Clock()), bot.told()
    assert (told.depth, told.pv[0]) == (3, move)
    assert told.nodes > 10
    for step in told.pv:
        state.check(step)
        state = state.play(step)


@each_game
def test_limits_are_kept_to_the_last_node(name):
    bot = seated(ChampionBot(nodes=5000), name)
    bot.choose(bot.game.start(bot.options), Clock())
    assert bot.told().nodes <= 5000


# --- time ------------------------------------------------------------------------------------------------------------


@each_game
def test_where_no_setting_ends_its_search_the_clock_does(name):
    bot = seated(ChampionBot(), name)
    start = bot.game.start(bot.options)
    assert bot.choose(start, Clock.of(0.1)) in set(start.legal_moves())
    assert bot.told().depth >= 1


@pytest.mark.parametrize("settings", [{}, {"depth": 60}, {"nodes": 10**9}, {"seconds": 1000.0}])
@each_game
def test_it_thinks_until_its_pace_says_stop_and_not_a_look_at_the_clock_longer(name, settings, ticking):
    bot = seated(ChampionBot(**settings), name)
    state = bot.game.start(bot.options)
    clock = Clock(2000, 100, 2000, (), ticking.monotonic() + 2)
    enough = 1000 * ThinkingTime(**settings).budget(clock)
    before = ticking.looks
    bot.choose(state, clock)
    assert ticking.looks - before <= enough + 20


@each_game
def test_a_turn_that_is_over_ends_its_thought(name):
    bot = seated(ChampionBot(depth=60), name)
    clock = Clock()
    clock.cancel()
    bot.choose(bot.game.start(bot.options), clock)
    assert bot.told().depth < 60


@pytest.mark.parametrize("settings", [{"depth": -1}, {"nodes": -5}, {"seconds": -0.5}])
def test_settings_below_nothing_are_refused_by_name(settings):
    ((name, value),) = settings.items()
    with pytest.raises(ValueError, match=f"cannot be negative, got .*{name}={value}"):
        ChampionBot(**settings)


# --- races -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("spec", RACES[:2])
def test_it_takes_the_fewest_steps_of_a_puzzle(spec):
    rules, options = game_from_spec(spec)
    bot, state, planned, steps = seated(ChampionBot(), spec), rules.start(options, 1), None, 0
    while state.to_move is not None:
        move = bot.choose(state, Clock())
        planned = planned or bot.told().depth
        state, steps = state.play(move), steps + 1
    assert state.outcome().scores == (1,)
    assert rules.cost(state) == planned == steps


@pytest.mark.slow
def test_it_submits_tours_until_nothing_more_is_to_be_submitted():
    rules, options = game_from_spec(RACES[2])
    bot, state = seated(ChampionBot(seconds=0.05), RACES[2]), rules.start(options, 1)
    state = state.play(bot.choose(state, Clock()))
    assert rules.cost(state) > 0
    assert bot.told().score == -rules.cost(state)


# --- what it is found by, and what it says ---------------------------------------------------------------------------


def test_it_is_installed_and_plays_every_game_that_ships():
    assert set(load("champion").games) == set(games())


@pytest.mark.parametrize("name", AGAINST)
def test_without_numba_the_readable_search_plays_and_says_so_to_all(name, no_numba, capsys):
    bots = [seated(ChampionBot(depth=1), name) for _ in range(2)]
    assert capsys.readouterr().err == f"remark: champion: {MISSING}\n"
    start = bots[0].game.start(bots[0].options)
    assert bots[0].choose(start, Clock()) in set(start.legal_moves())
    assert bots[0].told().text == MISSING


@pytest.mark.parametrize("name", DUELS)
def test_without_numba_it_is_alpha_beta_with_all_its_help(name, no_numba):
    found = [play(name, bot, RandomBot(seed=3), plies=10)[0] for bot in (ChampionBot(depth=2), AlphaBetaBot(depth=2))]
    assert found[0] == found[1]
