"""Grades: laws that hold for all submissions, and what a student may see."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_course import made_assignment

from palio_server.courses.grading import (
    FinalResult,
    Override,
    Submission,
    grade,
    grades_of_student,
    max_points,
    rounded,
    shown,
)
from palio_server.courses.schedule import days_late
from palio_server.courses.values import Checked, GradingRule, LateRule, Part
from palio_server.courses.visible import seen_by_student

DUE = datetime(2027, 2, 15, 23, 59, tzinfo=ZoneInfo("Europe/Rome"))
DAY = timedelta(days=1)
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)


def an_assignment(**changes):
    return replace(made_assignment(), **{"due": DUE, "late": LateRule(2, TENTH), **changes})


def checked(*points, **changes):
    parts = [
        Part(f"test_{number}", Fraction(one), Fraction(10), "" if one == 10 else "wrong")
        for number, one in enumerate(points)
    ]
    return Checked(tuple(parts), **changes)


def handed(days=-1.0, *points, number=1, **changes):
    return Submission(f"s{number}", DUE + days * DAY, checked(*points) if points else None, **changes)


def as_text(graded):
    return [(part.name, shown(part.points), part.why) for part in graded.parts]


# Which submission counts.


def test_the_last_one_counts_or_the_best():
    submissions = [handed(-1, 3, number=3), handed(-3, 2, number=1), handed(-2, 9, number=2)]
    assert grade(an_assignment(), "ann", submissions).submission == "s3"
    best = an_assignment(grading=GradingRule("best"))
    assert grade(best, "ann", submissions).submission == "s2"
    assert grade(best, "ann", [handed(-2, 9, number=1), handed(-1, 9, number=2)]).submission == "s2"


def test_the_best_one_is_the_best_with_its_late_days():
    best = an_assignment(grading=GradingRule("best"))
    submissions = [handed(-1, 9, number=1), handed(0.5, 10, number=2)]
    assert grade(best, "ann", submissions).submission == "s2"
    assert grade(best, "ann", [handed(-1, 9.5, number=1), handed(0.5, 10, number=2)]).submission == "s1"
    assert grade(best, "ann", [handed(-1, 9.5, number=1), handed(0.5, 10, number=2)], free_days=1).submission == "s2"


def test_a_former_one_that_was_chosen_again_counts():
    submissions = [handed(-3, 2, number=1, chosen=True), handed(-1, 9, number=2)]
    for rule in ("last", "best"):
        assert grade(an_assignment(grading=GradingRule(rule)), "ann", submissions).submission == "s1"


# Late days.


def test_each_begun_day_takes_its_share():
    graded = grade(an_assignment(), "ann", [handed(1.5, 10, 5)])
    assert (graded.points, graded.max_points, graded.late_days, graded.penalty) == (12, 20, 2, 2 * TENTH)
    assert as_text(graded)[-1] == ("late", "-3", "2 late days: 10 % of the points for each")


def test_free_days_save_points_first():
    graded = grade(an_assignment(), "ann", [handed(1.5, 10)], free_days=1)
    assert (graded.points, graded.free_days) == (9, 1)
    assert as_text(graded)[-1] == ("late", "-1", "2 late days, 1 of them free: 10 % of the points for each")


def test_a_submission_after_the_last_day_is_not_counted_and_says_so():
    graded = grade(an_assignment(), "ann", [handed(2.5, 10)])
    assert (graded.status, graded.points, graded.late_days, graded.submission) == ("too late", 0, 3, None)
    assert "after the last day, 2027-02-17 23:59+01:00" in graded.parts[0].why
    early = handed(-1, 4, number=9)
    assert grade(an_assignment(), "ann", [handed(2.5, 10), early]).submission == "s9"


def test_free_days_go_by_due_dates_and_only_where_they_save_points():
    late = LateRule(2, TENTH, 3)
    assignments = [
        an_assignment(late=late, name=name, due=DUE + days * DAY) for name, days in (("c", 28), ("b", 14), ("a", 0))
    ]
    submissions = {
        "a": [replace(handed(0, 10), at=DUE + 2 * DAY)],
        "b": [replace(handed(0, 0), at=DUE + 16 * DAY)],  # no points: a free day would save nothing
        "c": [replace(handed(0, 10), at=DUE + 30 * DAY)],
    }
    found = grades_of_student(assignments, "ann", submissions)
    assert {name: (graded.free_days, graded.points) for name, graded in found.items()} == {
        "a": (2, 10),
        "b": (0, 0),
        "c": (1, 9),
    }


# The staff's decisions.


def test_points_of_the_staff_replace_all_and_say_who_and_why():
    override = Override("was ill", "ann", points=Fraction(15))
    graded = grade(an_assignment(), "bob", [handed(0.5, 10, 5)], override=override)
    assert graded.points == 15
    assert as_text(graded)[-1] == ("override", "1.5", "15 points by ann instead of 13.5: was ill")
    missing = grade(an_assignment(), "bob", [], override=override)
    assert (missing.status, missing.points) == ("missing", 15)


def test_late_days_of_the_staff_replace_those_of_the_clock():
    override = Override("was ill", "ann", late_days=0)
    graded = grade(an_assignment(), "bob", [handed(5, 10, 5)], override=override)
    assert (graded.points, graded.late_days, graded.status) == (15, 0, "graded")
    assert as_text(graded)[-1] == ("override", "0", "0 late days by ann: was ill")


# Missing, broken, not checked.


def test_nothing_handed_in():
    graded = grade(an_assignment(points=Fraction(40)), "ann", [])
    assert (graded.status, graded.points, graded.max_points, graded.late_days) == ("missing", 0, 40, 0)
    assert as_text(graded) == [("submission", "0", "nothing was handed in")]


def test_a_broken_one_has_no_points_and_says_why():
    broken = "hw4.py, line 3: this is no Python"
    for parts in ((), (10, 5)):
        graded = grade(an_assignment(), "ann", [replace(handed(0.5), checked=checked(*parts, broken=broken))])
        assert (graded.status, graded.points, graded.submission) == ("broken", 0, "s1")
        assert broken in [part.why for part in graded.parts]
    graded = grade(an_assignment(), "ann", [handed()])
    assert (graded.status, graded.points) == ("unchecked", 0)


# The final.


def test_places_and_ratings_give_points():
    rule = GradingRule(place={1: Fraction(10), 3: Fraction(7)}, rating=(Fraction(8), 1800.0, 1000.0))
    assignment = an_assignment(grading=rule)

    def points(final):
        return [shown(part.points) for part in grade(assignment, "ann", [handed(-1, 5)], final=final).parts[1:]]

    assert points(FinalResult(1, 1900)) == ["10", "8"]
    assert points(FinalResult(2, 1400)) == ["7", "4"]
    assert points(FinalResult(4, 900)) == ["0", "0"]
    waiting = grade(assignment, "ann", [handed(-1, 5)])
    assert [part.why for part in waiting.parts[1:]] == ["the final has not been played yet"] * 2
    absent = grade(assignment, "ann", [handed(-1, 5)], final=FinalResult(None))
    assert [part.why for part in absent.parts[1:]] == ["this submission did not play the final"] * 2
    assert max_points(assignment, checked(5)) == 10 + 10 + 8


# What a student sees.

HIDDEN = Part("test_hidden", Fraction(0), Fraction(10), "expected 3, got 4", shown=False, matches=("m1",))
LATER = Part("test_later", Fraction(10), Fraction(10), feedback="after due")


def test_before_the_last_day_is_over_a_student_sees_what_is_told_at_once():
    assignment = an_assignment()
    submission = replace(handed(0.5), checked=Checked((Part("open", Fraction(10), Fraction(10)), HIDDEN, LATER)))
    graded = grade(assignment, "ann", [submission])
    assert graded.points == 18
    seen = seen_by_student(graded, assignment, DUE + DAY)
    assert as_text(seen) == [
        ("open", "10", ""),
        ("test_hidden", "0", ""),
        ("late", "-1", "1 late day: 10 % of the points for each"),
    ]
    assert (seen.points, seen.withheld, seen.parts[1].matches) == (9, 1, ())
    after = seen_by_student(graded, assignment, DUE + 2 * DAY + timedelta(seconds=1))
    assert (after.points, after.withheld, after.parts[1].why) == (18, 0, "")
    assert (after.parts[2].name, after.parts[2].points) == (LATER.name, LATER.points)


def test_what_is_told_does_not_depend_on_what_is_withheld():
    assignment = an_assignment()
    override = Override("was ill", "ann", points=Fraction(12))
    seen = set()
    for points in (0, 10):
        parts = (Part("open", Fraction(10), Fraction(10)), replace(LATER, points=Fraction(points)))
        graded = grade(assignment, "bob", [replace(handed(0.5), checked=Checked(parts))], override=override)
        seen.add(seen_by_student(graded, assignment, DUE).parts)
    assert len(seen) == 1


# Laws.

worths = st.fractions(0, 10, max_denominator=60)
some_parts = st.lists(
    st.builds(
        lambda number, points, extra, later, open_: Part(
            f"test_{number}",
            points,
            Fraction(10),
            extra=extra,
            feedback="after due" if later else "at once",
            shown=open_,
        ),
        st.integers(0, 99),
        worths,
        st.booleans(),
        st.booleans(),
        st.booleans(),
    ),
    max_size=5,
).map(tuple)
submissions = st.lists(
    st.builds(
        lambda number, minutes, parts, broken: Submission(
            f"s{number}", DUE + timedelta(minutes=minutes), Checked(parts, "broken" if broken else "")
        ),
        st.integers(0, 999),
        st.integers(-9999, 9999),
        some_parts,
        st.booleans(),
    ),
    max_size=4,
    unique_by=lambda each: each.id,
)
rules = st.builds(LateRule, st.integers(0, 5), st.fractions(0, 1, max_denominator=20), st.integers(0, 4))
overrides = st.none() | st.builds(
    Override, st.just("why"), st.just("ann"), st.none() | worths, st.none() | st.integers(0, 5)
)
chosen_rules = st.sampled_from(["last", "best"]).map(GradingRule)


@given(submissions, rules, chosen_rules, overrides)
def test_points_are_between_nothing_and_all_that_was_reached(handed_in, late, rule, override):
    assignment = an_assignment(late=late, grading=rule)
    graded = grade(assignment, "ann", handed_in, override=override, free_days=late.free)
    reached = max((each.checked.points for each in handed_in), default=Fraction(0))
    limit = override.points if override and override.points is not None else reached
    assert 0 <= graded.points <= limit
    if override and override.points is not None:
        assert graded.points == override.points
    assert graded == grade(assignment, "ann", handed_in[::-1], override=override, free_days=late.free)
    assert 0 <= graded.free_days <= min(graded.late_days, late.free)


@given(submissions, rules)
def test_the_best_is_never_less_than_the_last_and_free_days_never_cost(handed_in, late):
    last, best = (an_assignment(late=late, grading=GradingRule(rule)) for rule in ("last", "best"))
    assert grade(best, "ann", handed_in).points >= grade(last, "ann", handed_in).points
    for assignment in (last, best):
        by_free = [grade(assignment, "ann", handed_in, free_days=free).points for free in range(4)]
        assert by_free == sorted(by_free)


@given(submissions, rules, overrides, st.integers(-9999, 20_000))
def test_a_student_sees_the_grade_once_all_is_told(handed_in, late, override, minutes):
    assignment, now = an_assignment(late=late), DUE + timedelta(minutes=minutes)
    graded = grade(assignment, "ann", handed_in, override=override)
    seen = seen_by_student(graded, assignment, now)
    shown = {part.name for part in graded.parts if part.shown}
    hidden = {part.name for part in graded.parts if not part.shown} - shown
    assert all(not part.why for part in seen.parts if part.name in hidden)
    told = seen_by_student(graded, assignment, now, published=True)
    assert told.points == graded.points
    if not seen.withheld:
        assert seen.points == graded.points
        assert len(seen.parts) == len(graded.parts)


@given(submissions, rules)
def test_late_days_are_those_of_the_submission_that_counts(handed_in, late):
    assignment = an_assignment(late=late)
    graded = grade(assignment, "ann", handed_in)
    for each in handed_in:
        if each.id == graded.submission:
            assert graded.late_days == days_late(assignment, each.at) <= late.days


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ("0", "0"), ("1/3", "0.33"), ("2/3", "0.67"), ("1/200", "0.01"), ("1/201", "0"), ("-1/201", "0"),
        ("-1/200", "-0.01"), ("199/2", "99.5"), ("40", "40"), ("1005/1000", "1.01"),
    ],
)  # fmt: skip
def test_points_are_rounded_half_up_when_shown(points, text):
    assert shown(Fraction(points)) == text
    assert rounded(Fraction(points)) == float(text)


@given(st.fractions(-1000, 1000))
def test_what_is_shown_is_the_nearest_hundredth(points):
    assert abs(Fraction(shown(points)) - points) <= Fraction(1, 200)


def test_now_may_be_in_any_zone():
    assert grade(an_assignment(), "ann", [replace(handed(-1, 5), at=(DUE + DAY).astimezone(UTC))]).late_days == 1
