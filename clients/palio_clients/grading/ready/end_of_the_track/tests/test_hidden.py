"""Boards that were drawn for this term: validation, actions, and plans of two to seven pairs."""

import json
from pathlib import Path

import pytest
from grading_plans import Course, check_plan

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
SECONDS = {2: 120, 3: 120, 4: 120, 5: 300, 6: 600, 7: 600}  # by the pairs of the plan


def each(kind):
    return pytest.mark.parametrize("case", CASES[kind], ids=range(len(CASES[kind])))


@pytest.fixture
def course(student):
    return Course(student)


@pytest.mark.points(3, seconds=20)
def test_encode_single_pos(course):
    board = course.game.BoardState()
    assert [board.encode_single_pos((n % 7, n // 7)) for n in range(56)] == list(range(56))


@pytest.mark.points(3, seconds=20)
def test_decode_single_pos(course):
    board = course.game.BoardState()
    assert [tuple(board.decode_single_pos(n)) for n in range(56)] == [(n % 7, n // 7) for n in range(56)]


@pytest.mark.points(2, seconds=20)
@each("validity")
def test_is_valid(course, case):
    assert bool(course.board(case["state"]).is_valid()) == case["valid"]


@pytest.mark.points(2, seconds=20)
@each("ends")
def test_is_termination_state(course, case):
    assert bool(course.board(case["state"]).is_termination_state()) == case["over"]


@pytest.mark.points(2, seconds=20)
@each("boards")
def test_single_piece_actions(course, case):
    for piece, squares in case["pieces"]:
        assert set(course.game.Rules.single_piece_actions(course.board(case["state"]), piece)) == set(squares)


@pytest.mark.points(3, seconds=20)
@each("boards")
def test_single_ball_actions(course, case):
    for player, squares in enumerate(case["balls"]):
        assert set(course.game.Rules.single_ball_actions(course.board(case["state"]), player)) == set(squares)


@pytest.mark.points(3, seconds=20)
@each("simulated")
def test_generate_valid_actions(course, case):
    assert course.actions(case["state"], case["player"]) == set(map(tuple, case["actions"]))


@pytest.mark.points(2, seconds=20)
@each("simulated")
def test_validate_action(course, case):
    simulator = course.simulator(case["state"])
    for action in case["actions"]:
        assert simulator.validate_action(tuple(action), case["player"]) == True  # noqa: E712  # or numpy's
    for action in case["wrong"]:
        with pytest.raises(ValueError):  # noqa: PT011  # the description is the student's own
            simulator.validate_action(tuple(action), case["player"])


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=f"{case['pairs']}-pairs-{number}",
            marks=pytest.mark.points(case["points"], extra=case["extra"], seconds=SECONDS[case["pairs"]]),
        )
        for number, case in enumerate(CASES["plans"])
    ],
)
def test_game_state_problem(course, case):
    plan = course.plan(case["start"], case["goal"], case["player"])
    check_plan(plan, case["start"], case["goal"], case["player"])
    assert len(plan) == case["pairs"], "there is a shorter plan"
