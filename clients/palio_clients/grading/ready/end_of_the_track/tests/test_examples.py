"""The handout's first board: its encoding, its actions, and plans of at most two actions."""

import pytest
from grading_plans import Course, check_plan

START = (1, 2, 3, 4, 5, 3, 50, 51, 52, 53, 54, 52)
CORNERS = pytest.mark.parametrize(("square", "number"), [((0, 0), 0), ((3, 0), 3), ((3, 7), 52), ((6, 7), 55)])


def changed(*changes):
    """The first board with pieces (index, square) elsewhere."""
    state = list(START)
    for index, square in changes:
        state[index] = square
    return tuple(state)


@pytest.fixture
def course(student):
    return Course(student)


@pytest.mark.points(2, seconds=20)
def test_initial_state(course):
    board = course.game.BoardState()
    assert tuple(int(square) for square in board.state) == START
    assert [tuple(each) for each in board.decode_state] == [(number % 7, number // 7) for number in START]


@pytest.mark.points(0.5, seconds=20)
@CORNERS
def test_encode_single_pos(course, square, number):
    assert course.game.BoardState().encode_single_pos(square) == number


@pytest.mark.points(0.5, seconds=20)
@CORNERS
def test_decode_single_pos(course, square, number):
    assert tuple(course.game.BoardState().decode_single_pos(number)) == square


@pytest.mark.points(2, seconds=20)
@pytest.mark.parametrize(
    ("state", "valid"),
    [(START, True), (changed((5, 6)), False), (changed((0, 2)), False), (changed((0, 56)), False)],
    ids=["first", "ball-alone", "two-on-one-square", "off-board"],
)
def test_is_valid(course, state, valid):
    assert bool(course.board(state).is_valid()) == valid


@pytest.mark.points(2, seconds=20)
@pytest.mark.parametrize(
    ("state", "over"),
    [(START, False), (changed((2, 49), (5, 49)), True), (changed((8, 6), (11, 6)), True)],
    ids=["first", "white-won", "black-won"],
)
def test_is_termination_state(course, state, over):
    assert bool(course.board(state).is_termination_state()) == over


@pytest.mark.points(3, seconds=20)
@pytest.mark.parametrize(("piece", "squares"), [(0, {10, 14, 16}), (6, {35, 37, 45})])
def test_single_piece_actions(course, piece, squares):
    assert set(course.game.Rules.single_piece_actions(course.board(START), piece)) == squares


@pytest.mark.points(3, seconds=20)
@pytest.mark.parametrize(("player", "squares"), [(0, {1, 2, 4, 5}), (1, {50, 51, 53, 54})])
def test_single_ball_actions(course, player, squares):
    assert set(course.game.Rules.single_ball_actions(course.board(START), player)) == squares


@pytest.mark.points(4, seconds=20)
@pytest.mark.parametrize(
    ("player", "squares"),
    [
        (0, [{10, 14, 16}, {7, 11, 15, 17}, set(), {9, 13, 17, 19}, {10, 18, 20}, {1, 2, 4, 5}]),
        (1, [{35, 37, 45}, {36, 38, 42, 46}, set(), {38, 40, 44, 48}, {39, 41, 45}, {50, 51, 53, 54}]),
    ],
)
def test_generate_valid_actions(course, player, squares):
    assert course.actions(START, player) == {(piece, to) for piece, found in enumerate(squares) for to in found}


@pytest.mark.points(3, seconds=20)
def test_validate_action(course):
    assert course.simulator(START).validate_action((0, 14), 0) == True  # noqa: E712  # or numpy's


@pytest.mark.points(2, seconds=20)
@pytest.mark.parametrize("action", [(0, 7), (2, 16), (5, 3)], ids=["no-knight's-move", "holds-the-ball", "no-pass"])
def test_validate_action_that_is_not_valid(course, action):
    with pytest.raises(ValueError):  # noqa: PT011  # the description is the student's own
        course.simulator(START).validate_action(action, 0)


@pytest.mark.points(5, seconds=60)
def test_game_state_goal_state(course):
    assert course.plan(START, START, 0) == [((START, 0), None)]


@pytest.mark.points(5, seconds=60)
def test_game_state_problem(course):
    goal = changed((0, 14))
    assert course.plan(START, goal, 0) == [((START, 0), (0, 14)), ((goal, 1), None)]


@pytest.mark.points(6, seconds=60)
def test_game_state_problem_of_two_actions(course):
    goal = changed((0, 14), (6, 35))
    plan = course.plan(START, goal, 0)
    check_plan(plan, START, goal, 0)
    assert len(plan) == 3
