"""The bots that search: settings, seeds, forced moves, what viewers are told, and how strong they are."""

from itertools import permutations
from random import Random

import pytest
from positions import at, start

from palio_clients.agents.greedy import GreedyBot
from palio_clients.agents.mcts import MctsBot
from palio_clients.agents.random import RandomBot
from palio_clients.agents.searcher import AlphaBetaBot, MaxNBot, MinimaxBot, ParanoidBot
from palio_clients.sdk.clock import Clock
from palio_rules.registry import game, game_from_spec

DUELS = ("breakthrough", "dominoes:rows=6,cols=6", "end_of_the_track:max_plies=60")
DEEPENERS = (AlphaBetaBot, MinimaxBot, MaxNBot, ParanoidBot)
ALL = (*DEEPENERS, MctsBot)
PLAYS = [(bot, spec) for bot in ALL for spec in (*DUELS, "chexers") if spec != "chexers" or "chexers" in bot.games]


def seated(bot, spec, seat=0):
    bot.game, bot.options = game_from_spec(spec)
    bot.seat = seat
    bot.prepare(bot.game, bot.options, seat)
    return bot


def play(spec, bots):
    """The moves, and the scores of the seats. Every move is checked."""
    state, moves = start(spec), []
    for seat, bot in enumerate(bots):
        seated(bot, spec, seat)
    while state.to_move is not None:
        moves.append(bots[state.to_move].choose(state, Clock()))
        state.check(moves[-1])
        state = state.play(moves[-1])
    return moves, state.outcome().scores


def others(spec, seed=1):
    return [RandomBot(seed + seat) for seat in range(len(game_from_spec(spec)[0].seats) - 1)]


@pytest.mark.parametrize(("bot", "spec"), PLAYS)
@pytest.mark.parametrize("limit", [{"depth": 2, "nodes": 40}, {"nodes": 60}])
def test_the_same_seed_plays_the_same_legal_game(bot, spec, limit):
    first = play(spec, [bot(**limit, seed=7), *others(spec)])
    assert first == play(spec, [bot(**limit, seed=7), *others(spec)])


@pytest.mark.parametrize("bot", DEEPENERS)
def test_seeds_choose_among_equal_moves_and_none_plays_the_first(bot):
    state = start("dominoes:rows=6,cols=6")
    chosen = {seed: seated(bot(depth=1, seed=seed), "dominoes").choose(state, Clock()) for seed in range(8)}
    assert len(set(chosen.values())) > 1
    again = seated(bot(depth=1), "dominoes").choose(state, Clock())
    assert chosen[0] == again == seated(MinimaxBot(depth=1), "dominoes").choose(state, Clock())


@pytest.mark.parametrize(("bot", "spec"), PLAYS)
def test_what_is_shown_is_a_line_that_can_be_played_and_begins_with_the_move(bot, spec):
    state, mine = start(spec), seated(bot(depth=2, nodes=300), spec)
    move = mine.choose(state, Clock())
    told = mine.told()
    assert told.pv[0] == move
    assert told.depth >= 1
    assert 0 < told.nodes <= 300
    assert told.score is not None
    for step in told.pv:
        state.check(step)
        state = state.play(step)


@pytest.mark.parametrize("bot", DEEPENERS)
def test_depth_and_nodes_are_limits(bot):
    state = start("breakthrough")
    for limit, most in (({"depth": 2}, 2), ({"nodes": 100}, 64)):
        mine = seated(bot(**limit), "breakthrough")
        mine.choose(state, Clock())
        told = mine.told()
        assert told.depth == 2 or "nodes" in limit
        assert told.depth <= most
        assert told.nodes <= limit.get("nodes", told.nodes)


@pytest.mark.parametrize("bot", ALL)
def test_a_clock_that_is_nearly_empty_still_gets_an_answer(bot):
    state, mine = start("breakthrough"), seated(bot(), "breakthrough")
    state.check(mine.choose(state, Clock.of(0)))
    assert mine.told().nodes <= 40  # depth 1, or one playout


@pytest.mark.parametrize("bot", ALL)
def test_a_forced_move_costs_no_time(bot):
    state, mine = at("dominoes", "#.#/#.#/### vertical"), seated(bot(seconds=1000), "dominoes")
    assert mine.choose(state, Clock()) == (0, 1)
    assert mine.told().nodes == 0


@pytest.mark.parametrize("bot", [MaxNBot, ParanoidBot, MctsBot])
def test_a_pass_is_played_at_once(bot):
    state = at("chexers", "..../...../....../...g.../b...../...../.... 0,0,0 red 3/256")
    mine = seated(bot(seconds=1000), "chexers")
    assert mine.choose(state, Clock()) == ("PASS", None)
    assert mine.told().nodes == 0


@pytest.mark.parametrize("bot", DEEPENERS)
@pytest.mark.parametrize("spec", DUELS)
def test_all_that_look_equally_far_play_moves_of_equal_value(bot, spec):
    """Pruning, tables and orders save time, not strength: at one depth all have minimax's score."""
    state, random = start(spec), Random(5)
    for _ in range(8):
        mine, plain = (
            seated(bot(depth=2, seed=3), spec, state.to_move),
            seated(MinimaxBot(depth=2), spec, state.to_move),
        )
        for each in (mine, plain):
            each.choose(state, Clock())
        assert mine.told().score == plain.told().score
        state = state.play(random.choice(list(state.legal_moves())))


def points(spec, strong, weak, rounds=1):
    """The points of one `strong` bot against `weak` ones, on every seat in turn, and of how many games."""
    total, games = 0.0, 0
    seats = len(game_from_spec(spec)[0].seats)
    for seed in range(1, rounds + 1):
        for seat in range(seats):
            bots = [strong(seed) if at == seat else weak(10 * seed + at) for at in range(seats)]
            total += play(spec, bots)[1][seat]
            games += 1
    return total / games


@pytest.mark.first(1)
@pytest.mark.parametrize("bot", [
    lambda seed: MaxNBot(depth=1, seed=seed),
    lambda seed: ParanoidBot(depth=2, seed=seed),
    lambda seed: MctsBot(nodes=120, seed=seed),
    lambda seed: GreedyBot(seed=seed),
])  # fmt: skip
def test_whoever_thinks_wins_at_a_table_of_random_players(bot):
    assert points("chexers", bot, RandomBot) == 1


@pytest.mark.first(1)
@pytest.mark.parametrize("spec", DUELS)
def test_mcts_beats_random_play(spec):
    assert points(spec, lambda seed: MctsBot(nodes=120, seed=seed), RandomBot, 3) > 0.8


@pytest.mark.slow
def test_looking_ahead_beats_greed_at_the_table():
    for bot in (MaxNBot, ParanoidBot):
        assert points("chexers", lambda seed, bot=bot: bot(depth=3, seed=seed), GreedyBot, 2) > 1 / 3


def test_every_order_of_seats_can_be_played_at_the_table():
    for bots in permutations([MaxNBot(depth=1), ParanoidBot(depth=1), MctsBot(nodes=20, seed=1)]):
        assert sum(play("chexers:max_turns=20", bots)[1]) == pytest.approx(1)


@pytest.mark.parametrize("bot", ALL)
def test_no_search_of_a_tree_claims_to_run_races(bot):
    assert bot.games
    assert all(game(name).kind != "race" for name in bot.games)
