"""CS2109S's local search: the handout's asserts, and what a climb promises."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

FOUR = [(1, 0, 10), (0, 3, 22), (2, 1, 8), (2, 3, 30), (1, 3, 25), (0, 2, 15)]
TEN = [
    *[(2, 7, 60), (1, 6, 20), (5, 4, 70), (9, 8, 90), (3, 7, 54), (2, 5, 61), (4, 1, 106), (0, 6, 51), (3, 1, 45)],
    *[(0, 5, 86), (9, 2, 73), (8, 4, 14), (0, 1, 51), (9, 7, 22), (3, 2, 22), (8, 1, 120), (5, 7, 92), (5, 6, 60)],
    *[(6, 2, 10), (8, 3, 78), (9, 6, 82), (0, 2, 41), (2, 8, 99), (7, 8, 71), (0, 9, 32), (4, 0, 73), (0, 3, 42)],
    *[(9, 1, 80), (4, 2, 85), (5, 9, 113), (3, 6, 28), (5, 8, 81), (3, 9, 72), (9, 4, 81), (5, 3, 45), (7, 4, 60)],
    *[(6, 8, 106), (0, 8, 85), (4, 6, 92), (7, 6, 70), (7, 0, 22), (7, 1, 73), (4, 3, 64), (5, 1, 80), (2, 1, 22)],
]


@pytest.fixture(scope="module")
def course(handout):
    return handout("tsp_and_breakthrough", "breakthrough", "ps2").ps2


@pytest.mark.parametrize("route", [[1, 3, 2, 0], [7, 8, 6, 3, 5, 4, 9, 2, 0, 1], [0, 1, 2, 3, 4], [2, 0, 1], [1, 0]])
def test_neighbours_are_routes_over_the_same_cities(course, route):
    before = list(route)
    found = course.transition(route)
    assert any(found)
    assert all(sorted(neighbour) == sorted(route) for neighbour in found)
    assert route == before


def test_five_cities_have_fewer_than_24_neighbours(course):
    assert len(course.transition([0, 1, 2, 3, 4])) < 24


def test_a_shorter_round_trip_has_the_higher_score(course):
    scores = [course.evaluation_func(4, FOUR, route) for route in ([0, 1, 2, 3], [2, 1, 3, 0], [1, 3, 2, 0])]
    assert scores[0] == scores[1]
    assert scores[0] > scores[2]


def test_one_city_alone_is_a_round_trip_without_a_way(course):
    assert course.evaluation_func(1, [], [0]) == 0
    assert course.hill_climbing(1, [], course.transition, course.evaluation_func) == [0]


def test_the_handouts_first_graph_is_solved(course):
    graph = [(0, 1, 1), (1, 2, 2), (2, 3, 2), (0, 3, 3), (1, 3, 3), (0, 2, 3)]
    route = course.hill_climbing(4, graph, course.transition, course.evaluation_func)
    assert course.evaluation_func(4, graph, route) == -8


@given(st.permutations(range(6)), st.lists(st.floats(0, 1e6), min_size=15, max_size=15), st.integers(0, 5))
def test_equal_round_trips_have_equal_scores(course, route, lengths, shift):
    pairs = [(a, b) for a in range(6) for b in range(a)]
    distances = [(a, b, d) for (a, b), d in zip(pairs, lengths, strict=True)]
    score = course.evaluation_func(6, distances, route)
    assert course.evaluation_func(6, distances, route[shift:] + route[:shift]) == score
    assert course.evaluation_func(6, distances, route[::-1]) == score


def test_distances_may_change_between_two_evaluations(course):
    distances = [list(distance) for distance in FOUR]
    before = course.evaluation_func(4, distances, [0, 1, 2, 3])
    distances[0][2] += 5
    assert course.evaluation_func(4, distances, [0, 1, 2, 3]) == before - 5
    distances[0] = (1, 0, 10)
    assert course.evaluation_func(4, distances, [0, 1, 2, 3]) == before


def test_a_missing_distance_is_named(course):
    with pytest.raises(ValueError, match="no distance is given between cities 3 and 0"):
        course.evaluation_func(4, [FOUR[0], *FOUR[2:]], [0, 1, 2, 3])


@pytest.mark.parametrize(("cities", "distances"), [(4, FOUR), (10, TEN)])
def test_a_climb_ends_where_no_neighbour_is_better(course, cities, distances):
    for _ in range(5):
        route = course.hill_climbing(cities, distances, course.transition, course.evaluation_func)
        assert sorted(route) == list(range(cities))
        score = course.evaluation_func(cities, distances, route)
        assert all(course.evaluation_func(cities, distances, near) <= score for near in course.transition(route))


def test_a_climb_uses_the_functions_it_is_given(course):
    """Coursemology brings its own: here neighbours are rotations, and city 3 is wanted in front."""

    def rotations(route):
        return [route[i:] + route[:i] for i in range(len(route))]

    for neighbours in (rotations, lambda route: iter(rotations(route))):
        route = course.hill_climbing(5, [], neighbours, lambda cities, distances, route: float(-route.index(3)))
        assert route[0] == 3


@pytest.mark.parametrize("repeats", [1, 3, 10])
def test_restarts_climb_exactly_so_often_and_keep_the_best(course, repeats):
    found = [list(route) for route in permutations(range(4))][:repeats]
    climbs = []

    def climb(cities, distances, transition, evaluation_func):
        climbs.append(found[len(climbs)])
        return climbs[-1]

    route = course.hill_climbing_with_random_restarts(
        4, FOUR, course.transition, course.evaluation_func, climb, repeats
    )
    assert len(climbs) == repeats
    assert course.evaluation_func(4, FOUR, route) == max(course.evaluation_func(4, FOUR, each) for each in found)


@pytest.mark.parametrize(("cities", "distances"), [(4, FOUR), (10, TEN)])
def test_restarts_find_routes_over_all_cities(course, cities, distances):
    functions = course.transition, course.evaluation_func, course.hill_climbing
    route = course.hill_climbing_with_random_restarts(cities, distances, *functions)
    assert sorted(route) == list(range(cities))


def test_no_restart_at_all_finds_nothing(course):
    with pytest.raises(ValueError, match="at least once, got repeats=0"):
        course.hill_climbing_with_random_restarts(
            4, FOUR, course.transition, course.evaluation_func, course.hill_climbing, 0
        )


@pytest.mark.slow
def test_a_climb_beats_the_greedy_route_on_a_large_instance(course):
    """Points on a grid, shuffled by a multiplication: the nearest neighbour leaves long edges for the end."""
    count = 40
    points = [((i * 37) % 101, (i * 61) % 97) for i in range(count)]
    distances = [
        (a, b, ((points[a][0] - points[b][0]) ** 2 + (points[a][1] - points[b][1]) ** 2) ** 0.5)
        for a in range(count)
        for b in range(a)
    ]
    table = {(a, b): d for x, y, d in distances for a, b in ((x, y), (y, x))}
    greedy, left = [0], set(range(1, count))
    while left:
        nearest = min(left, key=lambda city: table[greedy[-1], city])
        left.remove(nearest)
        greedy.append(nearest)
    functions = course.transition, course.evaluation_func, course.hill_climbing
    route = course.hill_climbing_with_random_restarts(count, distances, *functions, 4)
    assert course.evaluation_func(count, distances, route) > course.evaluation_func(count, distances, greedy)
