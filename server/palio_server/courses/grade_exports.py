"""Grades as files that other programs import. Students read them there, so they say of parts what students may see.

csv         a line for each student and assignment, with the reasons
canvas      the gradebook's own export, which it imports: `Student,ID,SIS User ID,SIS Login ID,Section`, a column for
            each assignment, and a row `Points Possible` (github.com/instructure/canvas-lms, lib/gradebook_importer.rb).
            An assignment keeps its heading in a roster of Canvas, `Dominoes (4711)`, by which Canvas finds it.
moodle      `Email address,ID number`, and for each assignment its grade and `(Feedback)`, which Moodle wants to be
            imported together (docs.moodle.org, "Grade import")
gradescope  the columns of Gradescope's download of grades: `First Name,Last Name,SID,Email,Sections`, and for each
            assignment `Dominoes`, `Dominoes - Max Points`, `- Submission Time`, `- Lateness (H:M:S)`
json        for programs; see `Entry`

Points include extra ones, which the points of an assignment do not.
A submission that has not been checked has no points in Canvas, Moodle and Gradescope, rather than 0.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Literal

import msgspec

from palio_db.course_values import RosterEntry
from palio_rules.plain_text import cell
from palio_server.courses.grading import LATE, OVERRIDE, SUBMISSION, rounded, shown
from palio_server.courses.people import first_name, last_name
from palio_server.courses.schedule import in_time_until
from palio_server.courses.values import Assignment
from palio_server.courses.visible import Seen, SeenPart

Form = Literal["csv", "canvas", "moodle", "gradescope", "json"]
FORMS: tuple[Form, ...] = ("csv", "canvas", "moodle", "gradescope", "json")
Grades = Mapping[str, Mapping[str, Seen]]  # by the student's id, by the assignment's name


def grades_text(form: Form, assignments: Sequence[Assignment], roster: Sequence[RosterEntry], grades: Grades) -> str:
    """Return the grades of all students of a roster, who each have one for each assignment."""
    if form == "json":
        return msgspec.json.format(msgspec.json.encode(entries(assignments, roster, grades))).decode()
    text = io.StringIO(newline="")
    csv.writer(text).writerows(_ROWS[form](assignments, roster, grades))
    return text.getvalue()


# JSON: the form is a contract with other programs.


class PartEntry(msgspec.Struct, frozen=True):
    name: str
    points: float
    max_points: float
    why: str


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A student's grade. `assignment` is there if the file has several assignments."""

    student: str
    submission: str | None
    points: float
    max_points: float
    late_days: int
    status: str
    parts: list[PartEntry]
    assignment: str = ""


def entries(assignments: Sequence[Assignment], roster: Sequence[RosterEntry], grades: Grades) -> list[Entry]:
    """Return an entry for each student of the roster, and each assignment."""
    return [
        Entry(
            student.id,
            graded.submission,
            rounded(graded.points),
            rounded(_worth(each, roster, grades)),
            graded.late_days,
            graded.status,
            part_entries(graded.parts),
            each.name if len(assignments) > 1 else "",
        )
        for each in assignments
        for student, graded in _graded(each, roster, grades)
    ]


def part_entries(parts: Sequence[SeenPart]) -> list[PartEntry]:
    return [PartEntry(part.name, rounded(part.points), rounded(part.max_points), part.why) for part in parts]


def _graded(
    assignment: Assignment, roster: Sequence[RosterEntry], grades: Grades
) -> Iterator[tuple[RosterEntry, Seen]]:
    for student in roster:
        yield student, grades[student.id][assignment.name]


def _worth(assignment: Assignment, roster: Sequence[RosterEntry], grades: Grades) -> Fraction:
    """Return the points of an assignment, which a grade without a check may not know."""
    return max((grades[each.id][assignment.name].max_points for each in roster), default=Fraction(0))


# CSV: cells of strangers are no formulas.

Rows = Iterator[Sequence[str]]


def _csv(assignments: Sequence[Assignment], roster: Sequence[RosterEntry], grades: Grades) -> Rows:
    yield [
        *("student", "name", "email", "team", "assignment", "submission"),
        *("points", "max_points", "late_days", "status", "why"),
    ]
    for each in assignments:
        for student, graded in _graded(each, roster, grades):
            people = [cell(text) for text in (student.id, student.name, student.email, student.team)]
            points = [shown(graded.points), shown(_worth(each, roster, grades)), str(graded.late_days), graded.status]
            yield [*people, each.name, graded.submission or "", *points, cell(reasons(graded))]


def _canvas(assignments: Sequence[Assignment], roster: Sequence[RosterEntry], grades: Grades) -> Rows:
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(_heading(each, roster) for each in assignments)]
    yield ["    Points Possible", "", "", "", "", *(shown(_worth(each, roster, grades)) for each in assignments)]
    for student in roster:
        own = student.columns
        name = own.get("Student") or ", ".join(filter(None, (last_name(student), first_name(student))))
        ids = [own.get("ID", ""), own.get("SIS User ID", ""), own.get("SIS Login ID", ""), own.get("Section", "")]
        if "Student" not in own:  # the roster is another program's, so its id is that of the university
            ids = ["", "" if "@" in student.id else student.id, student.email, ""]
        points = [_points(grades[student.id][name]) for name in _names(assignments)]
        yield [*(cell(text) for text in (name, *ids)), *points]


def _heading(assignment: Assignment, roster: Sequence[RosterEntry]) -> str:
    own = re.compile(rf"{re.escape(assignment.title)} \(\d+\)")
    headings = (heading for student in roster for heading in student.columns if own.fullmatch(heading))
    return cell(next(headings, assignment.title))


def _moodle(assignments: Sequence[Assignment], roster: Sequence[RosterEntry], grades: Grades) -> Rows:
    headings = [(cell(each.title), cell(f"{each.title} (Feedback)")) for each in assignments]
    yield ["Email address", "ID number", *(heading for pair in headings for heading in pair)]
    for student in roster:
        own = [grades[student.id][name] for name in _names(assignments)]
        cells = [text for graded in own for text in (_points(graded), cell(reasons(graded)))]
        yield [cell(student.email), cell(student.columns.get("ID number", student.id)), *cells]


def _gradescope(assignments: Sequence[Assignment], roster: Sequence[RosterEntry], grades: Grades) -> Rows:
    head = ["First Name", "Last Name", "SID", "Email", "Sections"]
    for each in assignments:
        ends = ("", " - Max Points", " - Submission Time", " - Lateness (H:M:S)")
        head += [cell(f"{each.title}{end}") for end in ends]
    yield head
    for student in roster:
        sid = student.columns.get("SID", student.id)
        sections = student.columns.get("Sections", student.columns.get("Section", ""))
        row = [cell(text) for text in (first_name(student), last_name(student), sid, student.email, sections)]
        for each in assignments:
            graded = grades[student.id][each.name]
            at = "" if graded.at is None else graded.at.strftime("%Y-%m-%d %H:%M:%S %z")
            row += [_points(graded), shown(_worth(each, roster, grades)), at, _lateness(each, graded.at)]
        yield row


def _lateness(assignment: Assignment, at: datetime | None) -> str:
    if at is None:
        return ""
    if at.astimezone(UTC) <= in_time_until(assignment).astimezone(UTC):
        return "00:00:00"
    seconds = max(0, int((at.astimezone(UTC) - assignment.due.astimezone(UTC)).total_seconds()))
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _names(assignments: Sequence[Assignment]) -> list[str]:
    return [each.name for each in assignments]


def _points(graded: Seen) -> str:
    return "" if graded.status == "unchecked" and graded.override is None else shown(graded.points)


def reasons(graded: Seen) -> str:
    """Return in one line which parts did not give all of their points, and why; then those with extra points."""
    lost = [part for part in graded.parts if part.points < part.max_points or part.name in (LATE, OVERRIDE, SUBMISSION)]
    gained = [f"{part.name} {shown(part.points)} extra" for part in graded.parts if part.extra and part.points > 0]
    told = [
        f"{part.name} {shown(part.points)}{f'/{shown(part.max_points)}' if part.max_points else ''}"
        f"{f': {one}' if (one := ' '.join(part.why.split())) else ''}"
        for part in lost
        if not part.extra
    ]
    return "; ".join(told + gained)


_ROWS: Mapping[str, Any] = {"csv": _csv, "canvas": _canvas, "moodle": _moodle, "gradescope": _gradescope}
