"""Shortest plans: known optima of the courses, exact distances of small puzzles, honest bounds where time is short."""

from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import solver_of
from puzzles import SPECS, graph, start

from palio_clients.games import chexers_solo, companion_of
from palio_clients.games.rush_hour import evaluation as rush_hour
from palio_clients.solving.budget import Budget
from palio_rules.errors import BadOption
from palio_rules.instances.files import read_file
from palio_rules.registry import game

HARDEST = "gbb.l./ghi.lm/ghiaam/ccck.m/..jkdd/eejff."  # 50 moves: CSCI 104, University of Southern California
BOARDS = [(name, board) for name in SPECS for board in SPECS[name]]


def played(state, line):
    for move in line:
        state.check(move)
        state = state.play(move)
    return state


@pytest.mark.parametrize("compiled", [True, False])
def test_the_hardest_board_of_rush_hour_needs_fifty_moves(monkeypatch, compiled):
    monkeypatch.setattr(rush_hour, "available", lambda: compiled)
    rules, state = game("rush_hour"), start("rush_hour", HARDEST)
    found = solver_of(rules).solve(state, Budget())
    assert found.in_words(rules, state) == "solved in 50 moves"
    assert rules.cost(played(state, found.line)) == 50


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("pieces", "blocks", "actions"), [
    ([[0, 0], [0, -1], [-2, 1]], [[-1, 0], [-1, 1], [1, 1], [3, -1]], 10),
    ([[0, -3], [-3, 0], [-3, 3], [0, 3]], [], 18),
])  # fmt: skip
def test_the_courses_boards_of_chexers_need_what_is_known(monkeypatch, tmp_path, compiled, pieces, blocks, actions):
    """COMP30024 (University of Melbourne): red, with colourless blocks."""
    monkeypatch.setattr(chexers_solo, "available", lambda: compiled)
    file = tmp_path / "board.json"
    file.write_text(f'{{"colour": "red", "pieces": {pieces}, "blocks": {blocks}}}')
    rules = game("chexers_solo")
    state = rules.start(rules.parse_options(read_file(file).options))
    found = solver_of(rules).solve(state, Budget())
    assert (found.verdict, found.distance, found.shortest) == ("win", actions, True)
    assert rules.cost(played(state, found.line)) == actions


@pytest.mark.parametrize("surveyed", [True, False])
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("name", "board"), BOARDS)
def test_small_puzzles_are_solved_in_their_exact_distance(monkeypatch, name, board, compiled, surveyed):
    for module in (rush_hour, chexers_solo):
        monkeypatch.setattr(module, "available", lambda: compiled)
    state, solver = start(name, board), solver_of(game(name))
    away = graph(name, board)[2].get(companion_of(name).problem(state).start)
    if state.outcome() is not None:
        return
    if surveyed:
        solver.survey(state, Budget())
    found = solver.solve(state, Budget())
    assert (found.verdict, found.distance) == (("loss", None) if away is None else ("win", away))
    if away is not None:
        assert played(state, found.line).outcome().scores == (1.0,)


@given(st.sampled_from(BOARDS), st.integers(1, 60))
@settings(deadline=None)
def test_where_the_budget_ends_first_the_bounds_hold(board, nodes):
    name, text = board
    state = start(name, text)
    away = graph(name, text)[2].get(companion_of(name).problem(state).start, inf)
    if state.outcome() is not None:
        return
    found = solver_of(game(name)).solve(state, Budget(nodes=nodes))
    if found.verdict is None:
        assert found.at_least <= away <= (inf if found.at_most is None else found.at_most)
        assert "at least" in found.in_words(game(name), state)
    else:
        assert (found.verdict == "win") is (away < inf)


def test_a_plan_that_takes_longer_than_the_race_is_none():
    rules = game("rush_hour")
    state = rules.start(rules.parse_options({"board": HARDEST, "max_moves": 49}))
    found = solver_of(rules).solve(state, Budget())
    assert found.verdict == "loss"
    assert found.in_words(rules, state).startswith("cannot be solved (it takes 50 moves")
    enough = rules.start(rules.parse_options({"board": HARDEST, "max_moves": 50}))
    assert solver_of(rules).solve(enough, Budget()).verdict == "win"


def test_no_tour_is_proven_to_be_the_best():
    with pytest.raises(BadOption, match="tsp cannot be solved here: no search proves a tour to be the best"):
        solver_of(game("tsp"))
