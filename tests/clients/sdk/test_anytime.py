"""An anytime race: what is submitted, when, and when time is up."""

import threading
import time
from itertools import count

import pytest
from race_bots import CLIMBERS, seated

from palio_clients.agents.tours import HillClimbingBot, OrOptBot
from palio_clients.sdk.anytime import LAST_CALL_S, PAUSE_S, AnytimeBot
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_rules.registry import game


class Listed(AnytimeBot):
    """Finds the tours of a list, one after the other, and stays with the last one if it is to go on without end."""

    def __init__(self, *tours, for_ever=False):
        super().__init__()
        self.tours, self.for_ever, self.polls = list(tours), for_ever, 0

    def improve(self, state, stop):
        while True:
            self.polls += 1
            if stop(state.instance.length(self.tours[0])) or (len(self.tours) == 1 and not self.for_ever):
                return self.tours[0]
            if len(self.tours) > 1:
                del self.tours[0]


@pytest.fixture
def square():
    rules = game("tsp")
    return rules.start(rules.parse_options({"cities": [[0, 0], [9, 0], [0, 9], [9, 9]]}))


CROSSED, STRAIGHT = (0, 3, 1, 2), (0, 1, 3, 2)


@pytest.fixture
def ticking(monkeypatch):
    """A time that goes on by a millisecond whenever somebody looks at it."""
    ticks = count()
    monkeypatch.setattr("time.monotonic", lambda: next(ticks) / 1000)


def test_the_first_solution_is_handed_in_at_once_and_the_next_one_after_a_pause(square, ticking):
    bot = seated(Listed(CROSSED, STRAIGHT, for_ever=True), "tsp")
    assert bot.choose(square, Clock()) == CROSSED
    assert bot.polls == 1
    began = time.monotonic()
    assert bot.choose(square.play(CROSSED), Clock()) == STRAIGHT
    assert time.monotonic() - began >= PAUSE_S


def test_what_improves_nothing_is_not_handed_in(square):
    bot = seated(Listed(CROSSED), "tsp")
    with pytest.raises(Resign):
        bot.choose(square.play(STRAIGHT), Clock())


def test_just_before_the_deadline_a_better_solution_is_submitted_without_a_pause(square, ticking):
    clock = Clock.of(PAUSE_S)
    assert seated(Listed(STRAIGHT, for_ever=True), "tsp").choose(square.play(CROSSED), clock) == STRAIGHT
    assert LAST_CALL_S / 2 < clock.seconds() < LAST_CALL_S


@pytest.mark.parametrize("climber", CLIMBERS)
def test_a_search_comes_back_as_soon_as_nobody_waits_any_more(climber, monkeypatch):
    monkeypatch.setattr("palio_clients.sdk.anytime.PAUSE_S", 600)  # so that it has no other reason to come back
    rules = game("tsp")
    options = rules.parse_options({"size": 300})
    bot, clock = seated(climber(seed=1), "tsp", options), Clock.of(600)
    state = rules.start(options, 1)
    state = state.play(bot.choose(state, Clock()))
    back = threading.Event()

    def think():
        bot.choose(state, clock)  # better than the first tour, if only just
        back.set()

    threading.Thread(target=think, daemon=True).start()
    assert not back.wait(0.2)
    clock.cancel()
    assert back.wait(10)


def test_with_nothing_better_to_give_a_bot_waits_for_the_deadline_and_says_nothing(square):
    clock = Clock.of(0.0)
    threading.Timer(0.05, clock.cancel).start()
    with pytest.raises(Resign):
        seated(Listed(CROSSED), "tsp").choose(square.play(STRAIGHT), clock)
    assert clock.expired()


@pytest.mark.parametrize("make", [lambda: OrOptBot(seconds=-1), lambda: HillClimbingBot(seconds=-1)])
def test_a_patience_below_nothing_is_refused(make):
    with pytest.raises(ValueError, match="seconds=-1"):
        make()


class Content(Listed):
    enough = 9.0


@pytest.mark.parametrize(("found_s", "quiet_s"), [(0.0, 3.0), (1.0, 9.0)])
def test_a_bot_that_has_looked_long_enough_has_no_more_to_give(square, monkeypatch, found_s, quiet_s):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    bot = seated(Content(STRAIGHT), "tsp")
    cost = square.instance.length(STRAIGHT)
    stop = bot._stop(cost, Clock.of(60.0))
    now += found_s
    assert not stop(cost)
    now += quiet_s - 0.01
    assert not stop(cost)
    now += 0.02
    assert stop(cost)
    with pytest.raises(Resign):
        bot.choose(square.play(STRAIGHT), Clock.of(60.0))


def test_who_is_never_content_goes_on_until_time_is_up(square, monkeypatch):
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    stop = seated(Listed(STRAIGHT), "tsp")._stop(30, Clock.of(60.0))
    now += 59.9
    assert not stop(30)
    now += 0.2
    assert stop(30)
