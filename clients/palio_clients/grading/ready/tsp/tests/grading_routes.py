"""Calls of a student's `ps2.py`, by the signatures of any term of CS2109S, with the functions that the course provides.

2025/26 calls `transition(route)` `successor`; in 2023/24 a climb uses the file's own functions.
"""

import grading_provided as provided


def provided_climb(case, start):
    """A route that no provided neighbour of it improves."""
    route = list(start)
    while True:
        best = min(provided.transition(route), key=lambda near: provided.length(case["distances"], near))
        if provided.length(case["distances"], best) >= provided.length(case["distances"], route):
            return route
        route = best


class Course:
    """A student's file."""

    def __init__(self, student):
        self.student, self.ps2, self.provided = student, student.module("ps2"), student.define(provided)
        self.transition = getattr(self.ps2, "successor", None) or self.ps2.transition
        self.calls = 0

    def climb(self, case, *, own=False):
        """Return the route of `hill_climbing`; `own`: with the student's own functions instead of the provided ones."""
        function, values = self.ps2.hill_climbing, self.values(case, own=own)
        return plain(function(*(values[name] for name in self.provided.arguments(function, restarts=False))))

    def restarts(self, case, climb, repeats):
        """Return the route of the restarts; `climb(number)` replaces the climbs, which are counted."""

        def counted(*_arguments, **_named):
            self.calls += 1
            return list(climb(self.calls - 1))

        function = self.ps2.hill_climbing_with_random_restarts
        names = self.provided.arguments(function, restarts=True)
        values = {**self.values(case, own=False), "hill_climbing": counted, "repeats": repeats}
        usual, self.ps2.hill_climbing = self.ps2.hill_climbing, counted
        try:
            return plain(function(*(values[name] for name in names)))
        finally:
            self.ps2.hill_climbing = usual

    def neighbours(self, route):
        """The routes that a climb looks at: the provided ones, or in 2023/24 the file's own."""
        names = self.provided.arguments(self.ps2.hill_climbing, restarts=False)
        is_provided = "transition" in names or "successor" in names
        return [plain(near) for near in (provided.transition if is_provided else self.transition)(list(route))]

    def values(self, case, *, own):
        transition = self.transition if own else self.provided.transition
        return {
            "cities": case["cities"],
            "distances": [tuple(each) for each in case["distances"]],
            "transition": transition,
            "successor": transition,
            "evaluation_func": self.ps2.evaluation_func if own else self.provided.evaluation,
        }


def plain(route):
    return [int(city) for city in route]


def is_route(route, cities):
    return sorted(route) == list(range(cities))
