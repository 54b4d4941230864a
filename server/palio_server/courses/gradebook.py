"""Grades of a course from the store: submissions, their checks, the staff's decisions."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime
from fractions import Fraction

import msgspec

from palio_db.course_values import CourseTournamentRow, RosterEntry, StudentRow, SubmissionRow
from palio_db.store import Store
from palio_db.values import Actor
from palio_rules.errors import BadOption, nearest, quoted
from palio_server.courses.checked_json import decode_checked
from palio_server.courses.evening import TermBody, decode_term, final_results
from palio_server.courses.grading import FinalResult, Grade, Override, Status, Submission, grades_of_student, rounded
from palio_server.courses.values import Assignment, Checked, Course, Feedback, Part
from palio_server.courses.visible import Seen, seen_by_student

Finals = Mapping[str, Mapping[str, FinalResult]]  # by assignment, by student
Gradebook = dict[str, dict[str, Grade]]  # by student, by assignment


async def gradebook(
    store: Store,
    course: Course,
    finals: Finals | None = None,
    only: str | None = None,
    checks: Mapping[str, Checked] | None = None,
) -> Gradebook:
    """Return the grades of every student, or of one, for every assignment, by the newest checks.

    `finals` are those that the store has, if they are not given. `checks` by submission replace the newest ones.
    """
    if finals is None:
        finals = await finals_of(store, course)
    students = [row for row in await store.students(course.name) if row.forgotten_at is None and only in (None, row.id)]
    found = {row.id: dict[str, list[Submission]]() for row in students}
    decisions: dict[str, dict[str, Override]] = defaultdict(dict)
    dues = await own_dues(store, course)
    for assignment in course.assignments:
        rows = await store.submissions(course.name, assignment.name, only)
        known = await checks_of(store, course, assignment, None if only is None else rows)
        known |= checks or {}
        for student in students:
            found[student.id][assignment.name] = submissions_of(student, rows, known)
        for student_id, each in (await store.overrides(course.name, assignment.name)).items():
            points = None if each.points is None else Fraction(each.points)
            decisions[student_id][assignment.name] = Override(each.reason, each.who, points, each.late_days)
    return {
        row.id: grades_of_student(
            for_whom(course, row.id, dues).assignments,
            row.id,
            found[row.id],
            finals={name: each.get(row.id, FinalResult(None)) for name, each in (finals or {}).items()},
            overrides=decisions[row.id],
        )
        for row in students
    }


async def seen_gradebook(store: Store, course: Course, now: datetime) -> dict[str, dict[str, Seen]]:
    """Return the grades of every student, as the student would see them if they were published `now`."""
    book, dues = await gradebook(store, course), await own_dues(store, course)
    return {
        student: {
            each.name: seen_by_student(grades[each.name], each, now, published=True)
            for each in for_whom(course, student, dues).assignments
        }
        for student, grades in book.items()
    }


# Own due dates: all that is computed of a student uses the course as it is for that student.

Dues = Mapping[tuple[str, str], datetime]  # by student and assignment


async def own_dues(store: Store, course: Course) -> Dues:
    """Return the due dates that students have in place of their assignments'."""
    return {(each.student, each.assignment): each.due for each in await store.own_dues(course.name)}


def for_whom(course: Course, student: str, dues: Dues) -> Course:
    """Return a course with the student's own due dates."""
    own = (
        replace(each, due=due.astimezone(course.zone)) if (due := dues.get((student, each.name))) else each
        for each in course.assignments
    )
    return replace(course, assignments=tuple(own))


async def finals_of(store: Store, course: Course) -> Finals:
    """Return the results of the finals that were played, by the last time of each."""
    done = {row.assignment: row for row in await store.course_tournaments(course.name, kind="final") if row.finished_at}
    if not done:
        return {}
    students = await store.students(course.name)
    return {name: final_results(decode_term(row.body), students) for name, row in done.items()}


async def last_tournament(
    store: Store, course: Course, assignment: Assignment, *, final: bool = False
) -> tuple[CourseTournamentRow, TermBody] | None:
    """Return the last tournament of an assignment that is over, or its final; rehearsals are left out."""
    rows = await store.course_tournaments(course.name, assignment.name, "final" if final else None)
    done = [row for row in rows if row.finished_at is not None and row.kind != "rehearsal"]
    return (done[-1], decode_term(done[-1].body)) if done else None


async def checks_of(
    store: Store, course: Course, assignment: Assignment, rows: Collection[SubmissionRow] | None = None
) -> dict[str, Checked]:
    """Return the newest check of each submission, or of each in `rows`."""
    ids = None if rows is None else [row.id for row in rows]
    found = await store.checks(course.name, assignment.name, submissions=ids)
    return {name: decode_checked(each.body) for name, each in found.items()}


def submissions_of(student: StudentRow, rows: list[SubmissionRow], checks: Mapping[str, Checked]) -> list[Submission]:
    """Return a student's submissions, and those of the team, with what they are worth."""
    own = [row for row in rows if row.student == student.id or (row.team and row.team == student.team)]
    latest = max((row.at for row in own), default=None)
    return [Submission(row.id, row.at, checks.get(row.id), chosen=row.current and row.at != latest) for row in own]


def roster_of(students: list[StudentRow]) -> list[RosterEntry]:
    """Return the students as exports take them, forgotten ones left out."""
    return [
        RosterEntry(row.id, row.name, row.email, row.team, row.columns) for row in students if row.forgotten_at is None
    ]


async def publish(store: Store, course: Course, assignment: Assignment, *, by: Actor) -> int:
    """Publish the grades of an assignment as they are now; return of how many students.

    Raises BadOption while submissions have no check of the assignment's present tests, StoreError.
    """
    book = await gradebook(store, course)
    students = roster_of(await store.students(course.name))
    unchecked = sum(book[each.id][assignment.name].status == "unchecked" for each in students)
    if unchecked:
        raise BadOption(
            f"{unchecked} submissions to {assignment.name} are not checked; wait for the server, or run "
            f"palio course check-all {course.name}"
        )
    body = encode_published({each.id: book[each.id][assignment.name] for each in students})
    await store.publish_grades(course.name, assignment.name, body, by=by)
    return len(students)


# Published grades as the store keeps them: whole. What a student sees of one is decided when it is read.


class PublishedPart(msgspec.Struct, frozen=True, omit_defaults=True):
    """A part of a published grade."""

    name: str
    points: float
    max_points: float
    why: str
    feedback: Feedback = "at once"
    shown: bool = True
    extra: bool = False


class PublishedGrade(msgspec.Struct, frozen=True):
    """A student's published grade. Points are rounded to two decimals."""

    student: str
    submission: str | None
    points: float
    max_points: float
    late_days: int
    status: Status = "graded"  # a forgotten student's grade has none
    parts: list[PublishedPart] = []

    def grade(self, assignment: str) -> Grade:
        """Return it as a grade, of which `visible` says what its student sees."""
        parts = [
            Part(
                each.name,
                exact(each.points),
                exact(each.max_points),
                each.why,
                feedback=each.feedback,
                shown=each.shown,
                extra=each.extra,
            )
            for each in self.parts
        ]
        worth = exact(self.max_points)
        found = Grade(self.student, assignment, self.submission, self.status, tuple(parts), worth)
        return replace(found, late_days=self.late_days)


def exact(points: float) -> Fraction:
    """Return published points as a fraction again."""
    return Fraction(points).limit_denominator(100)


def encode_published(grades: Mapping[str, Grade]) -> bytes:
    """Return grades, by student, as they are published."""
    worth = rounded(max((each.max_points for each in grades.values()), default=Fraction(0)))
    found = [
        PublishedGrade(
            student,
            graded.submission,
            rounded(graded.points),
            worth,
            graded.late_days,
            graded.status,
            [
                PublishedPart(
                    part.name,
                    rounded(part.points),
                    rounded(part.max_points),
                    part.why,
                    part.feedback,
                    part.shown,
                    part.extra,
                )
                for part in graded.parts
            ],
        )
        for student, graded in grades.items()
    ]
    return msgspec.json.encode(found)


def decode_published(body: bytes) -> list[PublishedGrade]:
    """Read published grades."""
    return msgspec.json.decode(body, type=list[PublishedGrade])


def assignment_of(course: Course, name: str) -> Assignment:
    """Return an assignment of the course. Raises BadOption with the nearest name."""
    for each in course.assignments:
        if each.name == name:
            return each
    known = [each.name for each in course.assignments]
    raise BadOption(f"the course {course.name} has no assignment {quoted(name)}; {nearest(name, known)}")
