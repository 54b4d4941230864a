"""Credit: frames cost, time and requests earn, and no peer saves more than a burst."""

import pytest

from palio_server.network.corked_socket import ASKED, BURST, LONG, PIECE, RATE, STRANGERS_BURST, Credit


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def credit(clock: Clock) -> Credit:
    bot = Credit(clock)
    bot.trust()
    return bot


def affordable(credit: Credit, size: int = 0) -> int:
    """Return how many frames of `size` bytes the peer can pay at once."""
    number = 0
    while credit.pay_frame(size):
        number += 1
    return number


def test_a_burst_is_paid_and_not_one_frame_more(credit) -> None:
    assert affordable(credit) == BURST
    assert not credit.pay_frame(0)


def test_long_frames_cost_more(credit) -> None:
    assert affordable(credit, int(9 * LONG)) == BURST // 10


def test_time_earns_more_but_never_more_than_a_burst(clock, credit) -> None:
    affordable(credit)
    clock.now += 10 / RATE
    assert 8 <= affordable(credit) <= 10
    clock.now += 1000
    assert affordable(credit) == pytest.approx(BURST, abs=2)


def test_a_steady_trickle_is_paid_for_ever(clock, credit) -> None:
    for _ in range(5 * int(BURST)):
        clock.now += 1.1 / RATE
        assert credit.pay_frame(0)


def test_whoever_is_asked_may_answer_as_fast_as_it_can(credit) -> None:
    for _ in range(20_000):
        credit.allow()
        assert credit.pay_frame(100)


def test_being_asked_saves_nothing_up(credit) -> None:
    for _ in range(10_000):
        credit.allow()
    assert affordable(credit) <= BURST + ASKED


def test_pieces_cost_little_and_not_nothing(credit) -> None:
    number = 0
    while credit.pay(PIECE):
        number += 1
    assert number == pytest.approx(BURST / PIECE, rel=0.01)


def test_a_debt_that_is_forgiven_need_not_be_earned_first(clock, credit) -> None:
    assert not credit.pay(3 * BURST)
    credit.reset()
    clock.now += 10 / RATE
    assert 8 <= affordable(credit) <= 10


def test_a_stranger_has_little_and_whoever_is_let_in_has_a_bot_s_credit(clock) -> None:
    stranger = Credit(clock)
    assert affordable(stranger) == STRANGERS_BURST
    late = Credit(clock)
    for _ in range(10):
        late.pay_frame(0)
    late.trust()
    assert affordable(late) == BURST - 10
