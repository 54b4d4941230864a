"""Calls of a student's `ps2.py`, by the signatures of any term of CS2109S, with the functions that the course provides.

2025/26 calls `transition(route)` `successor`; in 2023/24 a climb uses the file's own functions.
"""

import importlib
from itertools import combinations, pairwise

from palio_clients.handouts.adapters.tsp import FORMS
from palio_clients.handouts.signatures import form_of

FILE = "ps2.py"
RESTARTS = [
    form._replace(names=(*form.names, *(("hill_climbing",) if len(form.names) > 2 else ()), "repeats"))
    for form in FORMS
]


def length(distances, route):
    """The length of the round trip."""
    table = {edge: d for a, b, d in distances for edge in ((a, b), (b, a))}
    return sum(table[edge] for edge in pairwise([*route, route[0]]))


def provided_transition(route):
    """Every route of which one part is reversed."""
    return [route[:i] + route[i:j][::-1] + route[j:] for i, j in combinations(range(len(route) + 1), 2) if j - i >= 2]


def provided_evaluation(cities, distances, route):
    return -float(length(distances, route))


def provided_climb(case, start):
    """A route that no provided neighbour of it improves."""
    route = list(start)
    while True:
        best = min(provided_transition(route), key=lambda near: length(case["distances"], near))
        if length(case["distances"], best) >= length(case["distances"], route):
            return route
        route = best


class Course:
    """A student's file."""

    def __init__(self):
        self.ps2 = importlib.import_module("ps2")
        self.transition = getattr(self.ps2, "successor", None) or self.ps2.transition
        self.calls = 0

    def climb(self, case, *, own=False):
        """Return the route of `hill_climbing`; `own`: with the student's own functions instead of the provided ones."""
        form = form_of(self.ps2.hill_climbing, FORMS, FILE)
        values = self.values(case, own=own)
        return plain(self.ps2.hill_climbing(*(values[name] for name in form.names)))

    def restarts(self, case, climb, repeats):
        """Return the route of the restarts; `climb(number)` replaces the climbs, which are counted."""

        def counted(*_arguments, **_named):
            self.calls += 1
            return list(climb(self.calls - 1))

        function = self.ps2.hill_climbing_with_random_restarts
        form = form_of(function, RESTARTS, FILE)
        values = {**self.values(case, own=False), "hill_climbing": counted, "repeats": repeats}
        usual, self.ps2.hill_climbing = self.ps2.hill_climbing, counted
        try:
            return plain(function(*(values[name] for name in form.names)))
        finally:
            self.ps2.hill_climbing = usual

    def neighbours(self, route):
        """The routes that a climb looks at: the provided ones, or in 2023/24 the file's own."""
        names = form_of(self.ps2.hill_climbing, FORMS, FILE).names
        provided = "transition" in names or "successor" in names
        return [plain(near) for near in (provided_transition if provided else self.transition)(list(route))]

    def values(self, case, *, own):
        transition = self.transition if own else provided_transition
        return {
            "cities": case["cities"],
            "distances": [tuple(each) for each in case["distances"]],
            "transition": transition,
            "successor": transition,
            "evaluation_func": self.ps2.evaluation_func if own else provided_evaluation,
        }


def plain(route):
    return [int(city) for city in route]


def is_route(route, cities):
    return sorted(route) == list(range(cities))
