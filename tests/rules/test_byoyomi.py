"""Byo-yomi: what a move leaves of a clock, how it is written, and what programs that do not know it are told."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.byoyomi import Byoyomi, Stage
from palio_rules.errors import BadOption
from palio_rules.time_control import DAY_MS, TimeControl

JAPANESE, CANADIAN = Byoyomi(30_000, 5), Byoyomi(300_000, stones=25)
japanese = st.builds(Byoyomi, period_ms=st.integers(1, 60_000), periods=st.integers(1, 9))
canadian = st.builds(Byoyomi, period_ms=st.integers(1, 60_000), stones=st.integers(1, 9))
mains = st.integers(0, 60_000)
uses = st.lists(st.integers(0, 70_000), max_size=40)


def reference(byoyomi: Byoyomi, main: int, moves: list[int]) -> tuple[Stage, int]:
    """Play the moves millisecond by period, with main time, period and count kept apart; stop where the flag falls.

    Return what the clock shows, and the number of moves in time.
    """
    period, number = byoyomi.period_ms, byoyomi.most
    for count, used in enumerate(moves):
        spent = max(0, used - main)
        inside = main == 0 or spent > 0
        main = max(0, main - used)
        if byoyomi.stones is msgspec.UNSET:
            while spent > byoyomi.period_ms:
                spent, number = spent - byoyomi.period_ms, number - 1
            if number <= 0:
                return Stage(0, 0, 0), count
        elif inside:
            if spent > period:
                return Stage(0, 0, 0), count
            period, number = period - spent, number - 1
            if number == 0:
                period, number = byoyomi.period_ms, byoyomi.most
    return Stage(main, period, number), len(moves)


@given(japanese | canadian, mains, uses)
def test_a_clock_counts_main_time_periods_and_stones_as_kept_apart(byoyomi, main, moves):
    expected, in_time = reference(byoyomi, main, moves)
    left, stones = main + byoyomi.reserve_ms, byoyomi.first_stones
    for used in moves[:in_time]:
        assert used <= left, "a move in time fits the time until the flag"
        left, stones = byoyomi.after(left, used, stones)
    if in_time == len(moves):
        assert byoyomi.stage(left, stones) == expected
    else:
        assert moves[in_time] > left, "the move that flags has more than all that is left"


@given(japanese | canadian, mains, uses)
def test_never_more_is_spent_than_is_allowed(byoyomi, main, moves):
    left, stones, spent = main + byoyomi.reserve_ms, byoyomi.first_stones, 0
    for count, wanted in enumerate(moves, 1):
        used = min(wanted, left)
        left, stones = byoyomi.after(left, used, stones)
        spent += used
        assert spent <= main + byoyomi.longest_ms(count)
        assert 0 <= left <= main + byoyomi.reserve_ms


@given(japanese | canadian, st.integers(1, 600_000), st.integers(0, 9))
def test_what_a_clock_shows_is_read_back(byoyomi, left, stones):
    left = min(left, 60_000 + byoyomi.reserve_ms)
    main = left > byoyomi.reserve_ms
    stones = 0 if byoyomi.stones is msgspec.UNSET else byoyomi.stones if main else min(stones or 1, byoyomi.stones)
    assert byoyomi.left_of(byoyomi.stage(left, stones)) == (left, stones)


def test_japanese_periods_are_lost_one_by_one_and_kept_by_moves_in_time():
    left = 10_000 + JAPANESE.reserve_ms
    seen = []
    for used in (8_000, 20_000, 30_000, 30_001, 65_000, 29_999):
        left, _ = JAPANESE.after(left, used)
        seen.append(JAPANESE.stage(left))
    whole = [Stage(0, 30_000, number) for number in (5, 5, 4, 2, 2)]
    assert seen == [Stage(2_000, 30_000, 5), *whole]


def test_the_move_that_ends_main_time_is_the_first_stone_of_the_canadian_period():
    byoyomi = Byoyomi(10_000, stones=3)
    clock = (5_000 + 10_000, 3)
    seen = []
    for used in (4_000, 2_000, 6_000, 3_000, 1):
        clock = byoyomi.after(clock[0], used, clock[1])
        seen.append(byoyomi.stage(*clock))
    inside = [(9000, 2), (3000, 1), (10_000, 3), (9999, 2)]
    assert seen == [Stage(1000, 10_000, 3), *(Stage(0, *each) for each in inside)]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("600+5x30", TimeControl(600_000, byoyomi=JAPANESE)),
        ("10:00+25/5:00", TimeControl(600_000, byoyomi=CANADIAN)),
        ("0+1x0.5", TimeControl(0, byoyomi=Byoyomi(500, 1))),
    ],
)
def test_byoyomi_is_written_behind_main_time(text, time):
    assert TimeControl.parse(text) == time
    assert TimeControl.from_text(str(time)) == time
    assert msgspec.convert(msgspec.to_builtins(time), TimeControl) == time


@given(japanese | canadian, mains, st.none() | st.integers(1, DAY_MS))
def test_a_time_control_with_byoyomi_is_read_back_from_its_text(byoyomi, main, move):
    time = TimeControl(main, move_ms=move, byoyomi=byoyomi)
    assert TimeControl.from_text(str(time)) == time


@pytest.mark.parametrize("text", ["600+0x30", "600+5x0", "600+0/300", "600+100x30", "600+5x30+1", "40/600+5x30"])
def test_what_is_no_byoyomi_is_refused_with_an_example(text):
    with pytest.raises(BadOption, match=r"as in 600\+5x30.* 600\+25/300"):
        TimeControl.parse(text)


def test_byoyomi_longer_than_a_day_is_refused():
    with pytest.raises(BadOption, match="'80000\\+9x3600' is longer than a day; give at most 86400 seconds in all"):
        TimeControl.parse("80000+9x3600")


@pytest.mark.parametrize(
    "values", [{}, {"periods": 2, "stones": 2}, {"periods": 0}, {"stones": 1000}, {"periods": True}]
)
def test_byoyomi_is_japanese_or_canadian(values):
    with pytest.raises(BadOption, match="byoyomi "):
        Byoyomi(1000, **values)


@pytest.mark.parametrize("values", [{}, {"base_ms": 1000, "increment_ms": 1}, {"base_ms": 1000, "moves": 9}])
def test_byoyomi_wants_main_time_and_no_increment(values):
    with pytest.raises(BadOption, match="give base_ms, 0 for no main time, and no increment_ms or moves"):
        TimeControl(byoyomi=JAPANESE, **values)


def test_a_time_control_without_byoyomi_has_the_same_fields_on_the_wire_as_before():
    assert msgspec.json.encode(TimeControl.parse("10+0.1")) == (
        b'{"base_ms":10000,"increment_ms":100,"move_ms":null,"margin_ms":200}'
    )


@pytest.mark.parametrize(
    ("byoyomi", "left", "stones", "told"),
    [
        (JAPANESE, 100_000 + 150_000, 0, (130_000, None)),
        (JAPANESE, 70_000, 0, (10_000, 1)),
        (CANADIAN, 1 + 300_000, 25, (300_001, None)),
        (CANADIAN, 200_000, 4, (200_000, 4)),
    ],
)
def test_programs_that_know_no_byoyomi_are_told_a_time_and_its_moves(byoyomi, left, stones, told):
    assert byoyomi.until_gain(left, stones) == told
