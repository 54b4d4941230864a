"""CS2109S: a student's `hill_climbing` submits a route for each climb."""

import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from student_files import CLIMBER

from palio_clients.handouts.adapters.tsp import TspCoursework, _RecordedEvaluation
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import PlayerFailed, Resign
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
    watched = _RecordedEvaluation(lambda cities, distances, route: distances[route[0]], time.monotonic() + 3600)
    for route in ([1, 0, 2], [2, 1, 0], [0, 1, 2]):
        watched(3, [5.0, 7, 9], route)
    watched(3, ["no number"] * 3, [0, 2, 1])
    assert watched.best == [2, 1, 0]


async def test_a_transition_without_a_successor_is_what_the_climb_is_given(write, table):
    write(
        "ps2.py",
        """
        def transition(route):
            return [route[::-1]]

        def hill_climbing(cities, distances, successor, evaluation_func):
            return successor(list(range(cities)))[0]
        """,
    )
    game = table("tsp", size=4)
    assert list(await game.ask(await game.sit("handout:tsp:ps2.py:repeats=1"))) == [3, 2, 1, 0]


async def test_breakthroughs_transition_without_a_successor_is_not_taken_for_the_climbs(write, table):
    write(
        "ps2.py",
        """
        def transition(state, action):
            raise RuntimeError("of Breakthrough")

        def hill_climbing(cities, distances, successor, evaluation_func):
            return max(successor(list(range(cities))), key=lambda route: evaluation_func(cities, distances, route))
        """,
    )
    game = table("tsp", size=4)
    assert sorted(await game.ask(await game.sit("handout:tsp:ps2.py:repeats=1"))) == [0, 1, 2, 3]


OWN_WAY = """
    def evaluation_func(route, distances):
        return -len(route)

    def hill_climbing(cities, distances, transition, evaluation_func):
        route = list(range(cities))
        evaluation_func(route=route, distances=distances)
        return route
"""


async def test_an_evaluation_that_a_file_calls_in_its_own_way_is_its_own(write, table):
    write("ps2.py", OWN_WAY)
    game = table("tsp", size=4)
    assert list(await game.ask(await game.sit("handout:tsp:ps2.py:repeats=1"))) == [0, 1, 2, 3]


async def test_a_climb_that_calls_the_handouts_evaluation_in_another_way_names_its_line(write, table):
    write("ps2.py", OWN_WAY[OWN_WAY.index("    def hill") :])
    game = table("tsp", size=4)
    player = await game.sit("handout:tsp:ps2.py")
    message = r"^ps2\.py, line 3 gives other arguments than .* evaluation_func\(cities, distances, route\) takes"
    with pytest.raises(PlayerFailed, match=message):
        await game.ask(player)
