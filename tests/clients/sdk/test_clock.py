"""What a bot may spend, and when it must stop."""

import math
import threading

import pytest

from palio_clients.sdk.clock import SHARE, Clock


@pytest.mark.parametrize(
    ("clock", "share"),
    [
        (Clock(), math.inf),
        (Clock(limit_ms=500), SHARE * 0.5),
        (Clock(remaining_ms=30_000, limit_ms=30_000), SHARE * 1.0),
        (Clock(remaining_ms=30_000, increment_ms=2_000, limit_ms=30_000), SHARE * 3.0),
        (Clock(remaining_ms=30_000, increment_ms=2_000, limit_ms=700), SHARE * 0.7),
        (Clock(remaining_ms=60, increment_ms=2_000, limit_ms=60), SHARE * 0.06),
    ],
)
def test_a_share_of_the_clock_stays_within_the_limit_of_the_move(clock, share):
    assert clock.share(moves=30) == pytest.approx(share)


def test_time_that_is_over_is_zero_and_never_negative():
    clock = Clock(deadline=0.0)
    assert clock.expired()
    assert clock.seconds() == 0.0


def test_without_a_limit_only_a_cancellation_ends_the_thought():
    clock = Clock()
    assert clock.seconds() == math.inf
    assert not clock.expired()
    clock.cancel()
    assert clock.expired()


def test_a_clock_for_experiments_ends_by_itself():
    clock = Clock.of(60)
    assert clock.limit_ms == 60_000
    assert 0 < clock.seconds() <= 60


def test_who_waits_is_woken_when_nobody_waits_for_the_answer_any_more():
    clock = Clock()
    woken = threading.Thread(target=clock.wait, args=(250,))
    woken.start()
    clock.cancel()
    woken.join(60)
    assert not woken.is_alive()
    assert clock.expired()
    clock.wait(250)  # returns at once: it is cancelled already
