"""Boards that were drawn for this term: moves, evaluations and searches with their values, all proven by minimax."""

import json
from pathlib import Path

import pytest
from grading_ps2 import SEARCHES, Course, lists, plain

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))


def each(kind):
    return pytest.mark.parametrize("case", CASES[kind], ids=range(len(CASES[kind])))


@pytest.fixture
def course(student):
    return Course(student)


@pytest.mark.points(1, seconds=10)
@each("moves")
def test_generate_valid_moves(course, case):
    for player in ("black", "white"):
        assert course.moves(case["board"], player) == sorted(map(plain, case[player]))


@pytest.mark.points(1, seconds=40)
@each("searches")
@pytest.mark.parametrize("search", SEARCHES)
def test_search(course, search, case):
    value, move = course.search(search, case["board"], case["depth"], case["player"])
    assert value == case["value"]
    assert move in list(map(plain, case["best"]))
    assert course.is_board_kept(), "the search changes the board that it is given"


@pytest.mark.points(1, seconds=40)
@each("pruned")
@pytest.mark.parametrize("search", ["minimax_alpha_beta", "negamax_alpha_beta"])
def test_pruning(course, search, case):
    course.search(search, case["board"], case["depth"], case["player"], counts=True)
    # Files of some terms have a generator of their own, and then nothing is counted.
    assert len(course.asked) < 0.9 * case["positions"], "the search visits nearly as many positions as without pruning"


@pytest.mark.points(1, seconds=10)
@each("evaluations")
def test_improved_evaluate(course, case):
    assert course.ps2.improved_evaluate(lists(case["board"])) == case["value"]
