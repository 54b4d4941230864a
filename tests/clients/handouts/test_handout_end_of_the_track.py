"""AI388U's `game.py` and `search.py`: validation, actions, simulation, and plans that are as short as can be."""

import random
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.search.a_star import a_star
from palio_clients.search.bidirectional import bidirectional
from palio_clients.search.end_of_track_bounds import turns_between
from palio_rules.registry import game as rules_of

START = (1, 2, 3, 4, 5, 3, 50, 51, 52, 53, 54, 52)


@pytest.fixture(scope="module")
def course(handout):
    return handout("end_of_the_track", "game", "search")


@pytest.fixture
def board(course):
    def board(*changes, state=START):
        made = course.game.BoardState()
        made.state = np.array(state)
        made.decode_state = made.make_state()
        for index, square in changes:
            made.update(index, square)
        return made

    return board


@pytest.fixture
def simulator(course, board):
    def simulator(*changes, state=START, players=None):
        made = course.game.GameSimulator(players)
        made.game_state = board(*changes, state=state)
        return made

    return simulator


# --- part 0: boards ---------------------------------------------------------------------------------------------------


def test_squares_are_numbered_from_the_lower_left_row_by_row(course):
    board = course.game.BoardState()
    assert [board.encode_single_pos(cr) for cr in ((0, 0), (6, 0), (0, 1), (3, 4), (6, 7))] == [0, 6, 7, 31, 55]
    assert all(board.encode_single_pos(board.decode_single_pos(n)) == n for n in range(56))
    assert board.decode_single_pos(55) == (6, 7)


def test_the_first_board_is_the_handouts(course):
    board = course.game.BoardState()
    assert isinstance(board.state, np.ndarray)
    assert tuple(board.state) == START
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


@pytest.mark.parametrize("state", [[], [1, 2, 3], [*START, 7], [*START[:11], 52.5], [START]])
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


# --- part 1: actions --------------------------------------------------------------------------------------------------


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

    assert perft(START, 0, depth) == count


# --- the simulator ----------------------------------------------------------------------------------------------------


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


# --- part 2: plans ----------------------------------------------------------------------------------------------------


def follows(course, problem, plan):
    """Whether a plan is one: from the start, by valid actions, to a goal."""
    (state, _), *_ = plan
    assert state == problem.initial_state
    for (state, action), (after, _) in pairwise(plan):
        assert action in problem.get_actions(state)
        assert problem.execute(state, action) == after
    goal, nothing = plan[-1]
    return problem.is_goal(goal) and nothing is None


KNOWN = [
    ([], 1),
    ([(0, 14)], 2),
    ([(0, 23)], 5),
    ([(1, 22), (5, 22), (11, 50)], 6),
    ([(4, 20), (5, 20), (6, 22), (11, 22)], 7),
]


@pytest.mark.parametrize(("changes", "pairs"), KNOWN)
@pytest.mark.parametrize("alg", ["", "bidirectional", "a_star"])
def test_known_plans_have_their_known_lengths(course, board, changes, pairs, alg):
    problem = course.search.GameStateProblem(board(), board(*changes), 0)
    problem.set_search_alg(alg)
    plan = problem.search_alg_fnc()
    assert len(plan) == pairs
    assert follows(course, problem, plan)


@pytest.mark.parametrize(("changes", "pairs"), KNOWN[:3])
def test_breadth_first_agrees_where_it_can(course, board, changes, pairs):
    problem = course.search.GameStateProblem(board(), board(*changes), 0)
    problem.set_search_alg("bfs")
    plan = problem.search_alg_fnc()
    assert len(plan) == pairs
    assert follows(course, problem, plan)


def test_the_problem_is_stated_as_in_the_course(course, board):
    problem = course.search.GameStateProblem(board(), board((0, 14)), 0)
    assert isinstance(problem, course.search.Problem)
    assert problem.initial_state == (START, 0)
    goal = (14, *START[1:])
    assert problem.goal_state_set == {(goal, 0), (goal, 1)}
    assert problem.search_alg_fnc() == [((START, 0), (0, 14)), ((goal, 1), None)]
    assert len(problem.get_actions((START, 0))) == 18
    with pytest.raises(ValueError, match="did you mean 'a_star'"):
        problem.set_search_alg("astar")


def test_start_equal_to_goal_needs_no_action(course, board):
    problem = course.search.GameStateProblem(board(), board(), 1)
    assert problem.search_alg_fnc() == [((START, 1), None)]


def test_no_plan_is_sought_where_none_can_be(course, board):
    for alg in ("bidirectional", "a_star", "bfs"):
        problem = course.search.GameStateProblem(board(), board((0, 2)), 0)
        problem.set_search_alg(alg)
        with pytest.raises(ValueError, match="no plan leads"):
            problem.search_alg_fnc()


def walked(problem, state, steps, rng):
    for _ in range(steps):
        state = problem.execute(state, rng.choice(sorted(problem.get_actions(state))))
    return state


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), before=st.integers(0, 20), steps=st.integers(1, 7))
def test_algorithms_agree_on_the_shortest_way_between_any_two_boards(course, seed, before, steps):
    rng, any_board = random.Random(seed), course.game.BoardState()
    problem = course.search.GameStateProblem(any_board, any_board, 0)
    start = walked(problem, (START, 0), before, rng)
    goal = walked(problem, start, steps, rng)
    ends = []
    for pieces, _ in (start, goal):
        ends.append(course.game.BoardState())
        ends[-1].state = np.array(pieces)
    problem = course.search.GameStateProblem(*ends, start[1])
    lengths = set()
    for alg in ("bidirectional", "a_star", *(("bfs",) if steps <= 3 else ())):
        problem.set_search_alg(alg)
        plan = problem.search_alg_fnc()
        assert follows(course, problem, plan)
        lengths.add(len(plan) - 1)
    assert len(lengths) == 1
    assert turns_between(start, goal[0]) <= min(lengths) <= steps


def test_forced_wins_of_the_course_are_what_they_are():
    rules = rules_of("end_of_the_track")

    def wins(state, plies):
        mover = state.to_move
        for move in state.legal_moves():
            after = state.play(move)
            if after.outcome() is not None:
                if after.outcome().scores[mover] == 1:
                    return True
            elif plies > 1 and all(
                reply.outcome() is None and wins(reply, plies - 2)
                for reply in (after.play(answer) for answer in after.legal_moves())
            ):
                return True
        return False

    in_one = rules.parse_state("49,37,46,41,55,41,50,51,52,53,54,52 white 0/300")
    in_three = rules.parse_state("44,37,46,34,40,34,1,2,52,4,5,52 white 0/300")
    assert wins(in_one, 1)
    assert not wins(in_three, 1)
    assert wins(in_three, 3)


# --- the searches themselves ------------------------------------------------------------------------------------------

graphs = st.dictionaries(st.integers(0, 11), st.sets(st.integers(0, 11), max_size=3), max_size=12)


@given(graphs)
def test_bidirectional_search_is_optimal_and_ends_on_any_graph(graph):
    def successors(node):
        return [(f"{node}-{after}", after) for after in sorted(graph.get(node, ()))]

    def predecessors(node):
        return [(f"{before}-{node}", before) for before in sorted(graph) if node in graph[before]]

    route = bidirectional(0, [11], successors, predecessors)
    plan = a_star(0, successors, lambda node: float(node != 11))
    assert (route is not None) is plan.complete
    if route is not None:
        assert len(route.moves) == len(plan.moves)
        ends = [move.split("-") for move in route.moves]
        assert all(there == here for (_, there), (here, _) in pairwise(ends))


def test_bidirectional_search_may_be_told_how_far_to_look():
    line = {"successors": lambda n: [("+", n + 1)], "predecessors": lambda n: [("+", n - 1)]}
    assert bidirectional(0, [9], **line, longest=8) is None
    assert bidirectional(0, [9], **line, longest=9).moves == ("+",) * 9


def test_the_courses_own_imports_work_with_the_folder_on_the_path(handout_folder):
    program = (
        "from game import BoardState, GameSimulator, Rules\n"
        "from search import GameStateProblem, Problem\n"
        "goal = BoardState(); goal.update(0, 14)\n"
        "problem = GameStateProblem(BoardState(), goal, 0)\n"
        "assert type(problem.sim) is GameSimulator\n"
        "print(len(problem.search_alg_fnc()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(handout_folder("end_of_the_track"))},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "2\n"
