"""The values that the page gets of a course: for a student, who sees only the own ones, and for the staff."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

import msgspec

from palio_db.course_values import StudentRow, SubmissionRow
from palio_server.api.bodies import Body
from palio_server.courses.check_line import Place
from palio_server.courses.grading import Grade, grade, rounded
from palio_server.courses.grading import Submission as Graded
from palio_server.courses.schedule import due_text, frozen_at, in_time_until, is_frozen
from palio_server.courses.values import Assignment, Checked
from palio_server.courses.visible import Seen, SeenPart, seen_by_student

State = Literal["not open", "open", "late", "closed"]
CheckStatus = Literal["waiting", "checking", "checked", "broken", "too late"]
Role = Literal["student", "staff"]
BINS = 10  # of a distribution


class Me(msgspec.Struct, frozen=True):
    """The asker. `shown_as` is what classmates see; `consent` null: as the assignment says."""

    role: Role
    name: str
    shown_as: str = ""
    team: str = ""
    consent: Literal["all", "on request", "nobody"] | None = None
    named: bool = False


class AssignmentItem(msgspec.Struct, frozen=True):
    """An assignment for its student. `closes` is after the late days; `due_in` is a text; `left_today` submissions."""

    name: str
    title: str
    game: str
    opens: datetime
    due: datetime
    closes: datetime
    due_in: str
    state: State
    late_days: int
    penalty: float
    files: list[str]
    optional: list[str]
    size: int
    submissions_a_day: int
    left_today: int
    submissions: int
    submission: str | None
    status: CheckStatus | None
    points: float | None
    max_points: float | None
    published: bool


class CourseItem(msgspec.Struct, frozen=True):
    """A course. `free_days_left` are late days without penalty; `now` is the server's clock."""

    name: str
    title: str
    zone: str
    now: datetime
    me: Me
    free_days_left: int
    assignments: list[AssignmentItem]


class SubmissionItem(msgspec.Struct, frozen=True):
    """A submission of the asker or the team. `points` are those that may be told now.

    While it waits for its check, `place` is its place in the line, from 1, and `begins_in_s` when that may begin.
    """

    id: str
    assignment: str
    at: datetime
    clock: str
    size: int
    late_days: int
    current: bool
    status: CheckStatus
    points: float | None = None
    max_points: float | None = None
    by_me: bool = True
    place: int | None = None
    begins_in_s: int | None = None


class SubmissionKept(msgspec.Struct, frozen=True):
    """The answer to an upload. `again`: these files were the current submission already, and none was used up.

    `late` says what late days cost, "" without any.
    """

    id: str
    again: bool
    at: datetime
    digest: str
    files: list[str]
    left_today: int
    status: CheckStatus
    late: str = ""


class PartItem(msgspec.Struct, frozen=True):
    """Points for a test, a reference bot, a place, or a penalty; `why` is empty where all points were given."""

    name: str
    points: float
    max_points: float
    why: str
    extra: bool
    matches: list[str]
    seconds: float
    timed_out: bool


class Feedback(msgspec.Struct, frozen=True):
    """The findings of a check, as far as it may be told now: `withheld` parts are told when the assignment has closed.

    `broken` is why nothing could run; `said` is the output of the student's own code.
    """

    submission: SubmissionItem
    broken: str
    unplayable: str
    parts: list[PartItem]
    withheld: int
    said: str
    seconds: float


class GradeItem(msgspec.Struct, frozen=True):
    """The asker's published grade."""

    assignment: str
    published_at: datetime
    points: float
    max_points: float
    late_days: int
    status: str
    submission: str | None
    parts: list[PartItem]


class ConsentRequest(Body, frozen=True):
    """`consent`: whom the asker's bot plays in practice; `named`: whether classmates see the name."""

    WRITE = {"consent": '"consent": "on request"', "named": '"named": true'}  # noqa: RUF012

    consent: Literal["all", "on request", "nobody"] | None = None
    named: bool = False


class RosterItem(msgspec.Struct, frozen=True):
    """A student for the staff. `missing` names the open or closed assignments to which nothing was handed in."""

    id: str
    name: str
    email: str
    team: str
    pseudonym: str
    has_link: bool
    missing: list[str]


class StaffSubmission(msgspec.Struct, frozen=True):
    """A submission for the staff, with all that its check found."""

    id: str
    student: str
    name: str
    at: datetime
    clock: str
    kept_at: datetime
    late_days: int
    current: bool
    size: int
    note: str
    who: str
    status: CheckStatus
    points: float | None
    max_points: float | None
    broken: str
    failed: list[str]  # names of the parts without all points


class Distribution(msgspec.Struct, frozen=True):
    """The number of students with so many points: `counts[i]` of those from `edges[i]` up to `edges[i + 1]`.

    `missing` have handed in nothing, `unchecked` have no check yet; both are in no bin.
    """

    assignment: str
    edges: list[float]
    counts: list[int]
    mean: float | None
    median: float | None
    missing: int
    unchecked: int
    broken: int


def state_of(assignment: Assignment, now: datetime) -> State:
    if now < assignment.opens:
        return "not open"
    if is_frozen(assignment, now):
        return "closed"
    return "late" if now > in_time_until(assignment) else "open"


def assignment_item(
    assignment: Assignment,
    now: datetime,
    rows: Sequence[SubmissionRow],
    left: int,
    current: SubmissionItem | None,
    *,
    published: bool,
) -> AssignmentItem:
    """Return an assignment with the asker's own submissions."""
    return AssignmentItem(
        name=assignment.name,
        title=assignment.title,
        game=assignment.game,
        opens=assignment.opens,
        due=assignment.due,
        closes=frozen_at(assignment),
        due_in=due_text(assignment.due, now),
        state=state_of(assignment, now),
        late_days=assignment.late.days,
        penalty=float(assignment.late.penalty),
        files=list(assignment.files),
        optional=list(assignment.optional),
        size=assignment.size,
        submissions_a_day=assignment.submissions_a_day,
        left_today=left,
        submissions=len(rows),
        submission=None if current is None else current.id,
        status=None if current is None else current.status,
        points=None if current is None else current.points,
        max_points=None if current is None else current.max_points,
        published=published,
    )


def status_of(row: SubmissionRow, checked: Checked | None, running: Iterable[str]) -> CheckStatus:
    if checked is None:
        return "checking" if row.id in running else "waiting"
    return "broken" if checked.broken else "checked"


def grade_of(assignment: Assignment, row: SubmissionRow, checked: Checked | None, free_days: int = 0) -> Grade:
    """Return what one submission is worth by itself, with `free_days` late days that cost nothing."""
    return grade(assignment, row.student, [Graded(row.id, row.at, checked)], free_days=free_days)


def seen_of(
    assignment: Assignment, row: SubmissionRow, checked: Checked | None, now: datetime, free_days: int = 0
) -> Seen:
    """Return what its student may see of that at this moment."""
    return seen_by_student(grade_of(assignment, row, checked, free_days), assignment, now)


def submission_item(
    assignment: Assignment,
    row: SubmissionRow,
    checked: Checked | None,
    running: Iterable[str],
    now: datetime,
    student: StudentRow,
    free_days: int = 0,
    place: Place | None = None,
) -> SubmissionItem:
    """Return a student's own submission, with `free_days` that are left for it, and its place in the line."""
    seen = None if checked is None else seen_of(assignment, row, checked, now, free_days)
    return SubmissionItem(
        id=row.id,
        assignment=row.assignment,
        at=row.at,
        clock=row.clock,
        size=row.size,
        late_days=grade_of(assignment, row, checked).late_days,
        current=row.current,
        status=status_of(row, checked, running) if seen is None or seen.status != "too late" else "too late",
        points=None if seen is None else rounded(seen.points),
        max_points=None if seen is None else rounded(seen.told_points),
        by_me=row.student == student.id,
        place=None if place is None else place.number,
        begins_in_s=None if place is None else round(place.begins_in_s),
    )


def part_items(parts: Iterable[SeenPart], games: Collection[str] = ()) -> list[PartItem]:
    """Return the parts; of their matches those among `games`, which can be replayed."""
    return [
        PartItem(
            part.name,
            rounded(part.points),
            rounded(part.max_points),
            part.why,
            part.extra,
            [match for match in part.matches if match in games],
            round(part.seconds, 3),
            part.timed_out,
        )
        for part in parts
    ]


def staff_submission(
    assignment: Assignment,
    row: SubmissionRow,
    checked: Checked | None,
    running: Iterable[str],
    students: Mapping[str, StudentRow],
) -> StaffSubmission:
    """Return a submission for the staff."""
    worth = None if checked is None else grade_of(assignment, row, checked)
    return StaffSubmission(
        id=row.id,
        student=row.student,
        name=students[row.student].name if row.student in students else "",
        at=row.at,
        clock=row.clock,
        kept_at=row.kept_at,
        late_days=grade_of(assignment, row, checked).late_days,
        current=row.current,
        size=row.size,
        note=row.note,
        who=row.who,
        status=status_of(row, checked, running),
        points=None if worth is None else rounded(worth.points),
        max_points=None if worth is None else rounded(worth.max_points),
        broken="" if checked is None else checked.broken,
        failed=[] if checked is None else [part.name for part in checked.parts if part.points < part.max_points],
    )


def distribution(assignment: Assignment, grades: Mapping[str, Mapping[str, Grade]]) -> Distribution:
    """Return the distribution of the points of all students."""
    found = [each[assignment.name] for each in grades.values()]
    told = [each for each in found if each.status in ("graded", "broken")]
    points = sorted(rounded(each.points) for each in told)
    top = max([rounded(each.max_points) for each in found] + points, default=0.0) or 1.0
    edges = [top * number / BINS for number in range(BINS + 1)]
    counts = [0] * BINS
    for each in points:
        counts[min(BINS - 1, max(0, int(each / top * BINS)))] += 1
    middle = len(points) // 2
    median = None if not points else (points[middle] + points[-middle - 1]) / 2
    return Distribution(
        assignment.name,
        edges,
        counts,
        sum(points) / len(points) if points else None,
        median,
        missing=sum(each.status == "missing" for each in found),
        unchecked=sum(each.status == "unchecked" for each in found),
        broken=sum(each.status == "broken" for each in found),
    )
