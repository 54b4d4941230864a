"""Time management: on any sane clock a bot that keeps to its pace never flags, and does not dawdle either."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_clients.agents.thinking_time import WITHOUT_LIMIT_S, ThinkingTime
from palio_clients.sdk.clock import Clock
from palio_rules.time_control import TimeControl

LAG_MS = 8  # what a move takes beyond its budget: the way there and back, the last node
paces = st.builds(ThinkingTime, st.integers(0, 9), st.integers(0, 9), st.sampled_from([0.0, 0.05, 3.0, 100.0]))


def clock_of(control, left_ms, move=1):
    limits = [ms for ms in (left_ms, control.move_ms) if ms is not None]
    return Clock(left_ms, control.increment_ms, min(limits, default=None), moves_to_go=control.moves_to_go(move))


def spent_over(pace, control, moves):
    """The milliseconds of each move, if every budget is used up; ends when the flag falls."""
    left, spent = control.base_ms, []
    for move in range(1, moves + 1):
        budget = pace.budget(clock_of(control, left, move))
        spent.append(min(budget, 3600) * 1000 + LAG_MS)
        if spent[-1] > (control.move_ms or inf):
            raise AssertionError(f"{spent[-1]} ms for a move of {control}")
        if left is not None:
            left = round(left - spent[-1])
            assert left >= 0, f"flag fell on move {len(spent)} of {control}"
            left += control.gain_ms(move)
    return spent


@given(
    st.sampled_from(
        ["10+0", "5+0.1", "3:00+2", "1+1", "2+0.05", "60+0", "0.5+0.5", "10+0.1", "20:00+0", "40/60", "1/2", "5/3+0.1"]
    ),
    st.sampled_from([None, "0.1", "0.5", "5"]),
    paces,
)
def test_no_budget_ever_lets_the_flag_fall_in_a_game_of_150_moves(tc, st_, pace):
    spent_over(pace, TimeControl.parse(tc, st_), 150)


@pytest.mark.parametrize("tc", ["10+0", "30+0", "3:00+1"])
def test_the_longest_game_of_chexers_is_played_to_its_end(tc):
    if tc == "10+0":
        assert 256 * LAG_MS < 10_000  # or it would be impossible
    spent_over(ThinkingTime(), TimeControl.parse(tc), 150 if tc == "10+0" else 256)


@given(st.integers(1, 60_000))
def test_a_limit_a_move_is_kept_with_room_for_the_way_and_mostly_used(limit):
    budget = ThinkingTime().budget(Clock(None, 0, limit)) * 1000
    assert limit / 2 <= budget <= limit * 0.901
    if limit >= 300:
        assert budget >= limit * 0.89


@given(st.integers(0, 10_000), st.integers(0, 5000), paces)
def test_a_clock_never_gives_more_than_half_of_itself_for_one_move(left, increment, pace):
    assert 0 <= pace.budget(Clock(left, increment, left)) * 1000 <= left / 2


def test_an_increment_is_spent_and_a_clock_is_used_up_over_a_game():
    control = TimeControl.parse("10+1")
    spent = spent_over(ThinkingTime(), control, 60)
    assert sum(spent) > 0.8 * (10_000 + 60 * 1000)
    assert sum(spent_over(ThinkingTime(), TimeControl.parse("30+0"), 60)) > 20_000


def test_what_is_set_may_use_more_of_the_clock():
    clock = Clock(60_000, 0, 60_000)
    assert ThinkingTime(depth=4).budget(clock) > 3 * ThinkingTime().budget(clock)
    assert ThinkingTime(seconds=0.5).budget(clock) == 0.5


def test_without_a_clock_only_what_is_set_ends_a_search():
    assert ThinkingTime().budget(Clock()) == WITHOUT_LIMIT_S
    assert ThinkingTime(seconds=7).budget(Clock()) == 7
    assert ThinkingTime(depth=3).budget(Clock()) == ThinkingTime(nodes=3).budget(Clock()) == inf


@pytest.mark.parametrize("settings", [{"depth": -1}, {"nodes": -5}, {"seconds": -0.5}])
def test_negative_settings_are_refused_with_their_values(settings):
    ((name, value),) = settings.items()
    with pytest.raises(ValueError, match=f"cannot be negative, got .*{name}={value}"):
        ThinkingTime(**settings)


def test_a_bot_spends_more_where_its_time_comes_back_soon():
    pace, control = ThinkingTime(), TimeControl.parse("40/60")
    many, few = [pace.budget(clock_of(control, 60_000, move)) for move in (1, 39)]
    assert few > 2 * many
