"""Boards that were drawn for this term: shortest solutions with each heuristic, boards without one, and estimates."""

import json
from pathlib import Path

import pytest
from grading_solutions import check_solution, handed_in

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))


def each(kind, name):
    return pytest.mark.parametrize("case", CASES[kind], ids=[name(number, c) for number, c in enumerate(CASES[kind])])


@pytest.fixture
def rush_hour(submission, student):
    return handed_in(submission, student)


@pytest.mark.points(4.5, seconds=60)
@each("boards", lambda number, case: f"heur-{case['heur']}-{number}")
def test_solution(rush_hour, case):
    check_solution(rush_hour, case["board"], case["heur"])


@pytest.mark.points(1, seconds=60)
@each("estimates", lambda number, case: number)
def test_estimates(rush_hour, case):
    rush_hour.check_estimate(case["board"], 1, case["direct"])
    rush_hour.check_estimate(case["board"], 2, case["indirect"])
