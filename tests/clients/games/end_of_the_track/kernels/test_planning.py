"""Compiled plans: they can be played, they end at the goal, and none is shorter."""

from random import Random

import numpy as np
import pytest
from end_of_track_positions import somewhere
from hypothesis import given, settings
from hypothesis import strategies as st

from palio_clients.games.end_of_the_track.evaluation import DISTANCE, may_lead, turns_between
from palio_clients.games.end_of_the_track.kernels import plan
from palio_clients.games.end_of_the_track.kernels.planning import may_lead as compiled_may_lead
from palio_clients.games.end_of_the_track.kernels.workspace import set_up, workspace
from palio_clients.search.game_tree import Stopped
from palio_clients.search.planning import a_star
from palio_rules.games.end_of_track import START, Position

pytestmark = pytest.mark.slow  # compiles; in `make test` the kernels of Rush Hour stand for all

GOALS = {  # the course's puzzles from the first position: what changes, and how many moves that takes
    ((0, 14),): 1,
    ((0, 23),): 4,
    ((1, 22), (5, 22), (11, 50)): 5,
    ((4, 20), (5, 20), (6, 22), (11, 22)): 6,
}


def changed(changes):
    pieces = list(START)
    for piece, square in changes:
        pieces[piece] = square
    return tuple(pieces)


def successors(state):
    pieces, turn = state
    for piece, to in Position(pieces, turn).legal_moves():
        at = 6 * turn + piece
        yield (piece, to), ((*pieces[:at], to, *pieces[at + 1 :]), 1 - turn)


def walked(seed, steps):
    """(where a random walk begins, whose turn it is, where it ends)."""
    begin, random = somewhere(seed, seed % 20), Random(seed)
    state = (begin.pieces, begin.turn)
    for _ in range(steps):
        state = random.choice([after for _, after in successors(state)])
    return begin.pieces, begin.turn, state[0]


def arrived(pieces, turn, moves):
    state = (pieces, turn)
    for move in moves:
        state = dict(successors(state))[tuple(move)]
    return state[0]


@pytest.mark.parametrize(("changes", "moves"), GOALS.items())
def test_the_courses_puzzles_take_as_many_moves_as_is_known(changes, moves):
    found = plan(START, changed(changes), 0)
    assert len(found) == moves
    assert arrived(START, 0, found) == changed(changes)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 9999), st.integers(0, 9))
def test_a_plan_leads_to_the_goal_and_is_no_longer_than_a_way_that_is_known(seed, steps):
    begin, turn, goal = walked(seed, steps)
    found = plan(begin, goal, turn)
    assert arrived(begin, turn, found) == goal
    assert len(found) <= steps


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 9999), st.integers(0, 6))
def test_a_plan_is_as_short_as_that_of_a_star(seed, steps):
    begin, turn, goal = walked(seed, steps)
    known = a_star((begin, turn), successors, lambda state: turns_between(state, goal))
    assert known.complete
    assert len(plan(begin, goal, turn)) == len(known.moves)


@given(st.integers(0, 9999), st.integers(0, 9), st.integers(0, 12))
def test_the_compiled_bound_is_the_readable_one(seed, steps, turns):
    begin, turn, goal = walked(seed, steps)
    spaces = workspace()
    spaces["distance"] = DISTANCE
    set_up(spaces[0], begin, turn)
    assert bool(compiled_may_lead(spaces[0], np.array(goal), turn, turns)) is may_lead((begin, turn), goal, turns)


def test_where_one_stands_already_the_plan_is_empty():
    assert plan(START, START, 1) == ()


def test_a_plan_that_is_too_long_is_none():
    assert plan(START, changed(((0, 23),)), 0, longest=3) is None


def test_blocks_keep_their_names():
    swapped = (2, 1, *START[2:])
    assert len(plan(START, swapped, 0)) > 1


def test_a_search_for_a_plan_can_be_stopped():
    with pytest.raises(Stopped):
        plan(START, changed(((0, 23),)), 0, stop=lambda: True)
