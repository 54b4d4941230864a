"""Bidirectional search finds what all searches find."""

from itertools import pairwise

from end_of_track_positions import COURSE_START
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import GOAL, along, distances, graphs, problem_at
from puzzles import graph, states

from palio_clients.games.end_of_the_track.evaluation import may_lead, turns_between
from palio_clients.search.planning import a_star, bidirectional, breadth_first, ida_star, rbfs
from palio_rules.boards.end_of_track import SIDE
from palio_rules.games.end_of_track import Position


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


@settings(max_examples=2 * settings().max_examples // 3)
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


@given(st.dictionaries(st.integers(0, 11), st.sets(st.integers(0, 11), max_size=3), max_size=12))
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


def turns(state):
    pieces, seat = state
    first = SIDE * seat
    for piece, to in Position(pieces, seat).legal_moves():
        at = first + piece
        yield (piece, to), ((*pieces[:at], to, *pieces[at + 1 :]), 1 - seat)


def turns_back(state):
    pieces, seat = state
    return [(move, (before, 1 - seat)) for move, (before, _) in turns((pieces, 1 - seat))]


@settings(max_examples=settings().max_examples // 4)
@given(st.lists(st.integers(0, 1000), min_size=0, max_size=4))
def test_all_searches_agree_in_end_of_the_track(choices):
    start = state = (COURSE_START, 0)
    for choice in choices:
        moves = list(turns(state))
        state = moves[choice % len(moves)][1]
    goal = state[0]
    plan = a_star(start, turns, lambda state: turns_between(state, goal))
    both = bidirectional(
        start, [(goal, 0), (goal, 1)], turns, turns_back, may_end=lambda state, steps: may_lead(state, goal, steps)
    )
    assert plan.complete
    assert len(plan.moves) <= len(choices)
    for search in (ida_star, rbfs):
        assert len(search(start, turns, lambda state: turns_between(state, goal)).moves) == len(plan.moves)
    assert len(both.moves) == len(plan.moves)
    if len(plan.moves) <= 2:
        route = breadth_first(start, turns, lambda state: state[0] == goal)
        assert len(route.moves) == len(plan.moves)
