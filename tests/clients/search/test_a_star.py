"""A* and the other informed searches find a shortest way, or say that there is none, and stop within their limits."""

from math import ceil, inf

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plans import GOAL, along, distances, graphs

from palio_clients.games import companion_of
from palio_clients.search.planning import a_star, ida_star, rbfs
from palio_rules.registry import game

INFORMED = (a_star, ida_star, rbfs)


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
    plan = a_star(*companion_of(name).problem(state), max_expanded=100_000)
    assert plan.complete
    assert len(plan.moves) == shortest
    for move in plan.moves:
        state.check(move)
        state = state.play(move)
    assert state.outcome().reason == "solved"


mazes = st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=6, max_size=6)


def neighbours(maze, cell):
    for move, (dr, dc) in {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}.items():
        row, col = cell[0] + dr, cell[1] + dc
        if 0 <= row < 6 and 0 <= col < 6 and not maze[row][col]:
            yield move, (row, col)


def flood(maze):
    distance, wave = {(0, 0): 0}, [(0, 0)]
    for cell in wave:
        for _, after in neighbours(maze, cell):
            if after not in distance:
                distance[after] = distance[cell] + 1
                wave.append(after)
    return distance


def to_corner(cell):
    return 10 - sum(cell)


@given(mazes)
def test_a_star_is_optimal_with_an_admissible_estimate(maze):
    plan, shortest = a_star((0, 0), lambda cell: neighbours(maze, cell), to_corner), flood(maze).get((5, 5))
    assert plan.complete is (shortest is not None)
    if plan.complete:
        assert len(plan.moves) == shortest


@given(mazes, st.floats(1, 5))
def test_a_weight_costs_at_most_its_factor(maze, weight):
    plan, shortest = a_star((0, 0), lambda cell: neighbours(maze, cell), to_corner, weight=weight), flood(maze)
    if plan.complete:
        assert len(plan.moves) <= weight * shortest[(5, 5)]


@given(mazes)
def test_without_a_way_the_plan_leads_to_the_most_promising_cell(maze):
    maze[5][5] = True
    plan = a_star((0, 0), lambda cell: neighbours(maze, cell), to_corner)
    cell = (0, 0)
    for move in plan.moves:
        cell = dict(neighbours(maze, cell))[move]
    assert not plan.complete
    assert to_corner(cell) == min(to_corner(reached) for reached in flood(maze))


def test_a_stopped_a_star_still_answers():
    plan = a_star((0, 0), lambda cell: neighbours([[False] * 6] * 6, cell), to_corner, stop=lambda: True)
    assert plan == ((), False, 0, to_corner((0, 0)))
