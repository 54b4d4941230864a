"""The handout's two sample boards, and its examples of the heuristics."""

import pytest
from grading_solutions import check_solution, handed_in

E = "......"
INBOARD_0 = ["...b..", "...bee", "aa.b.d", ".....d", "...c..", "...c.."]  # no solution
INBOARD_1 = ["...b..", "...b..", "aa.b.d", "..cccd", E, E]  # three moves
DIRECT = {
    "two": (["ee.c..", "...c..", "aabc..", "..b...", "..b...", ".ddd.."], 2),
    "three": ([".ddee.", ".ffc..", "..bc..", "aabc.g", "..b..g", E], 3),
}
INDIRECT = {
    "1": (["...ee.", E, "aabc..", "..bc..", "..d...", "..d..."], 2),
    "2": (["..d...", "..d...", "..b...", "aabc..", "...c..", "...ee."], 2),
    "3": (["ee.c..", "...c..", "aabc..", "..b...", "..b...", ".ddd.."], 3),
    "4": ([".ddee.", ".ffc..", "..bc..", "aabc..", "..b...", "....gg"], 5),
    "5": ([".ee...", "...c..", "aabc..", "..bc..", "..b...", ".dd..."], 3),
    "6": ([".ddee.", "...c..", "aabc..", "..b...", "..ff..", "....gg"], 2),
    "7": ([".ee.gg", "..bc.d", "aabc.d", "...c.h", "..fffh", E], 4),
}
EACH_HEUR = pytest.mark.parametrize("heur", [0, 1, 2])


@pytest.fixture
def rush_hour(submission, student):
    return handed_in(submission, student)


@pytest.mark.points(4, seconds=20)
@EACH_HEUR
def test_no_solution_exists(rush_hour, heur):
    check_solution(rush_hour, INBOARD_0, heur)


@pytest.mark.points(4, seconds=20)
@EACH_HEUR
def test_solution_found(rush_hour, heur):
    check_solution(rush_hour, INBOARD_1, heur)


@pytest.mark.points(2, seconds=20)
@pytest.mark.parametrize(("board", "h"), DIRECT.values(), ids=DIRECT)
def test_direct(rush_hour, board, h):
    rush_hour.check_estimate(board, 1, h)


@pytest.mark.points(2, seconds=20)
@pytest.mark.parametrize(("board", "h"), INDIRECT.values(), ids=INDIRECT)
def test_indirect(rush_hour, board, h):
    rush_hour.check_estimate(board, 2, h)
