"""The bots of tours: ever better ones, and the same again under a seed."""

from itertools import count, pairwise
from types import SimpleNamespace

import pytest
from race_bots import CLIMBERS, race, seated

from palio_clients.agents.tours import HillClimbingBot, OrOptBot, tours_of
from palio_clients.kernels import MISSING
from palio_clients.search.tours import Steps
from palio_rules.registry import game


@pytest.fixture
def unhurried(monkeypatch):
    """No pause between two answers: each improvement is one."""
    monkeypatch.setattr("palio_clients.sdk.anytime.PAUSE_S", 0)


@pytest.fixture
def counted(monkeypatch):
    """A millisecond passes whenever somebody looks at the time, however busy the machine is."""
    looks = count()
    monkeypatch.setattr("palio_clients.sdk.anytime.time", SimpleNamespace(monotonic=lambda: next(looks) / 1000))


@pytest.mark.parametrize(("climber", "size"), [(HillClimbingBot, 30), (OrOptBot, 400)])
def test_every_tour_handed_in_is_better_than_the_one_before(climber, size, unhurried, counted):
    lengths = race(climber(seconds=0.3, seed=1), size, answers=30)
    assert len(lengths) > 2
    assert all(later < sooner for sooner, later in pairwise(lengths))


def test_the_same_seed_climbs_to_the_same_tours(unhurried):
    first, second = (race(HillClimbingBot(seconds=60, seed=5), 40, answers=8) for _ in range(2))
    assert first == second


def test_the_same_seed_and_kicks_find_the_same_tours_and_the_first_that_are_in_vain_are_the_last():
    first, second = (race(OrOptBot(kicks=20, seed=5), 300) for _ in range(2))
    assert first == second
    assert len(first) > 1


def test_kicks_below_nothing_are_refused():
    with pytest.raises(ValueError, match="kicks cannot be negative, got kicks=-1"):
        OrOptBot(kicks=-1)


@pytest.mark.parametrize("climber", CLIMBERS)
def test_both_find_the_best_tour_of_a_few_cities_and_then_resign(climber, unhurried, counted):
    a, b = race(climber(seconds=0.2, seed=1), 7), race(climber(seconds=0.2, seed=2), 7)
    assert a[-1] == b[-1]


@pytest.mark.parametrize("climber", CLIMBERS)
@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_smallest_instances_are_no_trouble(climber, size, unhurried, counted):
    assert race(climber(seconds=0.1, seed=1), size)


@pytest.mark.slow
def test_or_opt_is_ahead_of_climbing_on_a_hundred_cities(counted):
    bots = [climber(seconds=0.5, seed=1) for climber in CLIMBERS]
    climbed, linked = (race(bot, 100, answers=4)[-1] for bot in bots)
    assert linked < climbed


@pytest.mark.parametrize("climber", CLIMBERS)
def test_a_bot_that_comes_back_after_a_crash_goes_on_from_its_best_tour(climber):
    rules = game("tsp")
    options = rules.parse_options({"size": 30})
    state = rules.start(options, 1)
    best = OrOptBot(seed=1).search(tuple(range(30)), tours_of(state.instance), Steps(2000)).state
    back = seated(climber(seed=9), "tsp", options).improve(state.play(best), lambda cost: True)
    assert state.instance.length(back) == state.instance.length(best)


def test_an_instance_in_the_options_is_looked_at_before_the_clock_runs():
    rules = game("tsp")
    options = rules.parse_options({"cities": [[0, 0], [3, 0], [0, 4], [9, 9]]})
    assert seated(HillClimbingBot(), "tsp", options).tours.distance[1][2] == 5
    assert seated(OrOptBot(), "tsp", options)._improver.instance.distance(1, 2) == 5


@pytest.mark.parametrize("climber", CLIMBERS)
def test_the_viewers_are_told_of_each_tour(climber):
    bot = climber(seconds=0.1, seed=1)
    lengths = race(bot, 20, answers=1)
    told = bot.told()
    assert told.score == -lengths[0]
    assert f"{lengths[0]} after" in told.text


def test_without_numba_or_opt_is_the_readable_one_and_says_so_to_all(no_numba, capsys):
    bots = [OrOptBot(kicks=20, seed=5) for _ in range(2)]
    first, second = (race(bot, 30) for bot in bots)
    assert first == second
    assert capsys.readouterr().err == f"remark: or_opt: {MISSING}\n"
    assert bots[0].told().text.endswith(f"; {MISSING}")
