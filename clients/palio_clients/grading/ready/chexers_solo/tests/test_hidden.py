"""Boards that were drawn for this term: each solved, and solved in the fewest actions."""

import json
from pathlib import Path

import pytest
from grading_actions import check_actions, printed

BOARDS = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))["boards"]
EACH = pytest.mark.parametrize(
    "case", BOARDS, ids=[f"{len(case['board']['pieces'])}-pieces-{at}" for at, case in enumerate(BOARDS)]
)


@pytest.mark.points(4, seconds=60)
@EACH
def test_solution(student, case):
    check_actions(printed(student, case["board"]), case["board"])


@pytest.mark.points(4, seconds=60)
@EACH
def test_fewest_actions(student, case):
    actions = printed(student, case["board"])
    check_actions(actions, case["board"])
    assert len(actions) == case["actions"], "there is a shorter solution"
