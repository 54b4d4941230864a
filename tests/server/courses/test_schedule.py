"""The times of an assignment: over changes of the clock, late days by the second, days of the course's zone."""

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palio_rules.errors import BadOption
from palio_server.courses.schedule import (
    Times,
    days_after,
    days_late,
    due_text,
    frozen_at,
    is_frozen,
    submissions_left,
    tournaments_between,
)
from palio_server.courses.values import Assignment, LateRule, PlannedTournament

ROME = ZoneInfo("Europe/Rome")
SECOND, MOMENT = timedelta(seconds=1), timedelta(microseconds=1)


def an_assignment(due=None, *, late=2, tournaments=(), **rest):
    due = due or datetime(2027, 2, 15, 23, 59, tzinfo=ROME)
    return Assignment(
        "a",
        Path(),
        "A",
        "dominoes",
        "{folder}",
        ("a.py",),
        rest.pop("opens", datetime(2027, 2, 1, 9, tzinfo=ROME)),
        due,
        late=LateRule(late),
        tournaments=tuple(tournaments),
        **rest,
    )


def test_nightly_and_weekly_ones_are_played_from_opening_to_freeze_and_others_once():
    nightly, weekly = PlannedTournament("daily 03:00"), PlannedTournament("weekly sunday 12:30")
    final = PlannedTournament("2027-02-20T12:00:00+01:00", final=True)
    assignment = an_assignment(tournaments=[final, weekly, nightly])
    found = tournaments_between(assignment, datetime(2027, 1, 1, tzinfo=UTC), datetime(2027, 12, 31, tzinfo=UTC))
    nights = [each.at for each in found if each.tournament == nightly]
    assert [at.day for at in nights] == list(range(2, 18))
    assert all((at.hour, at.tzinfo) == (3, ROME) for at in nights)
    assert [f"{each.at:%d %H:%M}" for each in found if each.tournament == weekly] == ["07 12:30", "14 12:30"]
    assert found[-1] == (datetime(2027, 2, 20, 12, tzinfo=ROME), final)
    assert [each.at for each in found] == sorted(each.at for each in found)


def test_an_instant_belongs_to_one_span():
    assignment = an_assignment(tournaments=[PlannedTournament("daily 03:00")])
    at = datetime(2027, 2, 3, 3, tzinfo=ROME)
    assert [each.at for each in tournaments_between(assignment, at - SECOND, at)] == [at]
    assert tournaments_between(assignment, at, at + SECOND) == []


def test_a_night_in_which_summer_time_begins_or_ends_has_one_tournament():
    nights = Times.parse("daily 02:30", ROME)
    spring = list(nights.between(datetime(2027, 3, 27, 12, tzinfo=ROME), datetime(2027, 3, 29, 12, tzinfo=ROME), ROME))
    assert [at.isoformat() for at in spring] == ["2027-03-28T03:30:00+02:00", "2027-03-29T02:30:00+02:00"]
    autumn = list(nights.between(datetime(2027, 10, 30, 12, tzinfo=ROME), datetime(2027, 11, 1, tzinfo=ROME), ROME))
    assert [at.isoformat() for at in autumn] == ["2027-10-31T02:30:00+02:00"]


instants = st.integers(0, 3 * 365 * 86_400).map(lambda each: datetime(2026, 1, 1, tzinfo=UTC) + each * SECOND)
zones = st.sampled_from(["UTC", "Europe/Rome", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]).map(ZoneInfo)
clocks = st.times().map(lambda each: each.replace(second=0, microsecond=0))


@given(st.lists(instants, min_size=2, max_size=5).map(sorted), zones, clocks, st.none() | st.integers(0, 6))
def test_spans_that_follow_each_other_have_the_times_of_the_whole(moments, zone, clock, weekday):
    times = Times(clock=clock, weekday=weekday)
    whole = list(times.between(moments[0], moments[-1], zone))
    parts = [at for one, two in pairwise(moments) for at in times.between(one, two, zone)]
    assert parts == whole
    days = [at.date() for at in whole]
    assert len(set(days)) == len(days)
    assert weekday is None or {day.weekday() for day in days} <= {weekday}


@given(instants, zones, clocks)
def test_each_day_has_one(after, zone, clock):
    found = list(Times(clock=clock).between(after, after + timedelta(days=30), zone))
    assert 29 <= len(found) <= 31


def test_a_moment_after_due_is_one_begun_day():
    due = datetime(2027, 2, 15, 23, 59, tzinfo=ROME)
    assignment = an_assignment(due)
    day = timedelta(days=1)
    late = {timedelta(): 0, MOMENT: 1, day: 1, day + MOMENT: 2, 5 * day: 5}
    assert {time: days_late(assignment, due + time) for time in late} == late
    assert days_late(assignment, due - timedelta(days=9)) == 0
    assert not is_frozen(assignment, due + timedelta(days=2))
    assert is_frozen(assignment, due + timedelta(days=2) + MOMENT)


def test_a_late_day_ends_at_the_same_time_of_the_clock():
    due = datetime(2027, 3, 27, 12, tzinfo=ROME)  # the next day has 23 hours
    assignment = an_assignment(due)
    assert frozen_at(assignment).isoformat() == "2027-03-29T12:00:00+02:00"
    assert days_late(assignment, due.astimezone(UTC) + timedelta(hours=23)) == 1
    assert days_late(assignment, due.astimezone(UTC) + timedelta(hours=23, seconds=1)) == 2


@given(instants, zones, st.timedeltas(timedelta(), timedelta(days=40)))
def test_days_late_are_the_fewest_that_reach_the_submission(due, zone, late):
    assignment = an_assignment(due.astimezone(zone))
    at = due + late
    days = days_late(assignment, at)
    assert at <= days_after(assignment.due, days).astimezone(UTC)
    assert days == 0 or at > days_after(assignment.due, days - 1).astimezone(UTC)


def test_the_day_of_submissions_is_that_of_the_course():
    assignment = an_assignment(submissions_a_day=3)
    night = datetime(2027, 2, 10, 23, 30, tzinfo=UTC)  # 00:30 of the next day in Rome
    assert submissions_left(assignment, [night, night - timedelta(hours=1)], night + SECOND) == 2
    assert submissions_left(assignment, [night] * 7, night) == 0


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (timedelta(days=3, hours=4, minutes=9), "due in 3 days 4 hours"),
        (timedelta(days=1), "due in 1 day"),
        (timedelta(hours=2, minutes=1), "due in 2 hours 1 minute"),
        (timedelta(minutes=25, seconds=59), "due in 25 minutes"),
        (timedelta(seconds=59), "due in less than a minute"),
        (timedelta(seconds=-59), "was due less than a minute ago"),
        (timedelta(days=-2, hours=-1), "was due 2 days 1 hour ago"),
    ],
)
def test_due_in_words(left, text):
    now = datetime(2027, 3, 20, tzinfo=UTC)
    assert due_text((now + left).astimezone(ROME), now) == text


@pytest.mark.parametrize("text", ["", "daily", "daily 3", "weekly 03:00", "weekly monday 25:00", "tomorrow"])
def test_what_is_no_time_of_a_tournament_is_refused(text):
    with pytest.raises(BadOption, match="is no"):
        Times.parse(text, ROME)


def test_times_are_read():
    assert Times.parse("Weekly Sunday 3:05", ROME) == Times(clock=time(3, 5), weekday=6)
    assert Times.parse("2027-02-16 12:00", ROME).once == datetime(2027, 2, 16, 12, tzinfo=ROME)
