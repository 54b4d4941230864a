"""Absences share one grace."""

from math import inf

from palio_server.match.seats import Attendance


def test_nobody_absent_nothing_due() -> None:
    there = Attendance(2, 1000)
    assert there.next_loss() == (inf, -1)
    assert 0 in there


def test_all_absences_of_a_seat_share_its_grace() -> None:
    there = Attendance(2, 10_000)
    assert there.leave(1, 100.0)
    assert there.next_loss() == (110.0, 1)
    assert there.come_back(1, 104.0)
    assert there.grace_ms(1, 104.0) == 6000
    assert there.grace_ms(0, 104.0) == 10_000
    there.leave(1, 200.0)
    assert there.next_loss() == (206.0, 1)
    assert [there.grace_ms(1, at) for at in (200.0, 201.5, 207.0)] == [6000, 4500, 0]
    assert there.away(1) == 4.0


def test_leaving_twice_and_coming_back_twice_change_nothing() -> None:
    there = Attendance(1, 10_000)
    there.leave(0, 1.0)
    assert not there.leave(0, 5.0)
    assert there.next_loss() == (11.0, 0)
    assert there.come_back(0, 2.0)
    assert not there.come_back(0, 3.0)
    assert there.away(0) == 1.0


def test_the_first_grace_to_end_comes_first_and_of_two_the_lower_seats() -> None:
    there = Attendance(3, 1000)
    there.leave(2, 1.0)
    there.leave(1, 1.0)
    there.leave(0, 2.0)
    assert there.next_loss() == (2.0, 1)
    there.forget(1)
    assert there.next_loss() == (2.0, 2)
