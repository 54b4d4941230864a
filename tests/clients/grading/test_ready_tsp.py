"""The ready assignment on the Travelling Salesman: right files get all points, wrong ones lose what they break."""

import pytest
from ready_grading import changed, graded, promised

from palio_clients.handouts.courses import COURSES

FILE = "ps2.py"
RIGHT = """
    import random
    from typing import Callable, List, Tuple

    def transition(route: List[int]) -> List[List[int]]:
        new_routes = []
        for i in range(len(route)):
            for j in range(i + 1, len(route)):
                new_route = route.copy()
                new_route[i], new_route[j] = new_route[j], new_route[i]
                new_routes.append(new_route)
        return new_routes

    def evaluation_func(cities: int, distances: List[Tuple[int]], route: List[int]) -> float:
        d, table = 0, {}
        for a, b, edge in distances:
            table[a, b] = table[b, a] = edge
        for i in range(cities):
            d += table.get((route[i], route[(i + 1) % cities]), 0)
        return (cities * (cities - 1) / 2) / d

    def hill_climbing(cities, distances, transition: Callable, evaluation_func: Callable):
        current = random.sample(range(cities), cities)
        while True:
            unchanged = True
            score = evaluation_func(cities, distances, current)
            for neighbour in transition(current):
                neighbour_score = evaluation_func(cities, distances, neighbour)
                if neighbour_score > score:
                    unchanged = False
                    current, score = neighbour, neighbour_score
            if unchanged:
                return current

    def hill_climbing_with_random_restarts(cities, distances, transition, evaluation_func, hill_climbing, repeats=10):
        route = random.sample(range(cities), cities)
        score = evaluation_func(cities, distances, route)
        for _ in range(repeats - 1):
            new_route = hill_climbing(cities, distances, transition, evaluation_func)
            new_score = evaluation_func(cities, distances, new_route)
            if new_score > score:
                route, score = new_route, new_score
        return route
"""
VARIANTS = {
    "as it is": [],
    "numpy's integers": [("return current\n", "return list(__import__('numpy').array(current))\n")],
    "a generator of routes": [("new_routes.append(new_route)", "yield new_route"), ("return new_routes", "return")],
    "the length negated": [("return (cities * (cities - 1) / 2) / d", "return -d")],
    "as in 2025/26": [
        ("def transition(", "def successor("),
        (
            "hill_climbing(cities, distances, transition: Callable,",
            "hill_climbing(cities, distances, successor: Callable,",
        ),
        ("in transition(current)", "in successor(current)"),
        (
            "distances, transition, evaluation_func, hill_climbing, repeats=10)",
            "distances, successor, evaluation_func, hill_climbing, repeats=10)",
        ),
        (
            "hill_climbing(cities, distances, transition, evaluation_func)\n",
            "hill_climbing(cities, distances, successor, evaluation_func)\n",
        ),
    ],
    "as in 2023/24": [
        (
            "hill_climbing(cities, distances, transition: Callable, evaluation_func: Callable)",
            "hill_climbing(cities, distances)",
        ),
        ("distances, transition, evaluation_func, hill_climbing, repeats=10)", "distances, repeats=10)"),
        ("hill_climbing(cities, distances, transition, evaluation_func)\n", "hill_climbing(cities, distances)\n"),
    ],
}
TRANSITION = {"test_examples::test_transition", "test_hidden::test_transition"}
CLIMB = {"test_hidden::test_hill_climbing_ends_on_a_hill"}
GREEDY = {"test_hidden::test_hill_climbing_beats_the_greedy_route"}
BEST = {"test_hidden::test_random_restarts_return_the_best_climb"}
EVALUATION = {"test_examples::test_evaluation_func_of_a_better_route", "test_hidden::test_evaluation_func"}
WRONG = {
    "no routes": ([("return new_routes", "return []")], TRANSITION | GREEDY),
    "the given route changes": (
        [("new_route = route.copy()", "new_route = route")],
        {"test_hidden::test_transition"} | GREEDY,
    ),
    "a city twice": (
        [("new_route[i], new_route[j] = new_route[j], new_route[i]", "new_route[i] = new_route[j]")],
        TRANSITION | GREEDY | {"test_examples::test_hill_climbing"},
    ),
    "all routes": (
        [
            (
                "new_routes = []",
                (
                    "from itertools import permutations as all_of\n"
                    "        return list(map(list, all_of(route))) if len(route) < 8 else [route[1:] + route[:1]]"
                ),
            )
        ],
        {"test_examples::test_transition_does_not_enumerate_all_routes"} | GREEDY,
    ),
    "longer is better": ([("return (cities * (cities - 1) / 2) / d", "return d")], EVALUATION | GREEDY),
    "not back to the first city": (
        [("for i in range(cities):", "for i in range(cities - 1):")],
        {"test_hidden::test_evaluation_func", "test_examples::test_evaluation_func_of_equal_routes"},
    ),
    "a direction of each road only": (
        [("table[a, b] = table[b, a] = edge", "table[a, b] = edge"), ("/ d\n", "/ (d or 1)\n")],
        {*EVALUATION, "test_examples::test_evaluation_func_of_equal_routes"} | GREEDY,
    ),
    "one step": ([("if unchanged:", "if True:")], CLIMB | GREEDY),
    "down the hill": ([("if neighbour_score > score:", "if neighbour_score < score:")], CLIMB | GREEDY),
    "no climb": ([("while True:", "return current\n        while True:")], CLIMB | GREEDY),
    "a route without its last city": (
        [("                return current", "                return current[:-1]")],
        CLIMB | GREEDY | {"test_examples::test_hill_climbing"},
    ),
    "the last climb": ([("if new_score > score:", "if True:")], BEST),
    "the worst climb": ([("if new_score > score:", "if new_score < score:")], BEST),
    "a single climb": ([("for _ in range(repeats - 1):", "for _ in range(1):")], BEST),
    "only good for positive scores": (
        [("score = evaluation_func(cities, distances, route)\n        for", "score = 0\n        for")],
        BEST,
    ),
}


@pytest.mark.parametrize("name", ["ours", *VARIANTS])
def test_right_files_get_all_points(right, name):
    assert (right[name].points, right[name].extra) == promised("tsp") == (100, 0), right[name].said


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_lose_what_they_break(wrong, name):
    assert wrong[name].lost == WRONG[name][1], wrong[name].said


@pytest.fixture(scope="module")
def right():
    files = {name: {FILE: changed(RIGHT, *changes)} for name, changes in VARIANTS.items()}
    return graded("tsp", {"ours": COURSES["tsp"].path, **files})


@pytest.fixture(scope="module")
def wrong():
    return graded("tsp", {name: {FILE: changed(RIGHT, *changes)} for name, (changes, _) in WRONG.items()})
