"""CS2109S: a student's `hill_climbing` submits a route for each climb."""

import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from student_files import CLIMBER

from palio_clients.handouts.adapters.tsp import TspCoursework, _Watched
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_rules import registry


async def test_a_climber_hands_in_a_route_for_each_climb_and_then_no_more(write, table):
    write("ps2.py", CLIMBER)
    game = table("tsp", size=6)
    player = await game.sit("handout:tsp:ps2.py:repeats=2")
    for _ in range(2):
        tour = await game.ask(player)
        game.moves.append(tour)
        assert sorted(tour) == list(range(6))
    with pytest.raises(Resign):
        await game.ask(player)


ENDLESS_CLIMBER = """
    import itertools

    def transition(route):
        return []

    def evaluation_func(cities, distances, route):
        return 0

    def hill_climbing(cities, distances, transition, evaluation_func):
        for route in itertools.cycle(itertools.permutations(range(cities))):
            try:
                evaluation_func(cities, distances, list(route))
            except Exception:
                pass
"""


def test_of_a_climb_that_the_deadline_would_cut_off_the_best_route_so_far_is_submitted():
    rules, bot = registry.game("tsp"), TspCoursework()
    bot.path, bot.module = Path("ps2.py"), SimpleNamespace()
    exec(textwrap.dedent(ENDLESS_CLIMBER), vars(bot.module))
    options = rules.parse_options({"size": 5})
    bot.prepare(rules, options, 0)
    state = rules.start(options)
    at_the_last_call = Clock(deadline=time.monotonic())
    assert bot.choose(state, at_the_last_call) == [0, 1, 2, 3, 4]  # the first one that it asks about
    with pytest.raises(Resign):
        bot.choose(state, at_the_last_call)


def test_the_route_that_is_submitted_is_the_best_that_was_asked_about():
    watched = _Watched(lambda cities, distances, route: distances[route[0]], time.monotonic() + 3600)
    for route in ([1, 0, 2], [2, 1, 0], [0, 1, 2]):
        watched(3, [5.0, 7, 9], route)
    watched(3, ["no number"] * 3, [0, 2, 1])
    assert watched.best == [2, 1, 0]
