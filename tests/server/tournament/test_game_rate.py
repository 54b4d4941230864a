"""The rate at which games end, by the last minutes; the time is an argument."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_server.tournament.progress import GameRate


def test_before_the_first_game_nobody_knows():
    pace = GameRate(100.0)
    assert (pace.per_s(160.0), pace.seconds_left(160.0, 5)) == (None, None)


@given(st.floats(0.05, 50.0), st.integers(20, 2000))
def test_a_steady_pace_is_found(per_s, games):
    pace = GameRate(1000.0)
    for game in range(1, games + 1):
        pace.note(1000.0 + game / per_s)
    now = 1000.0 + games / per_s
    assert pace.per_s(now) == pytest.approx(per_s, rel=0.15)  # a window of whole games and whole seconds
    assert pace.seconds_left(now, 10) == pytest.approx(10 / pace.per_s(now))


def test_the_last_minutes_say_more_than_the_first():
    pace = GameRate(0.0, window_s=60.0)
    for second in range(1, 301):
        pace.note(float(second), 10)
    for second in range(301, 401):
        pace.note(float(second), 1)
    assert pace.per_s(400.0) == pytest.approx(1.0, rel=0.05)


def test_where_games_are_rare_all_of_them_count():
    pace = GameRate(0.0, window_s=60.0)
    for minute in range(1, 11):
        pace.note(300.0 * minute)
    assert pace.per_s(3000.0) == pytest.approx(1 / 300)


def test_waiting_slows_the_pace_down():
    pace = GameRate(0.0)
    pace.note(10.0, 5)
    assert pace.per_s(20.0) == 0.25
    assert pace.per_s(50.0) == 0.1


@given(st.lists(st.tuples(st.floats(0, 400), st.integers(1, 100)), min_size=1))
def test_it_keeps_no_more_than_a_number_a_second(steps):
    pace, now = GameRate(0.0), 0.0
    for pause, games in steps:
        now += pause
        pace.note(now, games)
        assert len(pace._recent) <= 182
        assert sum(each for _, each in pace._recent) == pace._in_window
    assert pace._games == sum(games for _, games in steps)
