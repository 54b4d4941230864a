"""AI388U's `game.py`: validation, actions, simulation."""

import numpy as np
import pytest
from end_of_track_positions import COURSE_START


@pytest.fixture
def simulator(course, board):
    def simulator(*changes, state=COURSE_START, players=None):
        made = course.game.GameSimulator(players)
        made.game_state = board(*changes, state=state)
        return made

    return simulator


def test_squares_are_numbered_from_the_lower_left_row_by_row(course):
    board = course.game.BoardState()
    assert [board.encode_single_pos(cr) for cr in ((0, 0), (6, 0), (0, 1), (3, 4), (6, 7))] == [0, 6, 7, 31, 55]
    assert all(board.encode_single_pos(board.decode_single_pos(n)) == n for n in range(56))
    assert board.decode_single_pos(55) == (6, 7)


def test_the_first_board_is_the_handouts(course):
    board = course.game.BoardState()
    assert isinstance(board.state, np.ndarray)
    assert tuple(board.state) == COURSE_START
    assert board.decode_state == board.make_state()
    assert board.decode_state[5] == (3, 0)
    assert board.is_valid()
    assert not board.is_termination_state()


@pytest.mark.parametrize(
    "changes",
    [
        [(0, 2)],  # two blocks on one square
        [(0, 50)],  # of different sides
        [(5, 6)],  # a ball on no block
        [(5, 52)],  # on an enemy's block
        [(11, 3)],
        [(0, 56)],
        [(0, -1)],
        [(0, 1000)],
        [(5, -4)],
        [(3, 56), (5, 56)],  # a ball on its block, both off the board
        [(3, -4), (5, -4)],
    ],
)
def test_a_board_that_cannot_be_is_not_valid_and_not_over(board, changes):
    assert not board(*changes).is_valid()
    assert not board(*changes).is_termination_state()


@pytest.mark.parametrize("state", [[], [1, 2, 3], [*COURSE_START, 7], [*COURSE_START[:11], 52.5], [COURSE_START]])
def test_a_state_of_another_shape_is_not_valid(board, state):
    strange = board()
    strange.state = np.array(state)
    assert not strange.is_valid()


@pytest.mark.parametrize(
    ("changes", "over"),
    [
        ([], False),
        ([(2, 49), (5, 49)], True),
        ([(2, 55), (5, 55)], True),
        ([(2, 48), (5, 48)], False),
        ([(8, 0), (11, 0)], True),
        ([(8, 6), (11, 6)], True),
        ([(8, 7), (11, 7)], False),
        ([(2, 49)], False),  # the block is there, the ball is not (nor is it on any block)
        ([(0, 49)], False),
    ],
)
def test_a_game_is_over_when_a_ball_is_on_its_far_row(board, changes, over):
    assert board(*changes).is_termination_state() is over


def test_blocks_move_like_knights_unless_they_hold_the_ball(course, board):
    rules = course.game.Rules
    assert rules.single_piece_actions(board(), 0) == {10, 14, 16}
    assert rules.single_piece_actions(board(), 2) == set()  # it holds the ball
    assert rules.single_piece_actions(board(), 6) == {35, 37, 45}
    assert rules.single_piece_actions(board((0, 14)), 1) == {7, 11, 15, 17}
    assert rules.single_piece_actions(board((6, 16)), 0) == {10, 14}  # an enemy stands on 16
    for ball in (5, 11):
        with pytest.raises(ValueError, match="is no block"):
            rules.single_piece_actions(board(), ball)


def test_a_ball_is_passed_along_lines_that_no_enemy_interrupts(course, board):
    balls = course.game.Rules.single_ball_actions
    assert balls(board(), 0) == {1, 2, 4, 5}
    assert balls(board(), 1) == {50, 51, 53, 54}
    assert balls(board((0, 24)), 0) == {2, 4, 5, 24}  # straight up
    assert balls(board((0, 24), (6, 17)), 0) == {2, 4, 5}  # an enemy between
    assert balls(board((4, 13)), 0) == {1, 2, 4}  # no line leads there
    assert balls(board((0, 30), (4, 32), (6, 16)), 0) == {2, 4, 32, 30}  # to 4, to 32, and from there to 30


@pytest.mark.parametrize("player", [0, 1])
def test_actions_are_sets_and_all_that_validation_accepts(simulator, player):
    sim = simulator()
    actions = sim.generate_valid_actions(player)
    assert isinstance(actions, set)
    assert len(actions) == 18
    every = {(index, square) for index in range(-1, 7) for square in range(-1, 57)}
    assert actions == {action for action in every if accepted(sim, action, player)}
    assert sim.game_state.is_valid()


def accepted(sim, action, player):
    try:
        return sim.validate_action(action, player)
    except ValueError:
        return False


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ((0, 11), "not a knight's move"),
        ((1, 3), "not a knight's move"),
        ((2, 16), "holds the ball"),
        ((0, 57), "off the 8x7 board"),
        ((6, 10), "piece 6 does not exist"),
        ((5, 3), "on d1 already"),
        ((5, 10), "none of your blocks stands on"),
        ((0, 1.5), "in integers"),
        ((0,), "in integers"),
        (None, "in integers"),
    ],
)
def test_an_action_that_is_not_valid_raises_with_the_reason(simulator, action, reason):
    with pytest.raises(ValueError, match=reason):
        simulator().validate_action(action, 0)


def test_numpy_integers_are_integers(simulator):
    assert simulator().validate_action((np.int64(0), np.int64(14)), 0) is True


def test_players_move_their_own_pieces_only_and_there_are_two(simulator):
    with pytest.raises(ValueError, match="player 2 does not exist"):
        simulator().generate_valid_actions(2)


def test_a_piece_off_the_board_is_named(simulator):
    with pytest.raises(ValueError, match="piece 4 is on square 56"):
        simulator((4, 56)).generate_valid_actions(0)


@pytest.mark.parametrize(("depth", "count"), [(1, 18), (2, 324), (3, 6264)])
def test_perft_over_the_courses_own_methods(simulator, depth, count):
    def perft(state, player, depth):
        sim = simulator(state=state)
        actions = sim.generate_valid_actions(player)
        if depth == 1:
            return len(actions)
        total = 0
        for action in actions:
            sim = simulator(state=state)
            sim.update(action, player)
            total += perft(tuple(sim.game_state.state), 1 - player, depth - 1)
        return total

    assert perft(COURSE_START, 0, depth) == count


class Script:
    """A player with a list of actions."""

    def __init__(self, *actions):
        self.actions, self.seen = list(actions), []

    def policy(self, decode_state):
        self.seen.append(decode_state)
        return self.actions.pop(0), 0


def test_a_game_is_run_to_its_end(simulator):
    white = Script((5, 55))
    sim = simulator(state=(49, 37, 46, 41, 55, 41, 50, 51, 52, 53, 54, 52), players=[white, Script()])
    assert sim.run() == (0, "WHITE", "No issues")
    assert white.seen[0][5] == (6, 5)


def test_every_round_is_printed_as_in_the_course(simulator, capsys):
    state = (14, 16, 17, 18, 19, 16, 1, 29, 52, 53, 54, 29)
    sim = simulator(state=state, players=[Script((0, 23)), Script((5, 1))])
    before = tuple(sim.game_state.state)
    assert sim.run()[0] == 1
    after = (type(before[0])(23), *before[1:])
    assert capsys.readouterr().out == (
        f"Round: 0 Player: 0 State: {before} Action: (0, 23) Value: 0\n"
        f"Round: 1 Player: 1 State: {after} Action: (5, 1) Value: 0\n"
    )


def test_black_moves_in_odd_rounds(simulator):
    state = (14, 16, 17, 18, 19, 16, 1, 29, 52, 53, 54, 29)
    assert simulator(state=state, players=[Script((0, 23)), Script((5, 1))]).run() == (1, "BLACK", "No issues")


def test_an_action_that_is_not_valid_loses_with_its_reason(simulator):
    last, winner, issue = simulator(players=[Script((0, 14)), Script((0, 0))]).run()
    assert (last, winner) == (1, "WHITE")
    assert issue.startswith("Black provided an invalid action: ")


def test_without_players_nobody_can_be_asked(simulator):
    with pytest.raises(ValueError, match="nobody to ask"):
        simulator().run()
