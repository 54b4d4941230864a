"""Time controls: cutechess's notation in, the same notation out, and a remedy for everything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from palio_rules.errors import BadOption
from palio_rules.time_control import DAY_MS, MARGIN_MS, TimeControl

milliseconds = st.integers(1, DAY_MS) | st.sampled_from([1, 999, 1000, 1_000_500, DAY_MS])


@pytest.mark.parametrize(
    ("tc", "st_", "expected"),
    [
        ("10+0.1", None, TimeControl(10_000, 100)),
        ("10", None, TimeControl(10_000, 0)),
        ("0.5", None, TimeControl(500, 0)),
        ("5:00+3", None, TimeControl(300_000, 3000)),
        ("1:30", None, TimeControl(90_000, 0)),
        ("0+0.1", None, TimeControl(0, 100)),
        ("inf", None, TimeControl()),
        (None, None, TimeControl()),
        (None, "0.5", TimeControl(move_ms=500)),
        ("10+0.1", "2", TimeControl(10_000, 100, 2000)),
        ("86400", None, TimeControl(DAY_MS, 0)),
        ("40/60", None, TimeControl(60_000, 0, moves=40)),
        ("40/1:00+0.5", "9", TimeControl(60_000, 500, 9000, moves=40)),
    ],
)
def test_clocks_are_read_as_cutechess_writes_them(tc, st_, expected):
    assert TimeControl.parse(tc, st_) == expected


@given(
    base=milliseconds,
    increment=st.integers(0, DAY_MS),
    move=st.none() | milliseconds,
    moves=st.just(UNSET) | st.integers(1, 9999),
)
def test_a_time_control_is_read_back_from_its_text(base, increment, move, moves):
    time = TimeControl(base, increment, move, moves=moves)
    assert TimeControl.from_text(str(time)) == time


@given(move=milliseconds, margin=st.integers(0, 5000))
def test_a_limit_a_move_is_read_back_with_its_margin(move, margin):
    time = TimeControl(move_ms=move, margin_ms=margin)
    assert TimeControl.from_text(str(time), margin) == time


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (TimeControl(), "inf"),
        (TimeControl(10_000, 100), "10+0.1"),
        (TimeControl(1_000_500, 0), "1000.5+0"),
        (TimeControl(move_ms=50), "0.05/move"),
        (TimeControl(60_000, 0, 5000), "60+0 5/move"),
    ],
)
def test_time_controls_are_written_in_seconds(time, text):
    assert str(time) == text
    assert TimeControl.from_text(text) == time


def test_the_margin_is_kept_apart_from_the_clock():
    assert TimeControl.parse("10").margin_ms == MARGIN_MS
    assert TimeControl.parse("10", margin_ms=0) == TimeControl(10_000, 0, None, 0)


@pytest.mark.parametrize(
    ("tc", "st_", "message"),
    [
        ("soon", None, "write seconds+increment as in 10+0.1, minutes as in 5:00, moves/seconds as in 40/60, or inf"),
        ("", None, "'' is no time control"),
        ("10+", None, "'10+' is no time control"),
        ("-1", None, "'-1' is no time control"),
        ("0/60", None, "'0/60' has no moves or no time; write moves/seconds as in 40/60"),
        ("40/0+1", None, "'40/0+1' has no moves or no time"),
        ("1e3", None, "'1e3' is no time control"),
        ("٣", None, "'٣' is no time control"),
        ("10\n", None, "is no time control"),
        ("0", None, "'0' leaves no time to think; give at least 0.001 seconds"),
        ("0+0", None, "'0+0' leaves no time to think"),
        (None, "fast", "'fast' is no time a move; write seconds as in 0.5"),
        (None, "0", "'0' seconds a move leave no time to think; give at least 0.001"),
        ("86401", None, "'86401' is longer than a day; give at most 86400 seconds"),
        ("9999:00", None, "'9999:00' is longer than a day"),
        (None, "99999", "'99999' is longer than a day"),
        ("10", "99999", "'99999' is longer than a day"),
    ],
)
def test_what_is_no_time_control_is_refused_with_the_remedy(tc, st_, message):
    with pytest.raises(BadOption) as caught:
        TimeControl.parse(tc, st_)
    assert message in str(caught.value)


@given(text=st.text())
def test_any_text_is_a_time_control_or_raises_bad_option(text):
    try:
        TimeControl.from_text(text)
    except BadOption:
        return


@pytest.mark.parametrize(
    "values", [{"base_ms": 10, "increment_ms": 0.1}, {"base_ms": -1}, {"move_ms": "5"}, {"margin_ms": None}]
)
def test_seconds_or_nonsense_in_the_place_of_milliseconds_are_refused(values):
    with pytest.raises(BadOption, match=r"TimeControl (base|increment|move|margin)_ms="):
        TimeControl(**values)


@pytest.mark.parametrize("moves", [0, 10_000, True, 2.0])
def test_moves_in_a_time_are_whole_and_bounded(moves):
    with pytest.raises(BadOption, match="give 1 to 9999 moves in the time"):
        TimeControl(60_000, moves=moves)


def test_moves_in_a_time_need_a_clock():
    with pytest.raises(BadOption, match="moves in a time need a clock"):
        TimeControl(moves=40, move_ms=500)


@given(st.integers(1, 60), st.integers(1, 500))
def test_a_clock_gains_its_time_with_the_last_move_of_each_period(moves, move):
    time = TimeControl(60_000, 500, moves=moves)
    last = time.moves_to_go(move) == 1
    assert time.gain_ms(move) == (60_500 if last else 500)
    assert time.moves_to_go(move + 1) == (moves if last else time.moves_to_go(move) - 1)


@given(st.floats(0.25, 4))
def test_a_scaled_time_control_keeps_its_moves_and_its_margin(factor):
    scaled = TimeControl(60_000, 500, moves=40).scaled(factor)
    assert (scaled.moves, scaled.margin_ms, scaled.base_ms) == (40, MARGIN_MS, round(60_000 * factor))
