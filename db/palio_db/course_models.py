"""The tables of courses.

students ── submissions                 a student keeps its number when its ID is taken out
                ├── submitted_files ── file_contents     a content is kept once, compressed
                ├── submission_choices  a former submission chosen again
                └── submission_checks   by revision of the assignment's files; claimed by a lease
                      └── reference_games   records of its games against bots of the staff
                └── fault_texts   what its program said when it failed in a match
students ── grade_overrides
   ├─────── own_due_dates
   └─────── practice_games
published_grades
course_tournaments ── tournaments
"""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from palio_db.columns import Key
from palio_db.table_base import Base


class Student(Base):
    """A student of a course; `token` is the SHA-256 of the personal link's secret."""

    __tablename__ = "students"

    number: Mapped[int] = mapped_column(primary_key=True)
    course: Mapped[str] = mapped_column(Key)
    id: Mapped[str] = mapped_column(Key)
    name: Mapped[str]
    email: Mapped[str]
    team: Mapped[str] = mapped_column(Key)
    pseudonym: Mapped[str] = mapped_column(Key)
    consent: Mapped[str | None] = mapped_column(Key)
    named: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    token: Mapped[bytes | None] = mapped_column(unique=True)
    created_at: Mapped[datetime]
    forgotten_at: Mapped[datetime | None]
    columns: Mapped[bytes]  # cells of the roster by their headings, as JSON

    __table_args__ = (sa.UniqueConstraint("course", "id"), sa.Index(None, "course", "pseudonym", unique=True))


class Submission(Base):
    """A submission of a student. Rows are added, never changed, until the student is forgotten."""

    __tablename__ = "submissions"

    id: Mapped[str] = mapped_column(Key, primary_key=True)
    student: Mapped[int] = mapped_column(sa.ForeignKey("students.number"))
    course: Mapped[str] = mapped_column(Key)
    assignment: Mapped[str] = mapped_column(Key)
    team: Mapped[str] = mapped_column(Key)  # of the student then
    at: Mapped[datetime]
    clock: Mapped[str]
    kept_at: Mapped[datetime]
    digest: Mapped[str] = mapped_column(Key)
    size: Mapped[int]
    note: Mapped[str]
    who: Mapped[str]

    __table_args__ = (sa.Index(None, "course", "assignment", "id"), sa.Index(None, "student", "assignment", "id"))


class FileContent(Base):
    """The content of files by its SHA-256, compressed by zlib."""

    __tablename__ = "file_contents"

    digest: Mapped[str] = mapped_column(Key, primary_key=True)
    body: Mapped[bytes]


class SubmittedFile(Base):
    """A file of a submission."""

    __tablename__ = "submitted_files"

    submission: Mapped[str] = mapped_column(Key, sa.ForeignKey("submissions.id"), primary_key=True)
    name: Mapped[str] = mapped_column(Key, primary_key=True)
    content: Mapped[str] = mapped_column(Key, sa.ForeignKey("file_contents.digest"), index=True)


class SubmissionChoice(Base):
    """A choice of a former submission, by the student or the staff."""

    __tablename__ = "submission_choices"

    id: Mapped[int] = mapped_column(primary_key=True)
    submission: Mapped[str] = mapped_column(Key, sa.ForeignKey("submissions.id"), index=True)
    at: Mapped[datetime]
    who: Mapped[str]


class SubmissionCheck(Base):
    """A check: under way while `body` is NULL and the lease holds, else finished."""

    __tablename__ = "submission_checks"

    submission: Mapped[str] = mapped_column(Key, sa.ForeignKey("submissions.id"), primary_key=True)
    revision: Mapped[str] = mapped_column(Key, primary_key=True)
    worker: Mapped[str]
    lease_until: Mapped[float]  # seconds since 1970, by the database's clock
    at: Mapped[datetime]
    body: Mapped[bytes | None]
    tries: Mapped[int] = mapped_column(server_default="0")  # that were begun; not in tables before TRIES


class ReferenceGame(Base):
    """A game of a check against a bot of the staff; `record` is its record as JSON, compressed by zlib."""

    __tablename__ = "reference_games"

    submission: Mapped[str] = mapped_column(Key, sa.ForeignKey("submissions.id"), primary_key=True)
    match: Mapped[str] = mapped_column(Key, primary_key=True)
    revision: Mapped[str] = mapped_column(Key)
    record: Mapped[bytes]


class GradeOverride(Base):
    """A decision of the staff; the newest of a student and an assignment holds."""

    __tablename__ = "grade_overrides"

    id: Mapped[int] = mapped_column(primary_key=True)
    student: Mapped[int] = mapped_column(sa.ForeignKey("students.number"))
    assignment: Mapped[str] = mapped_column(Key)
    points: Mapped[str | None]
    late_days: Mapped[int | None]
    reason: Mapped[str]
    who: Mapped[str]
    at: Mapped[datetime]

    __table_args__ = (sa.Index(None, "student", "assignment", "id"),)


class OwnDueDate(Base):
    """A due date of one student, in place of the assignment's."""

    __tablename__ = "own_due_dates"

    student: Mapped[int] = mapped_column(sa.ForeignKey("students.number"), primary_key=True)
    assignment: Mapped[str] = mapped_column(Key, primary_key=True)
    due: Mapped[datetime]
    reason: Mapped[str]
    who: Mapped[str]
    at: Mapped[datetime]


class FaultText(Base):
    """The words of a submission's program about its fault in a match, as UTF-8. The record has the fault's kind."""

    __tablename__ = "fault_texts"

    match: Mapped[str] = mapped_column(Key, primary_key=True)
    submission: Mapped[str] = mapped_column(Key, sa.ForeignKey("submissions.id"), primary_key=True, index=True)
    body: Mapped[bytes]


class Publication(Base):
    """Grades that were published, as JSON; the newest of an assignment holds."""

    __tablename__ = "published_grades"

    id: Mapped[int] = mapped_column(primary_key=True)
    course: Mapped[str] = mapped_column(Key)
    assignment: Mapped[str] = mapped_column(Key)
    at: Mapped[datetime]
    who: Mapped[str]
    body: Mapped[bytes]

    __table_args__ = (sa.Index(None, "course", "assignment", "id"),)


class CourseTournament(Base):
    """A tournament of an assignment: at its planned time, or when the staff asked for it.

    The worker holds it by a lease until it is finished; then `body` has the result.
    """

    __tablename__ = "course_tournaments"

    id: Mapped[int] = mapped_column(primary_key=True)
    course: Mapped[str] = mapped_column(Key)
    assignment: Mapped[str] = mapped_column(Key)
    kind: Mapped[str] = mapped_column(Key)  # nightly, final, rehearsal
    at: Mapped[datetime]
    worker: Mapped[str] = mapped_column(Key)  # as the tournament's
    holder: Mapped[str]  # of the lease
    lease_until: Mapped[float]  # seconds since 1970, by the database's clock
    tournament: Mapped[int | None] = mapped_column(sa.ForeignKey("tournaments.id"))
    finished_at: Mapped[datetime | None]
    body: Mapped[bytes]  # entrants, and standings in the end, as JSON

    __table_args__ = (sa.UniqueConstraint("course", "assignment", "kind", "at"),)


class PracticeGame(Base):
    """A practice game of a student's bot, against a bot of the staff or a classmate's."""

    __tablename__ = "practice_games"

    id: Mapped[str] = mapped_column(Key, primary_key=True)
    student: Mapped[int] = mapped_column(sa.ForeignKey("students.number"))
    course: Mapped[str] = mapped_column(Key)
    assignment: Mapped[str] = mapped_column(Key)
    classmate: Mapped[int | None] = mapped_column(sa.ForeignKey("students.number"))
    bot: Mapped[str]  # SPEC of the opponent, "" for a classmate
    state: Mapped[str] = mapped_column(Key)
    at: Mapped[datetime]
    match: Mapped[str | None] = mapped_column(Key)
    submissions: Mapped[str]  # IDs by seat, "" for a bot of the staff, with a blank between
    why: Mapped[str]  # it could not be played, or was declined

    __table_args__ = (sa.Index(None, "student", "assignment", "id"), sa.Index(None, "course", "state", "id"))
