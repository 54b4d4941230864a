"""The bots of the races: puzzles in the fewest moves, ever better tours, in time, and the same again under a seed."""

import sys
import threading
import time
from itertools import count, pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from puzzles import SPECS, graph, start, states

from palio_clients import kernels
from palio_clients.agents.hill_climbing import HillClimbingBot
from palio_clients.agents.or_opt import OrOptBot
from palio_clients.agents.planner import PlannerBot
from palio_clients.agents.remark import remark
from palio_clients.agents.tour_bot import tours_of
from palio_clients.anytime import LAST_CALL_S, PAUSE_S, AnytimeBot
from palio_clients.clock import Clock
from palio_clients.failures import Resign
from palio_clients.kernels import MISSING
from palio_clients.knowledge import knowledge_of
from palio_clients.search.improved import Steps
from palio_rules.registry import game

HARDEST = "gbb.l./ghi.lm/ghiaam/ccck.m/..jkdd/eejff."  # needs 50 moves


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


# --- planner ---------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(states)
def test_the_planner_solves_puzzles_in_the_fewest_moves(found):
    name, board, _ = found
    problem = knowledge_of(name).problem(start(name, board))
    moves, last = play_out(seated(PlannerBot(), name), start(name, board))
    assert last.outcome().reason == "solved"
    assert len(moves) == graph(name, board)[2][problem.start]


def test_the_planner_thinks_once_and_remembers_its_plan():
    bot, state, thoughts = seated(PlannerBot(), "rush_hour"), start("rush_hour", HARDEST), []
    while state.to_move is not None:
        move = bot.choose(state, Clock())
        told = bot.told()
        thoughts.append((told.depth, told.nodes > 0))
        assert told.pv[0] == move
        assert len(told.pv) == told.depth
        state = state.play(move)
    assert thoughts == [(50 - done, done == 0) for done in range(50)]


def test_the_planner_plans_again_where_it_did_not_expect_to_be():
    bot, state = seated(PlannerBot(), "rush_hour"), start("rush_hour", HARDEST)
    planned = bot.choose(state, Clock())
    other = next(move for move in state.legal_moves() if move != planned)
    bot.told()
    _, last = play_out(bot, state.play(other))
    assert last.outcome().reason == "solved"


def test_the_planner_finds_some_plan_where_there_is_no_time_for_a_shortest_one():
    """Of a puzzle for which A* needs some hundred positions, greed finds a way with fewer."""
    state = start("chexers_solo", "r.../...../....../r....../....../...../r..r")
    shortest = PlannerBot(nodes=100_000)
    hasty = PlannerBot(nodes=400)
    moves, _ = play_out(seated(shortest, "chexers_solo"), state)
    longer, last = play_out(seated(hasty, "chexers_solo"), state)
    assert last.outcome().reason == "solved"
    assert len(moves) == 18 <= len(longer)


@pytest.mark.parametrize("name", ["rush_hour", "chexers_solo"])
def test_on_an_empty_clock_the_planner_plays_legal_moves_all_the_same(name):
    state, bot = start(name, SPECS[name][2]), seated(PlannerBot(seed=1), name)
    for _ in range(20):
        if state.to_move is None:
            break
        move = bot.choose(state, Clock(remaining_ms=0, limit_ms=0, deadline=time.monotonic()))
        state.check(move)
        state = state.play(move)


def test_with_little_time_for_each_move_the_planner_gets_nearer_all_the_same():
    """Every plan goes to the most promising position among a few, and the next one goes on from there."""
    moves, last = play_out(
        seated(PlannerBot(nodes=60, seed=1), "chexers_solo"),
        start("chexers_solo", "r..r/...../....../......./....../...../...."),
    )
    assert last.outcome().reason == "solved"
    assert len(moves) < 40


@pytest.mark.parametrize(
    ("name", "board"),
    [
        ("rush_hour", "aa.bb./....../..c.../..c.../....../......"),
        ("chexers_solo", "r##./##.../#.#.../......./...r../...../...."),
    ],
)
def test_where_no_plan_exists_the_planner_resigns(name, board):
    with pytest.raises(Resign):
        seated(PlannerBot(), name).choose(start(name, board), Clock())


def test_the_planner_says_which_games_it_can_plan_in():
    with pytest.raises(ValueError, match="does not know how to plan in tsp; it plays breakthrough, "):
        seated(PlannerBot(), "tsp")


# --- tours -----------------------------------------------------------------------------------------------------------

CLIMBERS = [HillClimbingBot, OrOptBot]


@pytest.fixture
def unhurried(monkeypatch):
    """No pause between two answers: each improvement is one."""
    monkeypatch.setattr("palio_clients.anytime.PAUSE_S", 0)


@pytest.fixture
def counted(monkeypatch):
    """A millisecond passes whenever somebody looks at the time, however busy the machine is."""
    looks = count()
    monkeypatch.setattr("palio_clients.anytime.time", SimpleNamespace(monotonic=lambda: next(looks) / 1000))


def race(bot, size, seed=1, answers=None, clock=Clock):
    """What a bot hands in, until it has no more to give or has given so many answers."""
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


@pytest.mark.parametrize(("climber", "size"), [(HillClimbingBot, 30), (OrOptBot, 400)])
def test_every_tour_handed_in_is_better_than_the_one_before(climber, size, unhurried, counted):
    lengths = race(climber(seconds=0.3, seed=1), size, answers=30)
    assert len(lengths) > 2
    assert all(later < sooner for sooner, later in pairwise(lengths))


def test_the_same_seed_climbs_to_the_same_tours(unhurried):
    first, second = (race(HillClimbingBot(seconds=60, seed=5), 40, answers=8) for _ in range(2))
    assert first == second


def test_the_same_seed_and_kicks_find_the_same_tours_and_the_first_that_are_in_vain_are_the_last():
    first, second = (race(OrOptBot(kicks=20, seed=5), 300) for _ in range(2))
    assert first == second
    assert len(first) > 1


def test_kicks_below_nothing_are_refused():
    with pytest.raises(ValueError, match="kicks cannot be negative, got kicks=-1"):
        OrOptBot(kicks=-1)


@pytest.mark.parametrize("climber", CLIMBERS)
def test_both_find_the_best_tour_of_a_few_cities_and_then_resign(climber, unhurried, counted):
    a, b = race(climber(seconds=0.2, seed=1), 7), race(climber(seconds=0.2, seed=2), 7)
    assert a[-1] == b[-1]


@pytest.mark.parametrize("climber", CLIMBERS)
@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_smallest_instances_are_no_trouble(climber, size, unhurried, counted):
    assert race(climber(seconds=0.1, seed=1), size)


def test_or_opt_is_ahead_of_climbing_on_a_hundred_cities(counted):
    bots = [climber(seconds=0.5, seed=1) for climber in CLIMBERS]
    climbed, linked = (race(bot, 100, answers=4)[-1] for bot in bots)
    assert linked < climbed


@pytest.mark.parametrize("climber", CLIMBERS)
def test_a_bot_that_comes_back_after_a_crash_goes_on_from_its_best_tour(climber):
    rules = game("tsp")
    options = rules.parse_options({"size": 30})
    state = rules.start(options, 1)
    best = OrOptBot(seed=1).search(tuple(range(30)), tours_of(state.instance), Steps(2000)).state
    back = seated(climber(seed=9), "tsp", options).improve(state.play(best), lambda cost: True)
    assert state.instance.length(back) == state.instance.length(best)


def test_an_instance_in_the_options_is_looked_at_before_the_clock_runs():
    rules = game("tsp")
    options = rules.parse_options({"cities": [[0, 0], [3, 0], [0, 4], [9, 9]]})
    assert seated(HillClimbingBot(), "tsp", options).tours.distance[1][2] == 5
    assert seated(OrOptBot(), "tsp", options)._improver.instance.distance(1, 2) == 5


@pytest.mark.parametrize("climber", CLIMBERS)
def test_the_viewers_are_told_of_each_tour(climber):
    bot = climber(seconds=0.1, seed=1)
    lengths = race(bot, 20, answers=1)
    told = bot.told()
    assert told.score == -lengths[0]
    assert f"{lengths[0]} after" in told.text


# --- without numba ---------------------------------------------------------------------------------------------------


@pytest.fixture
def no_numba(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.setattr(kernels, "find_spec", lambda _name: None)
    remark.cache_clear()


def test_without_numba_or_opt_is_the_readable_one_and_says_so_to_all(no_numba, capsys):
    bots = [OrOptBot(kicks=20, seed=5) for _ in range(2)]
    first, second = (race(bot, 30) for bot in bots)
    assert first == second
    assert capsys.readouterr().err == f"remark: or_opt: {MISSING}\n"
    assert bots[0].told().text.endswith(f"; {MISSING}")


@pytest.mark.parametrize("name", ["rush_hour", "chexers_solo"])
def test_without_numba_the_planner_finds_as_short_plans_and_says_so_to_all(name, no_numba, capsys):
    state, bot = start(name, SPECS[name][0]), seated(PlannerBot(), name)
    assert capsys.readouterr().err == f"remark: planner: {MISSING}\n"
    bot.choose(state, Clock())
    told = bot.told()
    assert told.text == MISSING
    assert told.depth == graph(name, SPECS[name][0])[2][knowledge_of(name).problem(state).start]


def test_a_board_that_fits_into_no_word_is_left_to_the_readable_search():
    board = "/".join([*("." * 9 for _ in range(7)), "aa...b...", ".....b..."])
    moves, last = play_out(seated(PlannerBot(), "rush_hour"), start("rush_hour", board))
    assert (last.outcome().reason, len(moves)) == ("solved", 1)


# --- at the bell -----------------------------------------------------------------------------------------------------


class Listed(AnytimeBot):
    """Finds the tours of a list, one after the other, and stays with the last one if it is to go on for ever."""

    def __init__(self, *tours, for_ever=False):
        super().__init__()
        self.tours, self.for_ever, self.polls = list(tours), for_ever, 0

    def improve(self, state, stop):
        while True:
            self.polls += 1
            if stop(state.instance.length(self.tours[0])) or (len(self.tours) == 1 and not self.for_ever):
                return self.tours[0]
            if len(self.tours) > 1:
                del self.tours[0]


@pytest.fixture
def square():
    rules = game("tsp")
    return rules.start(rules.parse_options({"cities": [[0, 0], [9, 0], [0, 9], [9, 9]]}))


CROSSED, STRAIGHT = (0, 3, 1, 2), (0, 1, 3, 2)


@pytest.fixture
def ticking(monkeypatch):
    """A time that goes on by a millisecond whenever somebody looks at it."""
    ticks = count()
    monkeypatch.setattr("time.monotonic", lambda: next(ticks) / 1000)


def test_the_first_solution_is_handed_in_at_once_and_the_next_one_after_a_pause(square, ticking):
    bot = seated(Listed(CROSSED, STRAIGHT, for_ever=True), "tsp")
    assert bot.choose(square, Clock()) == CROSSED
    assert bot.polls == 1
    began = time.monotonic()
    assert bot.choose(square.play(CROSSED), Clock()) == STRAIGHT
    assert time.monotonic() - began >= PAUSE_S


def test_what_improves_nothing_is_not_handed_in(square):
    bot = seated(Listed(CROSSED), "tsp")
    with pytest.raises(Resign):
        bot.choose(square.play(STRAIGHT), Clock())


def test_just_before_the_bell_a_better_solution_is_handed_in_without_a_pause(square, ticking):
    clock = Clock.of(PAUSE_S)
    assert seated(Listed(STRAIGHT, for_ever=True), "tsp").choose(square.play(CROSSED), clock) == STRAIGHT
    assert LAST_CALL_S / 2 < clock.seconds() < LAST_CALL_S


@pytest.mark.parametrize("climber", CLIMBERS)
def test_a_search_comes_back_as_soon_as_nobody_waits_any_more(climber, monkeypatch):
    monkeypatch.setattr("palio_clients.anytime.PAUSE_S", 600)  # so that it has no other reason to come back
    rules = game("tsp")
    options = rules.parse_options({"size": 300})
    bot, clock = seated(climber(seed=1), "tsp", options), Clock.of(600)
    state = rules.start(options, 1)
    state = state.play(bot.choose(state, Clock()))
    back = threading.Event()

    def think():
        bot.choose(state, clock)  # better than the first tour, if only just
        back.set()

    threading.Thread(target=think, daemon=True).start()
    assert not back.wait(0.2)
    clock.cancel()
    assert back.wait(10)


def test_with_nothing_better_to_give_a_bot_waits_for_the_bell_and_says_nothing(square):
    clock = Clock.of(0.0)
    threading.Timer(0.05, clock.cancel).start()
    with pytest.raises(Resign):
        seated(Listed(CROSSED), "tsp").choose(square.play(STRAIGHT), clock)
    assert clock.expired()


@pytest.mark.parametrize("make", [lambda: OrOptBot(seconds=-1), lambda: HillClimbingBot(seconds=-1)])
def test_a_patience_below_nothing_is_refused(make):
    with pytest.raises(ValueError, match="seconds=-1"):
        make()
