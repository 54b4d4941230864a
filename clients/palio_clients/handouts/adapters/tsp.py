"""CS2109S: a file plays by its `hill_climbing` of problem set 2, called repeatedly; the best route counts.

A climb that still runs when time is nearly up is ended from inside the evaluation, and the best of its evaluated routes
is submitted: with many cities the first climb of a simple one takes longer than most races.
"""

import importlib
import inspect
import sys
import time
from collections.abc import Iterable
from math import inf
from typing import Any

from palio_clients.handouts.coursework import Coursework, Unfit
from palio_clients.handouts.signatures import Form, call, call_misfit, form_of, told
from palio_clients.handouts.text import Text
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_rules.game import Game, Options
from palio_rules.games.tsp import Position

LAST_CALL_S = 0.25  # before time is up: for the network, and for a climb's work between two evaluations
HANDOUT = "palio_clients.handouts.tsp_and_breakthrough.ps2"  # ours, even if the file itself is called ps2

FORMS = (
    Form("CS2109S 2024/25", ("cities", "distances", "transition", "evaluation_func")),
    Form("CS2109S 2025/26", ("cities", "distances", "successor", "evaluation_func")),
    Form("CS2109S 2023/24", ("cities", "distances")),
)
EVALUATION = Form("", ("cities", "distances", "route")).of("evaluation_func")


class _TimeUp(BaseException):
    """The signal that time is up. Not an Exception, so that a file that catches those does not catch it."""


class _RecordedEvaluation:
    """A file's `evaluation_func`, with the best route that was evaluated in time."""

    def __init__(self, evaluation_func: Any, last_call: float) -> None:
        self._evaluation_func, self._last_call = evaluation_func, last_call
        self._best_score = -inf
        self.best: list[object] | None = None

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Evaluate, called as the file itself calls it; the route is the last argument, or given by name."""
        if self.best is not None and time.monotonic() >= self._last_call:
            raise _TimeUp
        try:
            score = self._evaluation_func(*given, **named)
        except TypeError as error:
            if (wrong := call_misfit(error, EVALUATION)) is not None:
                raise wrong from None
            raise
        route = named.get("route", given[-1] if given else None)
        better = isinstance(score, int | float) and (self.best is None or score > self._best_score)
        if better and isinstance(route, Iterable):
            self._best_score, self.best = score, list(route)
        return score


class TspCoursework(Coursework):
    """The adapter for TSP.

    Climbs `repeats` times, each from a random route, and then resigns; 0 climbs until time is up.

    `transition` and `evaluation_func` are the file's own, or else the handout's; 2025/26 calls the former `successor`.
    If a climb is stopped when time is nearly up, its result is the best route that its `evaluation_func` has evaluated.
    """

    games = ("tsp",)

    def __init__(self, repeats: int = 10) -> None:
        if repeats < 0:
            raise ValueError(f"repeats cannot be negative, got {repeats}")
        self.repeats = repeats
        self._climbs = 0
        self._distances: list[tuple[int, int, float]] = []

    def read(self, text: Text) -> str:
        if fault := text.fault("hill_climbing", *FORMS):
            raise Unfit(fault)
        form = text.form("hill_climbing", FORMS)
        return told(text.file, "hill_climbing", form) if form else ""

    def prepare(self, game: Game[Any, Any], options: Options, seat: int) -> None:
        self._climb = self.named("hill_climbing", FORMS[0].of("hill_climbing"))
        self._form = form_of(self._climb, FORMS, self.file)
        print(told(self.file, "hill_climbing", self._form), file=sys.stderr)  # noqa: T201
        self._evaluation_func = self.given("evaluation_func", HANDOUT)

    def choose(self, state: Position, clock: Clock) -> object:
        last_call = clock.deadline - LAST_CALL_S
        if (self.repeats and self._climbs == self.repeats) or (self._climbs and time.monotonic() >= last_call):
            raise Resign  # an anytime race closes, and the best tour counts
        self._climbs += 1
        cities, instance = state.instance.size, state.instance
        if not self._distances:
            self._distances = [(a, b, instance.distance(a, b)) for a in range(cities) for b in range(a + 1, cities)]
        watched = _RecordedEvaluation(self._evaluation_func, last_call)
        if "evaluation_func" not in self._form.names and self.has("evaluation_func"):
            self.module.evaluation_func = watched  # type: ignore[attr-defined]  # it is what the climb asks itself
        neighbours = self._neighbours()
        values = {"cities": cities, "distances": self._distances, "evaluation_func": watched}
        values |= {"transition": neighbours, "successor": neighbours}
        try:
            return call(self._climb, self._form, values, self.file)
        except _TimeUp:
            return watched.best

    def _neighbours(self) -> Any:
        """Return the file's `successor`, or its `transition` unless that is Breakthrough's."""
        if self.has("successor"):
            return self.module.successor
        if self.has("transition"):
            try:
                inspect.signature(self.module.transition).bind("route")
            except TypeError:
                return importlib.import_module(HANDOUT).transition
        return self.given("transition", HANDOUT)
