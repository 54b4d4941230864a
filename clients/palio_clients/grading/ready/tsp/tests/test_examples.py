"""The tests of the handout, for tasks 1.3 to 1.7."""

import random

import pytest
from grading_routes import Course, is_route, plain, provided_climb

FOUR = {"cities": 4, "distances": [(1, 0, 10), (0, 3, 22), (2, 1, 8), (2, 3, 30), (1, 3, 25), (0, 2, 15)]}
TEN = {
    "cities": 10,
    "distances": [
        (2, 7, 60), (1, 6, 20), (5, 4, 70), (9, 8, 90), (3, 7, 54), (2, 5, 61), (4, 1, 106), (0, 6, 51), (3, 1, 45),
        (0, 5, 86), (9, 2, 73), (8, 4, 14), (0, 1, 51), (9, 7, 22), (3, 2, 22), (8, 1, 120), (5, 7, 92), (5, 6, 60),
        (6, 2, 10), (8, 3, 78), (9, 6, 82), (0, 2, 41), (2, 8, 99), (7, 8, 71), (0, 9, 32), (4, 0, 73), (0, 3, 42),
        (9, 1, 80), (4, 2, 85), (5, 9, 113), (3, 6, 28), (5, 8, 81), (3, 9, 72), (9, 4, 81), (5, 3, 45), (7, 4, 60),
        (6, 8, 106), (0, 8, 85), (4, 6, 92), (7, 6, 70), (7, 0, 22), (7, 1, 73), (4, 3, 64), (5, 1, 80), (2, 1, 22),
    ],
}  # fmt: skip
BOTH = pytest.mark.parametrize("case", [FOUR, TEN], ids=["4-cities", "10-cities"])


@pytest.fixture
def course(student):
    return Course(student)


@pytest.mark.points(3, seconds=20)
@pytest.mark.parametrize("route", [[1, 3, 2, 0], [7, 8, 6, 3, 5, 4, 9, 2, 0, 1]], ids=["4-cities", "10-cities"])
def test_transition(course, route):
    found = course.transition(list(route))
    assert found is not None, "the transition function returns None"
    found = list(map(plain, found))
    assert found, "the transition function returns no routes"
    assert all(is_route(new_route, len(route)) for new_route in found), "a new route is no order of all cities"


@pytest.mark.points(4, seconds=20)
def test_transition_does_not_enumerate_all_routes(course):
    assert len(list(course.transition([0, 1, 2, 3, 4]))) < 24


@pytest.mark.points(4, seconds=20)
def test_evaluation_func_of_equal_routes(course):
    route_1 = course.ps2.evaluation_func(4, FOUR["distances"], [0, 1, 2, 3])
    route_2 = course.ps2.evaluation_func(4, FOUR["distances"], [2, 1, 3, 0])
    assert route_1 == pytest.approx(route_2)


@pytest.mark.points(4, seconds=20)
def test_evaluation_func_of_a_better_route(course):
    route_1 = course.ps2.evaluation_func(4, FOUR["distances"], [0, 1, 2, 3])
    route_3 = course.ps2.evaluation_func(4, FOUR["distances"], [1, 3, 2, 0])
    assert route_1 > route_3


@pytest.mark.points(3, seconds=20)
@BOTH
def test_hill_climbing(course, case):
    route = course.climb(case, own=True)
    assert is_route(route, case["cities"])


@pytest.mark.points(3, seconds=40)
@BOTH
def test_random_restarts(course, case):
    cities = case["cities"]
    route = course.restarts(case, lambda _call: provided_climb(case, random.sample(range(cities), cities)), 10)
    assert is_route(route, cities)
