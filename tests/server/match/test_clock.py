"""A seat's clock: what it may use, what it is charged, and that it can be rebuilt from what was written down."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from palio_rules.byoyomi import Byoyomi
from palio_rules.records.record import Ply
from palio_rules.time_control import TimeControl
from palio_server.match.clock import SeatClocks

milliseconds = st.integers(0, 100_000)
controls = st.builds(
    TimeControl,
    base_ms=st.none() | milliseconds,
    increment_ms=milliseconds,
    move_ms=st.none() | milliseconds,
    margin_ms=milliseconds,
) | st.builds(TimeControl, base_ms=st.integers(1, 100_000), increment_ms=milliseconds, moves=st.integers(1, 9))
thoughts = st.lists(st.tuples(st.integers(0, 1), st.floats(-1, 300)), max_size=30)


def test_base_and_increment() -> None:
    clocks = SeatClocks([TimeControl.parse("10+0.5")] * 2)
    assert clocks.limit_ms(0) == 10_000
    assert clocks.deadline(0, posted_at=100.0) == 110.2  # the margin comes on top
    assert clocks.spend(0, 4.0) == 4000
    assert clocks.left_ms == [6_500, 10_000]
    assert clocks.overstepped(0) == "flag-fell"


def test_a_limit_a_move_is_fresh_each_time() -> None:
    clocks = SeatClocks([TimeControl.parse(st="0.5")] * 2)
    assert clocks.left_ms == [None, None]
    assert clocks.spend(1, 0.4) == 400
    assert clocks.limit_ms(1) == 500
    assert clocks.overstepped(1) == "move-limit"


def test_where_both_hold_the_nearer_one_counts() -> None:
    clocks = SeatClocks([TimeControl.parse("3", st="2")] * 2)
    assert (clocks.limit_ms(0), clocks.overstepped(0)) == (2_000, "move-limit")
    clocks.spend(0, 1.0)
    assert (clocks.limit_ms(0), clocks.overstepped(0)) == (2_000, "flag-fell"), "of equal ones the flag falls"
    clocks.spend(0, 0.5)
    assert (clocks.limit_ms(0), clocks.overstepped(0)) == (1_500, "flag-fell")


def test_without_a_limit_nothing_is_ever_due() -> None:
    clocks = SeatClocks([TimeControl.parse("inf")] * 3)
    assert clocks.limit_ms(2) is None
    assert clocks.deadline(2, 5.0) is None
    assert clocks.shown(2, 1e6) == [None, None, None]


def test_each_seat_has_its_own_time() -> None:
    clocks = SeatClocks([TimeControl.parse("10+1"), TimeControl.parse("5", st="2")])
    assert (clocks.limit_ms(0), clocks.limit_ms(1), clocks.overstepped(1)) == (10_000, 2_000, "move-limit")
    clocks.spend(0, 4.0)
    clocks.spend(1, 1.0)
    assert clocks.left_ms == [7_000, 4_000]


def test_after_so_many_moves_the_clock_has_its_time_again() -> None:
    clocks = SeatClocks([TimeControl.parse("3/10+0.5"), TimeControl.parse("10")])
    seen = []
    for _ in range(4):
        seen.append(clocks.moves_to_go(0))
        clocks.spend(0, 2.0)
    assert seen == [3, 2, 1, 3]
    assert clocks.left_ms[0] == 10_000 - 4 * 2_000 + 4 * 500 + 10_000
    assert clocks.moves_to_go(1) is None


def test_time_won_by_the_margin_is_not_owed_later() -> None:
    clocks = SeatClocks([TimeControl(base_ms=1000, increment_ms=300)] * 1)
    clocks.spend(0, 1.15)
    assert clocks.left_ms == [300]


def test_a_clock_that_gains_nothing_has_its_margin_once() -> None:
    clocks = SeatClocks([TimeControl(base_ms=1000)] * 2)
    clocks.spend(0, 1.15)
    assert clocks.left_ms[0] == 0
    assert clocks.deadline(0, 10.0) == 10.05
    clocks.spend(0, 0.03)
    assert clocks.deadline(0, 10.0) == 10.02
    assert clocks.deadline(1, 10.0) == 11.2
    again = SeatClocks([TimeControl(base_ms=1000)] * 2)
    again.rebuild([Ply(0, 1, 1150), Ply(0, 1, 30)])
    assert again.deadline(0, 10.0) == 10.02


def test_a_clock_with_an_increment_has_its_whole_margin_at_every_move() -> None:
    clocks = SeatClocks([TimeControl.parse("1+0.1")] * 1)
    clocks.spend(0, 1.15)  # 150 ms of the margin
    for _ in range(20):
        assert clocks.deadline(0, 10.0) == 10.3  # the increment and all of the margin
        clocks.spend(0, 0.25)


@given(controls, thoughts)
def test_a_clock_never_shows_less_than_nothing(control: TimeControl, seconds: list[tuple[int, float]]) -> None:
    clocks = SeatClocks([control] * 2)
    for seat, elapsed in seconds:
        assert all(left is None or left >= 0 for left in clocks.shown(seat, elapsed))
        used = clocks.spend(seat, elapsed)
        assert used >= 0
        assert all(left is None or left >= 0 for left in clocks.left_ms)


@given(controls, thoughts)
def test_only_an_accepted_move_earns_the_increment(control: TimeControl, seconds: list[tuple[int, float]]) -> None:
    clocks, moves = SeatClocks([control] * 2), [0, 0]
    for seat, elapsed in seconds:
        before = list(clocks.left_ms)
        shown = clocks.shown(seat, elapsed)
        assert clocks.left_ms == before  # showing a clock, as after a rejection, changes nothing
        clocks.spend(seat, elapsed)
        assert clocks.left_ms[1 - seat] == before[1 - seat]
        moves[seat] += 1
        if shown[seat] is not None:
            again = control.base_ms if control.moves is not UNSET and moves[seat] % control.moves == 0 else 0
            assert clocks.left_ms[seat] == shown[seat] + control.increment_ms + again


@given(controls, thoughts)
def test_clocks_are_rebuilt_exactly_from_the_journal(control: TimeControl, seconds: list[tuple[int, float]]) -> None:
    clocks, again = SeatClocks([control] * 2), SeatClocks([control] * 2)
    journal = [Ply(seat, 1, clocks.spend(seat, elapsed)) for seat, elapsed in seconds]
    again.rebuild(journal)
    assert again.left_ms == clocks.left_ms


def test_being_thrown_out_earns_no_increment() -> None:
    clocks = SeatClocks([TimeControl.parse("1+1")] * 3)
    clocks.rebuild([Ply(0, None, 0, None, "illegal")])
    assert clocks.left_ms == [1000, 1000, 1000]


@given(controls, st.floats(0, 1e6))
def test_a_deadline_is_the_limit_and_the_margin_after_the_turn(control: TimeControl, posted_at: float) -> None:
    clocks = SeatClocks([control] * 1)
    limit, deadline = clocks.limit_ms(0), clocks.deadline(0, posted_at)
    if limit is None:
        assert deadline is None
    else:
        assert deadline is not None
        assert abs(deadline - posted_at - (limit + control.margin_ms) / 1000) < 1e-6


byoyomi = st.builds(Byoyomi, st.integers(1, 60_000), st.integers(1, 9)) | st.builds(
    Byoyomi, st.integers(1, 60_000), stones=st.integers(1, 9)
)
with_byoyomi = st.builds(TimeControl, base_ms=st.integers(0, 60_000), byoyomi=byoyomi)


@given(with_byoyomi, thoughts)
def test_periods_and_stones_are_rebuilt_from_the_journal(
    control: TimeControl, seconds: list[tuple[int, float]]
) -> None:
    clocks = SeatClocks([control] * 2)
    journal: list[Ply] = []
    for seat, elapsed in seconds:
        again = SeatClocks([control] * 2)  # a referee that takes the match over here
        again.rebuild(journal)
        assert again.left_ms == clocks.left_ms
        assert [again.moves_to_go(each) for each in (0, 1)] == [clocks.moves_to_go(each) for each in (0, 1)]
        assert again.deadline(seat, 5.0) == clocks.deadline(seat, 5.0)
        journal.append(Ply(seat, 1, clocks.spend(seat, elapsed)))


@given(with_byoyomi, st.lists(st.floats(0, 30), max_size=5), st.floats(0, 30))
def test_a_look_at_the_clock_changes_nothing(control: TimeControl, looks: list[float], elapsed: float) -> None:
    clocks, unseen = SeatClocks([control]), SeatClocks([control])
    for look in looks:
        clocks.shown(0, look)  # a rejected move, a turn that is sent again
    clocks.spend(0, elapsed)
    unseen.spend(0, elapsed)
    assert (clocks.left_ms, clocks.moves_to_go(0)) == (unseen.left_ms, unseen.moves_to_go(0))


def test_the_flag_falls_when_the_last_period_is_used_up() -> None:
    clocks = SeatClocks([TimeControl.parse("10+3x5"), TimeControl.parse("10+2/5")])
    assert [clocks.limit_ms(seat) for seat in (0, 1)] == [25_000, 15_000]
    assert clocks.deadline(0, 100.0) == 125.2
    clocks.spend(0, 21.0)
    clocks.spend(1, 11.0)
    assert clocks.left_ms == [5_000, 4_000]
    assert [clocks.moves_to_go(seat) for seat in (0, 1)] == [None, 1]
    clocks.spend(0, 5.1)  # a part of the margin: the period is whole again, and so is the margin
    assert (clocks.left_ms[0], clocks.deadline(0, 100.0)) == (5_000, 105.2)
    assert clocks.overstepped(0) == "flag-fell"


def test_a_canadian_period_has_all_its_moves_from_its_first_moment_on() -> None:
    clocks = SeatClocks([TimeControl.parse("10+2/5")])
    seen = [clocks.moves_to_go(0)]
    for seconds in (10.0, 1.0, 4.0, 5.0):  # main time whole, then the two moves of a period, then one of the next
        clocks.spend(0, seconds)
        seen.append(clocks.moves_to_go(0))
    assert seen == [None, 2, 1, 2, 1]


def test_margin_within_a_canadian_period_is_used_once() -> None:
    clocks = SeatClocks([TimeControl.parse("0+3/5")])
    clocks.spend(0, 5.15)
    assert (clocks.left_ms, clocks.moves_to_go(0), clocks.deadline(0, 10.0)) == ([0], 2, 10.05)
