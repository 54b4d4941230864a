"""Courses as values: students, their submissions, what checks said of them, overrides and published grades.

A student is named by the roster's `id` to the staff, and by the `pseudonym` to all others. The audit log has
pseudonyms only, because its lines cannot be changed when a student is forgotten.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

SERVER = "server"  # the clock of a submission that a student handed in here

Agreed = Literal["all", "on request", "nobody"]
TermKind = Literal["nightly", "final", "rehearsal"]
PracticeState = Literal["asked", "waiting", "playing", "over", "declined", "failed"]


@dataclass(frozen=True, slots=True)
class RosterEntry:
    """A line of a course's roster. `id` is the university's; `team` is empty for a student who works alone.

    `columns` has the cells of the roster's own columns by their headings, with which grades are exported.
    """

    id: str
    name: str
    email: str = ""
    team: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RosterChange:
    """The changes that a roster made, by student IDs. Those that are `missing` in it stay in the course; those that
    were `forgotten` before are left out.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    forgotten: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StudentRow:
    """A student of a course. A forgotten one has the pseudonym as `id`, and no other text."""

    number: int  # the store's own
    course: str
    id: str
    name: str
    email: str
    team: str
    pseudonym: str
    consent: Agreed | None  # to practice games against classmates; None: as the assignment says
    named: bool  # classmates see the name instead of the pseudonym
    has_link: bool
    forgotten_at: datetime | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown_as(self) -> str:
        """Return the name that classmates see."""
        return self.name if self.named and self.name else self.pseudonym


@dataclass(frozen=True, slots=True)
class NewSubmission:
    """Files to keep. `at` is when they were handed in, by the clock that `clock` names."""

    course: str
    assignment: str
    student: str  # its ID
    at: datetime
    digest: str  # of names and contents
    files: Mapping[str, bytes]
    clock: str = SERVER  # or where an import has the time from, as "gradescope", "git commit"
    note: str = ""
    who: str = ""  # handed it in, if not the student


@dataclass(frozen=True, slots=True)
class SubmissionRow:
    """A submission without its files. `current`: it is the one that counts and plays."""

    id: str
    course: str
    assignment: str
    student: str  # the ID of the one who handed it in
    team: str
    at: datetime
    clock: str
    kept_at: datetime
    digest: str
    size: int  # bytes
    note: str
    who: str
    current: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """A submission in the store; `again`: the same files were the current submission already."""

    submission: SubmissionRow
    again: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A student's choice of a former submission at a moment."""

    assignment: str
    student: str
    team: str
    submission: str
    at: datetime


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A finished check of one submission with one revision of its assignment. `body` is a Checked as JSON."""

    submission: str
    revision: str
    at: datetime
    body: bytes


@dataclass(frozen=True, slots=True)
class Override:
    """A decision of the staff on a student's points, late days, or both. The newest one holds."""

    course: str
    assignment: str
    student: str
    reason: str
    points: str | None = None  # a fraction as text: "7", "15/2"
    late_days: int | None = None
    who: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class OwnDue:
    """A student's own due date, in place of the assignment's."""

    course: str
    assignment: str
    student: str  # its ID
    due: datetime
    reason: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class PublishedGrades:
    """Grades as they were published: a JSON list with an entry for each student."""

    course: str
    assignment: str
    at: datetime
    who: str
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CourseTournamentRow:
    """A tournament of an assignment. `number` is the one in `tournaments`, None until it begins, or if none is needed.

    `body` is JSON: the entrants, and the standings when it is finished.
    """

    id: int
    course: str
    assignment: str
    kind: TermKind
    at: datetime
    worker: str
    number: int | None
    finished_at: datetime | None
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class PracticeRow:
    """A practice game. `student` and `classmate` are IDs; `bot` is the SPEC of an opponent of the staff.

    `submissions` are IDs by seat, "" for a bot of the staff.
    """

    id: str
    course: str
    assignment: str
    student: str
    classmate: str | None
    bot: str
    state: PracticeState
    at: datetime
    match: str | None = None
    submissions: tuple[str, ...] = ()
    why: str = ""


def current_submissions(rows: Iterable[SubmissionRow], choices: Sequence[Choice]) -> set[str]:
    """Return the IDs of the submissions that count: of each student or team the one handed in or chosen last."""
    latest: dict[tuple[str, str, str], tuple[datetime, str]] = {}
    acts = [(row.assignment, row.student, row.team, row.at, row.id) for row in rows]
    acts += [(each.assignment, each.student, each.team, each.at, each.submission) for each in choices]
    for assignment, student, team, at, submission in acts:
        whose = (assignment, "team", team) if team else (assignment, "student", student)
        if whose not in latest or (at, submission) >= latest[whose]:
            latest[whose] = at, submission
    return {submission for _, submission in latest.values()}
