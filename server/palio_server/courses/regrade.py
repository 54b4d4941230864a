"""Regrading: all submissions are checked again, and the difference to before is told. Nothing is published.

What was before are the published grades, or else the grades by the checks of the former revision of the assignment's
files. A regrade with unchanged files runs all checks once more under a revision with a number, `REVISION.2`, and its
results replace the former ones: so a staff sees whether grades depend on anything but submissions and seeds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from palio_db.store import Store
from palio_server.courses.checked_json import decode_checked
from palio_server.courses.gradebook import Gradebook, decode_published, exact, gradebook
from palio_server.courses.grading import Grade
from palio_server.courses.revision import revision_of
from palio_server.courses.values import Assignment, Checked, Course

Baseline = Literal["published grades", "former checks", "nothing"]


@dataclass(frozen=True, slots=True)
class PartChange:
    """A part whose points are others than before; None: the part was not there, or is not there now."""

    name: str
    before: Fraction | None
    after: Fraction | None
    why: str = ""
    timed_out: bool = False  # now or before: the points hung on time


@dataclass(frozen=True, slots=True)
class GradeChange:
    """The change of a student's grade by a regrade. `before` is None if there was no grade."""

    student: str
    before: Fraction | None
    after: Fraction
    parts: tuple[PartChange, ...]

    @property
    def changed(self) -> bool:
        return self.before != self.after or bool(self.parts)


Points = Mapping[str, tuple[Fraction, bool]]  # by the part's name, and whether they hung on time


@dataclass(frozen=True, slots=True)
class Before:
    """The grades before, by student: points in all, and of each part."""

    what: Baseline
    grades: Mapping[str, tuple[Fraction, Points]]


async def before(store: Store, course: Course, assignment: Assignment, revision: str) -> Before:
    """Return the published grades, or those by checks of other revisions than `revision`."""
    published = await store.published_grades(course.name, assignment.name)
    if published is not None:
        told = {
            each.student: (exact(each.points), {part.name: (exact(part.points), False) for part in each.parts})
            for each in decode_published(published.body)
        }
        return Before("published grades", told)
    checks = await former_checks(store, course, assignment, revision)
    if not checks:
        return Before("nothing", {})
    book = await gradebook(store, course, checks=checks)
    found = {student: each[assignment.name] for student, each in book.items()}
    return Before("former checks", {student: (each.points, _points(each)) for student, each in found.items()})


async def former_checks(store: Store, course: Course, assignment: Assignment, revision: str) -> dict[str, Checked]:
    """Return the newest check of each submission by another revision."""
    found = await store.former_checks(course.name, assignment.name, revision)
    return {name: decode_checked(row.body) for name, row in found.items()}


def _points(graded: Grade) -> Points:
    return {part.name: (part.points, part.timed_out) for part in graded.parts}


def changes(former: Before, book: Gradebook, assignment: str) -> list[GradeChange]:
    """Return the difference for each student, those with the greatest change first.

    Points are compared as they were told: published grades are rounded to two decimals.
    """
    rounds = former.what == "published grades"
    found = []
    for student, each in book.items():
        graded = each[assignment]
        told = former.grades.get(student)
        after = _rounded(graded.points) if rounds else graded.points
        parts = _part_changes({} if told is None else told[1], graded, rounds=rounds) if told is not None else ()
        found.append(GradeChange(student, None if told is None else told[0], after, parts))
    return sorted(found, key=lambda each: (-abs(each.after - (each.before or 0)), each.student))


def _part_changes(former: Points, graded: Grade, *, rounds: bool) -> tuple[PartChange, ...]:
    now = {part.name: part for part in graded.parts}
    found = []
    for name in [*now, *(each for each in former if each not in now)]:
        part, (points, late) = now.get(name), former.get(name, (None, False))
        after = None if part is None else _rounded(part.points) if rounds else part.points
        if points != after:
            timed_out = late or (part is not None and part.timed_out)
            found.append(PartChange(name, points, after, "" if part is None else part.why, timed_out))
    return tuple(found)


def _rounded(points: Fraction) -> Fraction:
    return exact(round(float(points), 2))


async def numbered_revision(store: Store, course: Course, assignment: Assignment) -> Callable[[Assignment], str]:
    """Return the revision for checking all again with unchanged files: an interrupted one is gone on with."""
    plain = revision_of(assignment)
    rows = await store.submissions(course.name, assignment.name)
    number = 2
    while 0 < len(await store.checks(course.name, assignment.name, f"{plain}.{number}")) == len(rows):
        number += 1
    return lambda each: f"{revision_of(each)}.{number}"
