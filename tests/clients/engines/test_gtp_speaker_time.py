"""The time that a controller tells one of our bots: main time, periods, stones."""

import pytest

from palio_clients.engines.gtp_speaker import SeatTime
from palio_rules.byoyomi import Byoyomi, Stage

JAPANESE, CANADIAN = Byoyomi(30_000, 5), Byoyomi(300_000, stones=25)


@pytest.mark.parametrize(
    ("byoyomi", "left_ms", "number", "stage"),
    [
        (JAPANESE, 12_000, 0, Stage(12_000, 30_000, 5)),
        (JAPANESE, 12_000, 2, Stage(0, 12_000, 2)),
        (CANADIAN, 12_000, 0, Stage(12_000, 300_000, 25)),
        (CANADIAN, 12_000, 2, Stage(0, 12_000, 2)),
    ],
)
def test_time_left_is_main_time_or_a_period_with_its_number(byoyomi, left_ms, number, stage):
    seat = SeatTime(600_000, byoyomi)
    seat.told(left_ms, number)
    clock = seat.clock()
    assert clock.stage() == stage
    assert clock.share(10) == pytest.approx(0.9 * byoyomi.even_ms(*byoyomi.left_of(stage), 10) / 1000)


def test_stones_that_no_settings_have_told_of_are_a_period():
    seat = SeatTime(0)
    seat.told(5000, 4)
    assert (seat.clock().remaining_ms, seat.clock().moves_to_go) == (5000, 4)


def test_a_controller_that_tells_no_time_is_counted_for():
    seat = SeatTime(1000, Byoyomi(10_000, stones=2))
    for used in (500, 3000, 2000):
        seat.spend(used)
    assert seat.clock().stage() == Stage(0, 10_000, 2)
