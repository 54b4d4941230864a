"""AI388U's `search.py`: plans that are as short as can be."""

import random
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from end_of_track_positions import COURSE_START
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.end_of_the_track.evaluation import turns_between
from palio_rules.registry import game as rules_of


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
    assert problem.initial_state == (COURSE_START, 0)
    goal = (14, *COURSE_START[1:])
    assert problem.goal_state_set == {(goal, 0), (goal, 1)}
    assert problem.search_alg_fnc() == [((COURSE_START, 0), (0, 14)), ((goal, 1), None)]
    assert len(problem.get_actions((COURSE_START, 0))) == 18
    with pytest.raises(ValueError, match="did you mean 'a_star'"):
        problem.set_search_alg("astar")


def test_start_equal_to_goal_needs_no_action(course, board):
    problem = course.search.GameStateProblem(board(), board(), 1)
    assert problem.search_alg_fnc() == [((COURSE_START, 1), None)]


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


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(seed=st.integers(0, 10**6), before=st.integers(0, 20), steps=st.integers(1, 7))
def test_algorithms_agree_on_the_shortest_way_between_any_two_boards(course, seed, before, steps):
    rng, any_board = random.Random(seed), course.game.BoardState()
    problem = course.search.GameStateProblem(any_board, any_board, 0)
    start = walked(problem, (COURSE_START, 0), before, rng)
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
