"""Absences are told at once, then once in a while; the last state always arrives."""

from itertools import pairwise
from math import inf

from hypothesis import given
from hypothesis import strategies as st

from palio_server.match.seats import AT_ONCE, PAUSE_S, Announcements


def told(changes: list[float]) -> list[tuple[float, bool]]:
    """Return the announcements, with their times, about a seat that leaves, comes back, ... after these pauses."""
    announcements, at, present, found = Announcements(1), 0.0, True, []
    for pause in [*changes, inf]:
        until = at + pause
        while announcements.due < until:
            at = announcements.due
            found += [(at, present) for _ in announcements.take_due(at)]
        if until < inf:
            at, present = until, not present
            if announcements.now(0, at, present=present):
                found.append((at, present))
    return found


def test_a_few_absences_are_told_at_once() -> None:
    assert told([1.0] * AT_ONCE) == [(float(number + 1), bool(number % 2)) for number in range(AT_ONCE)]


def test_of_a_hundred_and_twenty_absences_in_three_seconds_a_few_are_told() -> None:
    assert len(told([0.0125] * 240)) <= AT_ONCE + 1


@given(st.lists(st.floats(0.001, 12), max_size=60))
def test_the_last_state_always_arrives_and_no_state_twice_in_a_row(changes: list[float]) -> None:
    found = told(changes)
    states = [True, *(present for _, present in found)]
    assert states[-1] is (len(changes) % 2 == 0)
    assert all(before is not after for before, after in pairwise(states))


@given(st.lists(st.floats(0.001, 12), max_size=60))
def test_within_any_time_there_are_no_more_than_its_pauses_allow(changes: list[float]) -> None:
    times = [at for at, _ in told(changes)]
    for first, begin in enumerate(times):
        for count, end in enumerate(times[first:], 1):
            assert count <= AT_ONCE + (end - begin) / PAUSE_S + 1e-6


def test_nothing_waits_for_a_seat_that_is_out() -> None:
    announcements = Announcements(2)
    for number in range(20):
        announcements.now(1, 0.01 * number, present=bool(number % 2))
    announcements.now(1, 0.5, present=False)
    announcements.forget(1)
    assert announcements.due == inf
