"""Searches for a plan: all of them find one that is as short as the shortest, each in its own way."""

from math import ceil, inf

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from puzzles import graph, states

from palio_clients.knowledge import knowledge_of
from palio_clients.search.a_star import a_star
from palio_clients.search.bidirectional import bidirectional
from palio_clients.search.breadth_first import breadth_first
from palio_clients.search.end_of_track_bounds import may_lead, turns_between
from palio_clients.search.ida_star import ida_star
from palio_clients.search.rbfs import rbfs
from palio_rules.games.end_of_track import Position
from palio_rules.games.end_of_track_board import SIDE
from palio_rules.registry import game

INFORMED = (a_star, ida_star, rbfs)

# A small directed graph: from each node to some others. A move is the name of the node to which it leads.
graphs = st.lists(st.lists(st.integers(0, 7), max_size=3), min_size=8, max_size=8)
GOAL = 7


def distances(edges):
    """From each node that has a way to the goal, the length of the shortest."""
    away, wave = {GOAL: 0}, [GOAL]
    for node in wave:
        for before, after in enumerate(edges):
            if node in after and before not in away:
                away[before] = away[node] + 1
                wave.append(before)
    return away


def along(edges):
    return lambda node: [(after, after) for after in edges[node]]


def estimates(edges, knows):
    """A consistent estimate: the exact distance, divided by `knows` and rounded up."""
    away = distances(edges)
    return lambda node: ceil(away[node] / knows) if node in away else inf


@pytest.mark.parametrize("search", INFORMED)
@given(graphs, st.integers(1, 5))
def test_an_informed_search_finds_a_shortest_way_or_that_there_is_none(search, edges, knows):
    plan, shortest = search(0, along(edges), estimates(edges, knows)), distances(edges).get(0)
    assert plan.complete is (shortest is not None)
    if plan.complete:
        assert len(plan.moves) == shortest
        assert all(move in edges[node] for node, move in zip((0, *plan.moves), plan.moves, strict=False))
        assert (0, *plan.moves)[-1] == GOAL


@given(graphs)
def test_breadth_first_and_bidirectional_search_agree_on_every_graph(edges):
    back = [[node for node, after in enumerate(edges) if place in after] for place in range(8)]
    forwards = breadth_first(0, along(edges), lambda node: node == GOAL)
    both = bidirectional(0, [GOAL], along(edges), lambda node: [(node, before) for before in back[node]])
    shortest = distances(edges).get(0)
    for route in (forwards, both):
        assert (route is None) is (shortest is None)
        if route is not None:
            assert len(route.moves) == shortest


@pytest.mark.parametrize("search", INFORMED)
@given(graphs)
def test_with_a_perfect_estimate_nothing_off_the_way_is_expanded(search, edges):
    shortest = distances(edges).get(0)
    assume(shortest is not None)
    assert search(0, along(edges), estimates(edges, 1)).expanded == shortest


@pytest.mark.parametrize("search", INFORMED)
@given(graphs, st.integers(0, 6))
def test_a_search_that_ends_early_gives_the_way_to_the_most_promising_state_so_far(search, edges, most):
    remaining = estimates(edges, 2)
    plan = search(0, along(edges), remaining, max_expanded=most)
    asked = []
    stopped = search(0, along(edges), remaining, stop=lambda: asked.append(0) or len(asked) > most)
    assert plan.expanded <= most
    node = 0
    for move in plan.moves:
        assert move in edges[node]
        node = move
    assert remaining(node) <= remaining(0)
    assert remaining(node) == 0 or not plan.complete
    assert stopped.expanded <= most


def test_two_goals_at_once_the_nearer_one_is_found():
    edges = {0: [1, 2], 1: [3], 2: [], 3: []}
    for search in INFORMED:
        plan = search(0, lambda node: [(there, there) for there in edges[node]], lambda node: 0 if node > 1 else 1)
        assert plan.moves == (2,)


# --- the puzzles -----------------------------------------------------------------------------------------------------


def problem_at(found):
    name, board, state = found
    after, before, away = graph(name, board)
    remaining = knowledge_of(name).problem(game(name).start(game(name).parse_options({"board": board}))).remaining
    return state, after.__getitem__, before.__getitem__, remaining, away.get(state)


@settings(max_examples=60)
@given(states)
def test_a_star_breadth_first_and_bidirectional_search_agree_on_the_puzzles(found):
    state, successors, predecessors, remaining, shortest = problem_at(found)
    _, _, away = graph(*found[:2])
    goals = [there for there, steps in away.items() if steps == 0]
    plan = a_star(state, successors, remaining)
    route = breadth_first(state, successors, lambda there: remaining(there) == 0)
    both = bidirectional(
        state, goals, successors, predecessors, may_end=lambda there, steps: remaining(there) <= steps, longest=60
    )
    assert plan.complete is (shortest is not None)
    if shortest is None:
        assert route is None
        assert both is None
    else:
        assert len(plan.moves) == len(route.moves) == len(both.moves) == shortest
        assert plan.expanded <= route.expanded + 1


@settings(max_examples=60)
@given(states)
def test_searches_in_linear_space_agree_with_a_star_on_the_puzzles(found):
    state, successors, _, remaining, shortest = problem_at(found)
    assume(shortest is not None and shortest <= 6)
    plan = a_star(state, successors, remaining)
    for search in (ida_star, rbfs):
        other = search(state, successors, remaining)
        assert other.complete
        assert len(other.moves) == len(plan.moves)


@pytest.mark.parametrize(
    ("name", "board", "shortest"),
    [
        ("rush_hour", "...b../...b../aa.b.d/..cccd/....../......", 3),  # the course's
        ("rush_hour", "gbb.l./ghi.lm/ghiaam/ccck.m/..jkdd/eejff.", 50),
        ("chexers_solo", "..../...../..r..#/..#r.../.r#.#./...../....", 10),  # the course's
        ("chexers_solo", "r.../...../....../r....../....../...../r..r", 18),
    ],
)
def test_puzzles_are_solved_in_the_fewest_moves_that_are_known(name, board, shortest):
    rules = game(name)
    state = rules.start(rules.parse_options({"board": board}))
    plan = a_star(*knowledge_of(name).problem(state), max_expanded=100_000)
    assert plan.complete
    assert len(plan.moves) == shortest
    for move in plan.moves:
        state.check(move)
        state = state.play(move)
    assert state.outcome().reason == "solved"


# --- End of the Track: from one board to another, both sides' pieces in turn -----------------------------------------

START = (1, 2, 3, 4, 5, 3, 50, 51, 52, 53, 54, 52)


def turns(state):
    pieces, seat = state
    first = SIDE * seat
    for piece, to in Position(pieces, seat).legal_moves():
        at = first + piece
        yield (piece, to), ((*pieces[:at], to, *pieces[at + 1 :]), 1 - seat)


def turns_back(state):
    pieces, seat = state
    return [(move, (before, 1 - seat)) for move, (before, _) in turns((pieces, 1 - seat))]


@settings(max_examples=25)
@given(st.lists(st.integers(0, 1000), min_size=0, max_size=4))
def test_all_searches_agree_in_end_of_the_track(choices):
    state = (START, 0)
    for choice in choices:
        moves = list(turns(state))
        state = moves[choice % len(moves)][1]
    goal = state[0]
    plan = a_star((START, 0), turns, lambda state: turns_between(state, goal))
    both = bidirectional(
        (START, 0),
        [(goal, 0), (goal, 1)],
        turns,
        turns_back,
        may_end=lambda state, steps: may_lead(state, goal, steps),
    )
    assert plan.complete
    assert len(plan.moves) <= len(choices)
    for search in (ida_star, rbfs):
        assert len(search((START, 0), turns, lambda state: turns_between(state, goal)).moves) == len(plan.moves)
    assert len(both.moves) == len(plan.moves)
    if len(plan.moves) <= 2:
        route = breadth_first((START, 0), turns, lambda state: state[0] == goal)
        assert len(route.moves) == len(plan.moves)
