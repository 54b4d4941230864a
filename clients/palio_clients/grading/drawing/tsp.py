"""Hidden cases of the Travelling Salesman: routes by their lengths, and cities where the greedy route is bad."""

import random
from itertools import combinations, pairwise
from typing import Any

Distances = list[tuple[int, int, int]]

ROUTES = (5, 8, 12, 16)  # cities
EVALUATED = (5, 6, 7, 8, 10)
CLIMBED = (6, 9, 12, 15)
GREEDY = (12, 15, 18)
RESTARTED = (8, 10, 12)
FARTHEST = 100  # between two cities
ORDERED = 4  # routes of one case, the shortest one first
CLIMBS = 8  # from random routes, none of which may end above the greedy route


def draw(seed: int) -> dict[str, Any]:
    """Return `routes`, `evaluated`, `climbed`, `greedy` and `restarted`."""
    choose = random.Random(f"tsp {seed}")  # noqa: S311  # an assignment, no secret
    return {
        "routes": [choose.sample(range(cities), cities) for cities in ROUTES],
        "evaluated": [_ordered(choose, cities) for cities in EVALUATED],
        "climbed": [_cities(choose, cities) for cities in CLIMBED],
        "greedy": [_greedy(choose, cities) for cities in GREEDY],
        "restarted": [_cities(choose, cities) for cities in RESTARTED],
    }


def _cities(choose: random.Random, cities: int) -> dict[str, Any]:
    """Return cities with every distance once, in any order and direction, as in the handout."""
    edges = [choose.sample(pair, 2) for pair in combinations(range(cities), 2)]
    choose.shuffle(edges)
    return {"cities": cities, "distances": [(a, b, choose.randint(1, FARTHEST)) for a, b in edges]}


def _ordered(choose: random.Random, cities: int) -> dict[str, Any]:
    """Return cities and routes of different lengths, the shortest first."""
    case = _cities(choose, cities)
    table = _table(case["distances"])
    routes: dict[int, list[int]] = {}
    while len(routes) < ORDERED:
        route = choose.sample(range(cities), cities)
        routes[_length(table, route)] = route
    return {**case, "routes": [routes[length] for length in sorted(routes)]}


def _greedy(choose: random.Random, cities: int) -> dict[str, Any]:
    """Return cities whose greedy route, from city 0 always on to the nearest, is no shorter than any of some climbs."""
    while True:
        case = _cities(choose, cities)
        table = _table(case["distances"])
        longest = _length(table, _nearest(table, cities))
        if all(_climbed(choose, table, cities) <= longest for _ in range(CLIMBS)):
            return {**case, "longest": longest}


def _nearest(table: dict[tuple[int, int], int], cities: int) -> list[int]:
    route = [0]
    while len(route) < cities:
        route.append(min((city for city in range(cities) if city not in route), key=lambda to: table[route[-1], to]))
    return route


def _climbed(choose: random.Random, table: dict[tuple[int, int], int], cities: int) -> int:
    """Return the length at which a climb ends that exchanges two cities at a time."""
    route = choose.sample(range(cities), cities)
    length = _length(table, route)
    while True:
        best = min((_swapped(route, i, j) for i, j in combinations(range(cities), 2)), key=lambda r: _length(table, r))
        if _length(table, best) >= length:
            return length
        route, length = best, _length(table, best)


def _swapped(route: list[int], i: int, j: int) -> list[int]:
    after = route.copy()
    after[i], after[j] = after[j], after[i]
    return after


def _table(distances: Distances) -> dict[tuple[int, int], int]:
    return {edge: d for a, b, d in distances for edge in ((a, b), (b, a))}


def _length(table: dict[tuple[int, int], int], route: list[int]) -> int:
    return sum(table[edge] for edge in pairwise([*route, route[0]]))
