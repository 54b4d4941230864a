"""Tournaments at their times, by a virtual clock: over both changes of it, late, skipped, once for two servers."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from palio_db.store import Store
from palio_server.courses.term_clock import LATE, TermClock, due
from palio_server.courses.values import Course, LateRule, PlannedTournament

ROME = ZoneInfo("Europe/Rome")
HOUR = timedelta(hours=1)


class Clock:
    """Time passes with each pause."""

    def __init__(self, now, until):
        self.now, self.until = now, until

    def __call__(self):
        return self.now

    async def pause(self, seconds):
        self.now += timedelta(seconds=max(seconds, 300))
        if self.now >= self.until:
            raise asyncio.CancelledError


@pytest.fixture
async def store():
    async with await Store.open("sqlite://") as opened:
        yield opened


def course_of(assignment_with, *tournaments, opens=datetime(2026, 10, 1, tzinfo=ROME), due=None, **more):
    due = due or datetime(2027, 4, 15, tzinfo=ROME)
    assignment = assignment_with(opens=opens, due=due, tournaments=tournaments, **more)
    return Course("ai", Path("ai"), "AI", ROME, assignments=(assignment,))


async def played(store, course, clock, lasts=HOUR, *, works=True, server="a"):
    """Play until the clock's end; return kinds and times."""
    found = []

    async def play(next_):
        where = next_.course.name, next_.assignment.name, next_.kind
        row = await store.hold_course_tournament(*where, next_.at, server, server, timedelta(seconds=60))
        found.append((next_.kind, next_.at, clock.now))
        clock.now += lasts
        if works and row is not None:
            await store.finish_course_tournament(row.id, server, b"{}")
        return works

    with pytest.raises(asyncio.CancelledError):
        await TermClock(store, lambda: [course], play, clock, clock.pause).run()
    return found


async def test_each_night_has_one_tournament_over_both_changes_of_the_clock(store, assignment_with):
    """On 25 October 2026 the hour from 2 to 3 comes twice in Rome, on 28 March 2027 it does not come."""
    course = course_of(assignment_with, PlannedTournament("daily 02:30"))
    for first, last in ((datetime(2026, 10, 23, tzinfo=ROME), 28), (datetime(2027, 3, 26, tzinfo=ROME), 31)):
        clock = Clock(first.astimezone(UTC), first.replace(day=last).astimezone(UTC))
        found = await played(store, course, clock, HOUR / 2)
        days = [at.astimezone(ROME).day for _, at, _ in found]
        assert days == list(range(first.day, last))
        hours = {at.astimezone(ROME).day: at.astimezone(ROME).hour for _, at, _ in found}
        assert hours == {day: 3 if (first.month, day) == (3, 28) else 2 for day in days}
        assert all(begun - at < HOUR for _, at, begun in found)


async def test_one_that_came_due_while_the_former_was_played_is_skipped(store, assignment_with, caplog):
    course = course_of(assignment_with, PlannedTournament("daily 03:00"))
    clock = Clock(datetime(2026, 11, 2, tzinfo=UTC), datetime(2026, 11, 6, tzinfo=UTC))
    found = await played(store, course, clock, HOUR * 26)
    assert [at.day for _, at, _ in found] == [2, 4]


async def test_two_assignments_at_one_time_are_played_one_after_the_other(store, assignment_with):
    first = course_of(assignment_with, PlannedTournament("daily 03:00"))
    second = assignment_with(
        name="second", opens=first.assignments[0].opens, due=first.assignments[0].due,
        tournaments=(PlannedTournament("daily 03:00"),),
    )  # fmt: skip
    course = Course("ai", Path("ai"), "AI", ROME, assignments=(*first.assignments, second))
    clock = Clock(datetime(2026, 11, 2, tzinfo=UTC), datetime(2026, 11, 2, 12, tzinfo=UTC))
    found = await played(store, course, clock, HOUR * 2)
    assert [at for _, at, _ in found] == [datetime(2026, 11, 2, 3, tzinfo=ROME)] * 2
    assert found[1][2] - found[0][2] >= HOUR * 2


async def test_what_a_server_that_was_away_has_missed_is_played_unless_it_is_old(store, assignment_with):
    course = course_of(assignment_with, PlannedTournament("daily 03:00"))
    at = datetime(2026, 11, 3, 3, tzinfo=ROME)
    for late, count in ((LATE - HOUR, 1), (LATE + HOUR, 0)):
        assert len(due(course, [], {}, (at + late).astimezone(UTC))) == count


async def test_the_final_waits_for_the_last_late_day_and_is_played_once_however_late(store, assignment_with):
    final = PlannedTournament("2026-11-10T12:00:00+01:00", final=True)
    end = datetime(2026, 11, 10, tzinfo=ROME)
    course = course_of(assignment_with, PlannedTournament("daily 03:00"), final, due=end, late=LateRule(days=2))
    clock = Clock(datetime(2026, 11, 10, 9, tzinfo=UTC), datetime(2026, 11, 20, tzinfo=UTC))
    found = await played(store, course, clock)
    finals = [(at, begun) for kind, at, begun in found if kind == "final"]
    [(at, begun)] = finals
    assert at == datetime(2026, 11, 10, 12, tzinfo=ROME)
    assert begun > datetime(2026, 11, 12, tzinfo=ROME)
    assert all(at <= datetime(2026, 11, 12, tzinfo=ROME) for kind, at, _ in found if kind == "nightly")
    late = Clock(datetime(2026, 12, 1, tzinfo=UTC), datetime(2026, 12, 2, tzinfo=UTC))
    assert await played(store, course, late) == []  # it was played


async def test_a_final_that_could_not_be_played_is_tried_again_later(store, assignment_with):
    final = PlannedTournament("2026-11-10T12:00:00+01:00", final=True)
    course = course_of(assignment_with, final, due=datetime(2026, 11, 9, tzinfo=ROME), late=LateRule())
    clock = Clock(datetime(2026, 11, 20, tzinfo=UTC), datetime(2026, 11, 20, 3, tzinfo=UTC))
    found = await played(store, course, clock, timedelta(), works=False)
    assert 4 <= len(found) <= 7


async def test_two_servers_finish_each_tournament_once(store, assignment_with):
    course = course_of(assignment_with, PlannedTournament("daily 03:00"))
    clocks = [Clock(datetime(2026, 11, 2, tzinfo=UTC), datetime(2026, 11, 5, tzinfo=UTC)) for _ in range(2)]
    await asyncio.gather(*(played(store, course, clock, server=name) for clock, name in zip(clocks, "ab", strict=True)))
    rows = await store.course_tournaments("ai")
    assert [row.at.astimezone(ROME).day for row in rows if row.finished_at] == [2, 3, 4]
