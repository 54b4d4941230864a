"""The planner: puzzles in the fewest moves, in time, with numba and without."""

import time
from types import ModuleType

import pytest
from hypothesis import given, settings
from puzzles import SPECS, graph, start, states
from race_bots import play_out, seated

from palio_clients.agents.planner import PlannerBot
from palio_clients.games import companion_of
from palio_clients.kernels import MISSING
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign

HARDEST = "gbb.l./ghi.lm/ghiaam/ccck.m/..jkdd/eejff."  # needs 50 moves


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(states)
def test_the_planner_solves_puzzles_in_the_fewest_moves(found):
    name, board, _ = found
    problem = companion_of(name).problem(start(name, board))
    moves, last = play_out(seated(PlannerBot(), name), start(name, board))
    assert last.outcome().reason == "solved"
    assert len(moves) == graph(name, board)[2][problem.start]


def test_without_a_compiled_plan_the_readable_search_plans(monkeypatch):
    """Another package may have compiled a race and nothing that plans it: `plan` is not asked of everybody."""
    package = ModuleType("palio_others.kernels")
    package.__file__, package.warm_up = __file__, lambda: None
    monkeypatch.setattr(type(companion_of("rush_hour")), "kernels", lambda _self: package)
    moves, last = play_out(seated(PlannerBot(), "rush_hour"), start("rush_hour", "b.../b.../aa.c/...c"))
    assert (len(moves), last.outcome().reason) == (1, "solved")


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


@pytest.mark.parametrize("name", ["rush_hour", "chexers_solo"])
def test_without_numba_the_planner_finds_as_short_plans_and_says_so_to_all(name, no_numba, capsys):
    state, bot = start(name, SPECS[name][0]), seated(PlannerBot(), name)
    assert capsys.readouterr().err == f"remark: planner: {MISSING}\n"
    bot.choose(state, Clock())
    told = bot.told()
    assert told.text == MISSING
    assert told.depth == graph(name, SPECS[name][0])[2][companion_of(name).problem(state).start]


def test_a_board_that_fits_into_no_word_is_left_to_the_readable_search():
    board = "/".join([*("." * 9 for _ in range(7)), "aa...b...", ".....b..."])
    moves, last = play_out(seated(PlannerBot(), "rush_hour"), start("rush_hour", board))
    assert (last.outcome().reason, len(moves)) == ("solved", 1)
