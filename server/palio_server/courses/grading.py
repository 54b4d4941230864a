"""Grades: what a student's submissions to an assignment are worth. `visible` says what the student sees of that.

All is exact; `shown` rounds for people and exports. The points of a grade are the sum of its parts'.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from math import floor
from typing import Literal, NamedTuple

from palio_server.courses.assignment_checks import known_points
from palio_server.courses.schedule import days_late, frozen_at, is_frozen
from palio_server.courses.values import Assignment, Checked, Part

Status = Literal["graded", "broken", "unchecked", "too late", "missing"]
_MISSING: Status = "missing"
_TOO_LATE: Status = "too late"
LATE, OVERRIDE, SUBMISSION, PLACE, RATING = "late", "override", "submission", "final: place", "final: rating"  # parts


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission with its check, None before there is one."""

    id: str
    at: datetime
    checked: Checked | None
    chosen: bool = False  # the student, or the staff, has chosen it again


class FinalResult(NamedTuple):
    """A student's place (1 is the first) and rating in the final; None for one whose bot did not play."""

    place: int | None
    rating: float | None = None


@dataclass(frozen=True, slots=True)
class Override:
    """A decision of the staff. It replaces the points, or the late days, or both."""

    reason: str
    by: str
    points: Fraction | None = None
    late_days: int | None = None


@dataclass(frozen=True, slots=True)
class Grade:
    """A student's grade. `penalty` is the share of the points that late days took; free days took none."""

    student: str
    assignment: str
    submission: str | None  # ID of the one that counts
    status: Status
    parts: tuple[Part, ...]
    max_points: Fraction
    at: datetime | None = None  # of the submission
    late_days: int = 0
    free_days: int = 0  # those of the late days that were without penalty
    penalty: Fraction = Fraction(0)
    override: Override | None = None
    checked: Checked | None = None  # the check of the submission

    @property
    def points(self) -> Fraction:
        return sum((part.points for part in self.parts), Fraction(0))


def grade(
    assignment: Assignment,
    student: str,
    submissions: Sequence[Submission],
    *,
    final: FinalResult | None = None,
    override: Override | None = None,
    free_days: int = 0,
) -> Grade:
    """Return the grade of a student's submissions, given in any order.

    `final` is None until the final was played. `free_days` are left of the course's. Of submissions with equal points
    the later one counts under the rule `best`.
    """
    counted = [each for each in submissions if _counts(assignment, each, override)]
    if not counted:
        return _without(assignment, student, submissions, override)
    counted.sort(key=lambda each: (each.at.timestamp(), each.id))
    graded = [_of_submission(assignment, student, each, final, override, free_days) for each in counted]
    chosen = [found for each, found in zip(counted, graded, strict=True) if each.chosen]
    if chosen:
        return chosen[-1]
    if assignment.grading.submission == "best":
        return max(reversed(graded), key=lambda each: each.points)
    return graded[-1]


def of_check(checked: Checked) -> Grade:
    """Return what a check is worth by itself, whenever it was handed in."""
    status: Status = "broken" if checked.broken else "graded"
    return Grade("", "", None, status, checked.parts, checked.max_points, checked=checked)


def grades_of_student(
    assignments: Iterable[Assignment],
    student: str,
    submissions: Mapping[str, Sequence[Submission]],
    *,
    finals: Mapping[str, FinalResult] | None = None,
    overrides: Mapping[str, Override] | None = None,
) -> dict[str, Grade]:
    """Return a student's grades in a whole course, by assignment.

    Free late days are spent in order of due dates, and only where they save points. `submissions`, `finals` and
    `overrides` are by assignment; a final that was played without the student is `FinalResult(None)`.
    """
    found: dict[str, Grade] = {}
    spent = 0
    for each in sorted(assignments, key=lambda each: (each.due.timestamp(), each.name)):
        found[each.name] = graded = grade(
            each,
            student,
            submissions.get(each.name, ()),
            final=(finals or {}).get(each.name),
            override=(overrides or {}).get(each.name),
            free_days=max(0, each.late.free - spent),
        )
        spent += graded.free_days
    return found


def _counts(assignment: Assignment, submission: Submission, override: Override | None) -> bool:
    if override is not None and override.late_days is not None:
        return True  # the staff has decided how late the student is
    return not is_frozen(assignment, submission.at)


def _without(
    assignment: Assignment, student: str, submissions: Sequence[Submission], override: Override | None
) -> Grade:
    """Return the grade of a student without a submission that counts."""
    worth, status, late, at = max_points(assignment), _MISSING, 0, None
    why = "nothing was handed in"
    if submissions:
        last = max(submissions, key=lambda each: each.at.timestamp())
        end = frozen_at(assignment).isoformat(sep=" ", timespec="minutes")
        why = f"handed in on {last.at.isoformat(sep=' ', timespec='minutes')}, after the last day, {end}"
        status, late, at = _TOO_LATE, days_late(assignment, last.at), last.at
    parts = completed((Part(SUBMISSION, Fraction(0), worth, why),), Fraction(0), "", override)
    return Grade(student, assignment.name, None, status, parts, worth, at, late, override=override)


def _of_submission(
    assignment: Assignment,
    student: str,
    submission: Submission,
    final: FinalResult | None,
    override: Override | None,
    free_days: int,
) -> Grade:
    checked = submission.checked
    late = days_late(assignment, submission.at)
    if override is not None and override.late_days is not None:
        late = override.late_days
    worth = max_points(assignment, checked)
    if checked is None:
        reached: tuple[Part, ...] = (Part(SUBMISSION, Fraction(0), worth, "it has not been checked yet"),)
        status: Status = "unchecked"
    elif checked.broken:
        reached, status = _broken(checked, worth), "broken"
    else:
        reached, status = (*checked.parts, *_final_parts(assignment, final)), "graded"
    costs = assignment.late.penalty and sum((part.points for part in reached), Fraction(0))
    free = min(late, free_days) if costs else 0
    penalty = min(Fraction(1), assignment.late.penalty * (late - free))
    parts = completed(reached, penalty, late_reason(assignment, late, free), override)
    counted = (submission.at, late, free, penalty, override)
    return Grade(student, assignment.name, submission.id, status, parts, worth, *counted, checked)


def _broken(checked: Checked, worth: Fraction) -> tuple[Part, ...]:
    """Return the parts of a submission of which nothing can run: 0 points each, with the reason."""
    if not checked.parts:
        return (Part(SUBMISSION, Fraction(0), worth, checked.broken),)
    return tuple(replace(part, points=Fraction(0), why=part.why or checked.broken) for part in checked.parts)


def completed(reached: tuple[Part, ...], penalty: Fraction, reason: str, override: Override | None) -> tuple[Part, ...]:
    """Return the parts with the penalty for late days and the decision of the staff, both as parts of their own."""
    points = sum((part.points for part in reached), Fraction(0))
    parts = reached
    if penalty and points:
        parts = (*parts, Part(LATE, -penalty * points, Fraction(0), reason))
        points -= penalty * points
    if override is not None and override.points is not None:
        why = f"{shown(override.points)} points by {override.by} instead of {shown(points)}: {override.reason}"
        parts = (*parts, Part(OVERRIDE, override.points - points, Fraction(0), why))
    elif override is not None and override.late_days is not None:
        why = f"{_days(override.late_days)} by {override.by}: {override.reason}"
        parts = (*parts, Part(OVERRIDE, Fraction(0), Fraction(0), why))
    return parts


def late_reason(assignment: Assignment, late: int, free: int) -> str:
    counted = f"{_days(late)}, {free} of them free" if free else _days(late)
    return f"{counted}: {shown(assignment.late.penalty * 100)} % of the points for each"


def _days(late: int) -> str:
    return f"{late} late day{'' if late == 1 else 's'}"


# The final.


def _final_parts(assignment: Assignment, final: FinalResult | None) -> tuple[Part, ...]:
    rule, parts = assignment.grading, []
    if rule.place:
        most = max(rule.place.values())
        points, why = Fraction(0), _absence(final)
        if final is not None and final.place is not None:
            points, why = place_points(rule.place, final.place), f"place {final.place} in the final"
        parts.append(Part(PLACE, points, most, why))
    if rule.rating:
        most, full, none = rule.rating
        points, why = Fraction(0), _absence(final)
        if final is not None and final.rating is not None:
            share = (Fraction(round(final.rating)) - Fraction(none)) / (Fraction(full) - Fraction(none))
            points = most * min(Fraction(1), max(Fraction(0), share))
            why = f"rating {round(final.rating)} in the final: none at {none:g}, all at {full:g}"
        parts.append(Part(RATING, points, most, why))
    return tuple(parts)


def _absence(final: FinalResult | None) -> str:
    return "the final has not been played yet" if final is None else "this submission did not play the final"


def place_points(places: Mapping[int, Fraction], place: int) -> Fraction:
    """Return the points of a place: those of the nearest place in the table that is as good or worse, 0 beyond it.

    >>> [int(place_points({1: Fraction(10), 3: Fraction(7)}, place)) for place in (1, 2, 3, 4)]
    [10, 7, 7, 0]
    """
    return next((places[each] for each in sorted(places) if place <= each), Fraction(0))


def max_points(assignment: Assignment, checked: Checked | None = None) -> Fraction:
    """Return the points of an assignment without extra ones: as its file says, or as a check has found them."""
    if assignment.points is not None:
        return assignment.points
    if checked is None or not checked.parts:
        return known_points(assignment)
    rule = assignment.grading
    return checked.max_points + max(rule.place.values(), default=Fraction(0)) + (rule.rating[0] if rule.rating else 0)


# Points for people.


def of_points(points: Fraction, most: Fraction, of: str, unit: str = "") -> str:
    """Return "7 of 8 points", or "8 of 8 points + 5 extra" where extra points lead beyond all.

    `of` is " of " or "/".
    """
    beyond = f" + {shown(points - most)} extra" if points > most else ""
    return f"{shown(min(points, most))}{of}{shown(most)}{unit}{beyond}"


def shown(points: Fraction) -> str:
    """Return points for people, rounded half up to two decimals.

    >>> shown(Fraction(1, 3)), shown(Fraction(1005, 1000)), shown(Fraction(40)), shown(Fraction(-1, 2))
    ('0.33', '1.01', '40', '-0.5')
    """
    cents = floor(abs(points) * 100 + Fraction(1, 2))
    text = f"{cents // 100}.{cents % 100:02}".rstrip("0").rstrip(".")
    return f"-{text}" if points < 0 < cents else text


def rounded(points: Fraction) -> float:
    """Return points for programs: `shown` as a number."""
    return float(shown(points))
