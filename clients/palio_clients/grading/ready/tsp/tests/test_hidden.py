"""Cities that were drawn for this term: routes in order, climbs to their ends, and a greedy route to be beaten."""

import itertools
import json
import random
from math import isclose
from pathlib import Path

import pytest
from grading_provided import length
from grading_routes import Course, is_route, plain, provided_climb

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
REPEATS = 6
CLIMBS = 5  # at most, until one is not longer than the greedy route: a climb may be unlucky


def each(kind):
    return pytest.mark.parametrize("case", CASES[kind], ids=range(len(CASES[kind])))


@pytest.fixture
def course(student):
    return Course(student)


@pytest.mark.points(3, seconds=20)
@each("routes")
def test_transition(course, case):
    route = course.student.keep(case)
    found = list(map(plain, course.transition(route)))
    assert all(is_route(new_route, len(case)) for new_route in found), "a new route is no order of all cities"
    assert any(new_route != case for new_route in found), "no new route differs from the given one"
    assert len(found) <= len(case) ** 3, "too many routes are no neighbours"
    assert course.student.value(route) == case, "the transition function changes the given route"


@pytest.mark.points(3, seconds=20)
@each("evaluated")
def test_evaluation_func(course, case):
    distances = [tuple(edge) for edge in case["distances"]]
    scores = [course.ps2.evaluation_func(case["cities"], distances, list(route)) for route in case["routes"]]
    assert all(better > worse for better, worse in itertools.pairwise(scores)), "a shorter route scores more"
    best = case["routes"][0]
    for same in (best[1:] + best[:1], best[::-1]):
        score = course.ps2.evaluation_func(case["cities"], distances, same)
        assert isclose(score, scores[0], rel_tol=1e-9), "the same round trip has the same score"


@pytest.mark.points(4, seconds=60)
@each("climbed")
def test_hill_climbing_ends_on_a_hill(course, case):
    route = course.climb(case)
    assert is_route(route, case["cities"])
    distances = case["distances"]
    shortest = min(length(distances, near) for near in course.neighbours(route))
    assert length(distances, route) <= shortest, "a neighbour of the route is shorter"


@pytest.mark.points(4, seconds=120)
@each("greedy")
def test_hill_climbing_beats_the_greedy_route(course, case):
    lengths = []
    for _ in range(CLIMBS):
        route = course.climb(case, own=True)
        assert is_route(route, case["cities"])
        lengths.append(length(case["distances"], route))
        if lengths[-1] <= case["longest"]:
            break
    assert min(lengths) <= case["longest"], "every route is longer than the greedy one"


@pytest.mark.points(5, seconds=60)
@each("restarted")
def test_random_restarts_return_the_best_climb(course, case):
    cities, choose = case["cities"], random.Random(case["cities"])
    best = provided_climb(case, range(cities))
    others = [choose.sample(range(cities), cities) for _ in range(REPEATS - 1)]
    climbs = [*others[:2], best, *others[2:]]
    route = course.restarts(case, lambda call: climbs[call % REPEATS], REPEATS)
    assert course.calls in (REPEATS - 1, REPEATS, REPEATS + 1), "the climbs are not as many as asked for"
    assert is_route(route, cities)
    assert length(case["distances"], route) <= length(case["distances"], best), "a climb has found a shorter route"
