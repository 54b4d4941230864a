"""What our agents know of the races: estimates that never exceed the truth, and tables that tell it."""

from functools import partial
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from puzzles import graph, start, states

from palio_clients.knowledge import knowledge_of, rush_hour
from palio_clients.knowledge.tsp import TourLandscape, distances, offers
from palio_clients.search.tour_descent import Tours
from palio_clients.search.tours import near_cities
from palio_rules.games.rush_hour_board import read_board
from palio_rules.games.tsp_instance import Instance
from palio_rules.registry import game


def estimates(name, board):
    """The estimates of a game, each a function of a state."""
    position = start(name, board)
    if name == "rush_hour":
        return [
            partial(rush_hour.direct_blockers, position.garage),
            partial(rush_hour.indirect_blockers, position.garage),
        ]
    return [knowledge_of(name).problem(position).remaining]


@given(states)
def test_an_estimate_never_exceeds_the_exact_distance_and_is_zero_at_the_goals_only(found):
    name, board, state = found
    away = graph(name, board)[2].get(state, inf)
    for estimate in estimates(name, board):
        assert estimate(state) <= away
        assert (estimate(state) == 0) is (away == 0)


@given(states)
def test_no_step_lessens_an_estimate_by_more_than_one(found):
    name, board, state = found
    for estimate in estimates(name, board):
        for _, there in graph(name, board)[0][state]:
            assert estimate(there) >= estimate(state) - 1


@given(states)
def test_the_better_estimate_of_rush_hour_is_nowhere_the_lower_one(found):
    name, board, state = found
    if name == "rush_hour":
        direct, indirect = estimates(name, board)
        assert direct(state) <= indirect(state)


# The examples of CSCI 104's handout, numbered as there; the first two stand before them.
@pytest.mark.parametrize(
    ("board", "direct", "indirect"),
    [
        ("ee.c../...c../aabc../..b.../..b.../.ddd..", 2, 3),  # example 3
        (".ddee./.ffc../..bc../aabc.g/..b..g/......", 3, None),
        ("...ee./....../aabc../..bc../..d.../..d...", 2, 2),  # 1
        ("..d.../..d.../..b.../aabc../...c../...ee.", 2, 2),  # 2
        (".ddee./.ffc../..bc../aabc../..b.../....gg", 2, 5),  # 4
        (".ee.../...c../aabc../..bc../..b.../.dd...", 2, 3),  # 5
        (".ddee./...c../aabc../..b.../..ff../....gg", 2, 2),  # 6
        (".ee.gg/..bc.d/aabc.d/...c.h/..fffh/......", 3, 4),  # 7
    ],
)
def test_blockers_are_counted_as_in_the_handout(board, direct, indirect):
    garage, at = read_board(board.split("/"))
    assert rush_hour.direct_blockers(garage, at) == direct
    if indirect is not None:
        assert rush_hour.indirect_blockers(garage, at) == indirect


@pytest.mark.parametrize("board", ["aa.bb./....../....../....../....../......", "aab./..b./..b./..b."])
def test_what_can_never_get_out_of_the_way_leaves_infinitely_much_to_do(board):
    assert rush_hour.indirect_blockers(*read_board(board.split("/"))) == inf


def test_a_piece_that_is_shut_in_leaves_infinitely_much_to_do():
    position = start("chexers_solo", "r##./##.../#.#.../......./....../...../....")
    assert knowledge_of("chexers_solo").problem(position).remaining(position.cells) == inf


@given(states)
def test_the_states_of_a_problem_are_the_positions_of_the_rules(found):
    """Each move leads where the rules say, and is legal there."""
    name, board, _ = found
    position = start(name, board)
    problem = knowledge_of(name).problem(position)
    after = {move: knowledge_of(name).problem(position.play(move)).start for move in position.legal_moves()}
    assert dict(problem.successors(problem.start)) == after


@given(states)
def test_of_two_positions_the_one_with_less_to_do_looks_better(found):
    name, board, _ = found
    position, evaluate = start(name, board), knowledge_of(name).evaluate
    problem = knowledge_of(name).problem(position)
    for move, there in problem.successors(problem.start):
        assert evaluate(position.play(move), 0) == -problem.remaining(there)


def test_a_shorter_tour_looks_better_and_none_looks_worst():
    rules = game("tsp")
    state = rules.start(rules.parse_options({"cities": [[0, 0], [9, 0], [0, 9], [9, 9]]}))
    evaluate = knowledge_of("tsp").evaluate
    crossed = state.play((0, 3, 1, 2))
    assert evaluate(state, 0) < evaluate(crossed, 0) < evaluate(crossed.play((0, 1, 3, 2)), 0)


# --- travelling salesman ---------------------------------------------------------------------------------------------

points = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=5, max_size=12)


@given(points)
def test_the_table_has_the_distances_of_the_race(cities):
    instance = Instance.of_points(cities)
    table = distances(instance)
    assert all(table[a][b] == instance.distance(a, b) for a in range(len(cities)) for b in range(len(cities)))


@given(points)
def test_each_city_has_all_others_near_it_nearest_first(cities):
    table = distances(Instance.of_points(cities))
    for city, near in enumerate(near_cities(table)):
        assert sorted([city, *near]) == list(range(len(cities)))
        assert [table[city][other] for other in near] == sorted(table[city][other] for other in near)


@given(points)
def test_what_is_offered_can_be_handed_in(cities):
    rules = game("tsp")
    state = rules.start(rules.parse_options({"cities": cities}))
    for tour in offers(state):
        state.check(tour)


@given(points, st.integers(0, 100))
def test_a_change_of_a_tour_adds_what_it_says(cities, seed):
    landscape, random = TourLandscape(Tours(distances(Instance.of_points(cities)))), Random(seed)
    tour = landscape.somewhere(random)
    for added, change in [*landscape.changes(tour), landscape.change(tour, random)]:
        after = landscape.changed(tour, change)
        assert sorted(after) == sorted(tour)
        assert landscape.cost(after) == landscape.cost(tour) + added


@given(points, st.integers(0, 100))
def test_all_changes_that_gain_are_among_those_that_a_climber_looks_at(cities, seed):
    table = distances(Instance.of_points(cities))
    landscape = TourLandscape(Tours(table))
    tour = landscape.somewhere(Random(seed))
    turned = [
        (*tour[:i], *tour[i : j + 1][::-1], *tour[j + 1 :]) for i in range(1, len(tour)) for j in range(i, len(tour))
    ]
    least = min(landscape.cost(after) - landscape.cost(tour) for after in turned)
    assert min((added for added, _ in landscape.changes(tour)), default=0) == min(least, 0)
