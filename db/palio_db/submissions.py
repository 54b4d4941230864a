"""Submissions: files that students handed in, kept permanently, and which of them counts.

A content is kept once, compressed, under its SHA-256; many students submit the same skeleton.
"""

import asyncio
import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, func, insert, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.audit import log_acts
from palio_db.columns import checked, now, upsert
from palio_db.course_models import FileContent, Student, Submission, SubmissionChoice, SubmittedFile
from palio_db.course_values import SERVER, Choice, Kept, NewSubmission, StudentRow, SubmissionRow, current_submissions
from palio_db.courses import student_of
from palio_db.errors import DayLimit, NotFound, StoreError, Unreadable
from palio_db.store_part import StorePart, shielded
from palio_db.values import PALIO, Act, Actor

LEVEL = 6  # of zlib
LARGEST = 64 * 2**20  # bytes of a content that is read back; no assignment allows more


class Submissions(StorePart):
    """Writing and reading of submissions."""

    @shielded
    async def keep_submission(
        self, new: NewSubmission, *, since: datetime | None = None, most: int = 0, by: Actor = PALIO
    ) -> Kept:
        """Keep a submission; files that are the current submission already are not kept `again`.

        With `since`, DayLimit is raised if the student has handed in `most` since then by the server's clock.
        Concurrent calls for one student run one after the other, in all processes. Raises StoreError.
        """
        if new.at.tzinfo is None:
            raise StoreError(f"the submission's time {new.at} has no time zone; give it one")
        for what, value in (("the clock", new.clock), ("the note", new.note), ("who handed it in", new.who)):
            checked(what, value)
        packed = await asyncio.to_thread(_packed, new.files)
        async with self._database.write() as connection:
            student = await student_of(connection, new.course, new.student)
            locked = select(Student.number).where(Student.number == student.number)
            await connection.execute(locked.with_for_update())
            if (same := await _same(connection, new, student)) is not None:
                return Kept(same, again=True)
            if since is not None and await _count_of(connection, new.assignment, student, since) >= most:
                raise DayLimit(f"you have handed in {most} times today, which is the limit of {new.assignment}")
            row = SubmissionRow(
                id=self._ids.next(),
                course=new.course,
                assignment=new.assignment,
                student=student.id,
                team=student.team,
                at=new.at,
                clock=new.clock,
                kept_at=now(),
                digest=new.digest,
                size=sum(map(len, new.files.values())),
                note=new.note,
                who=new.who,
            )
            line = {name: getattr(row, name) for name in _KEPT} | {"student": student.number}
            await connection.execute(insert(Submission).values(line))
            await self._keep_files(connection, row.id, packed)
            what = f"{new.assignment} by {student.pseudonym} of course {new.course}"
            await log_acts(connection, by, Act("submission kept", what, f"{row.id}, clock: {new.clock}"))
            rows, choices = await _of_course(connection, new.course, new.assignment, student)
            return Kept(_marked([row], current_submissions(rows, choices))[0])

    async def _keep_files(
        self, connection: AsyncConnection, submission: str, packed: dict[str, tuple[str, bytes]]
    ) -> None:
        keep = upsert(self._database.address.kind, FileContent).on_conflict_do_nothing()
        for digest, body in sorted({*packed.values()}):  # in one order, so that no two transactions deadlock
            await connection.execute(keep.values(digest=digest, body=body))
        files = [{"submission": submission, "name": name, "content": digest} for name, (digest, _) in packed.items()]
        if files:
            await connection.execute(insert(SubmittedFile), files)

    @shielded
    async def submissions(
        self, course: str, assignment: str | None = None, student: str | None = None
    ) -> list[SubmissionRow]:
        """Return submissions of a course, oldest first; of a student: those of the student's team, too.

        Each says whether it is the current one. Raises NotFound for an unknown student.
        """
        async with self._database.read() as connection:
            whose = None if student is None else await student_of(connection, course, student)
            rows, choices = await _of_course(connection, course, assignment, whose)
            return _marked(rows, current_submissions(rows, choices))

    @shielded
    async def submission(self, id_: str) -> SubmissionRow:
        """Return a submission. Raises NotFound."""
        async with self._database.read() as connection:
            wanted = select(Submission.course, Submission.assignment).where(Submission.id == id_)
            found = (await connection.execute(wanted)).one_or_none()
            if found is None:
                raise NotFound(f"there is no submission {id_[:40]!r}; palio course submissions lists them")
            rows, choices = await _of_course(connection, *found)
            return next(row for row in _marked(rows, current_submissions(rows, choices)) if row.id == id_)

    @shielded
    async def submitted_files(self, id_: str) -> dict[str, bytes]:
        """Return the files of a submission by name; none if the student was forgotten. Raises Unreadable."""
        wanted = select(SubmittedFile.name, FileContent.digest, FileContent.body)
        wanted = wanted.join(FileContent, FileContent.digest == SubmittedFile.content)
        found = await self._all(wanted.where(SubmittedFile.submission == id_).order_by(SubmittedFile.name))
        return await asyncio.to_thread(_all_unpacked, id_, found)

    @shielded
    async def choose_submission(self, course: str, student: str, id_: str, *, by: Actor = PALIO) -> SubmissionRow:
        """Let a former submission of a student count again, until a later one. Raises NotFound."""
        async with self._database.write() as connection:
            whose = await student_of(connection, course, student)
            rows, _ = await _of_course(connection, course, None, whose)
            row = next((each for each in rows if each.id == id_), None)
            if row is None:
                raise NotFound(f"there is no submission {id_[:40]!r} of yours; your list has their names")
            moment = now()
            await connection.execute(insert(SubmissionChoice).values(submission=id_, at=moment, who=by.who))
            what = f"{row.assignment} by {whose.pseudonym} of course {course}"
            await log_acts(connection, by, Act("submission chosen", what, id_))
            rows, choices = await _of_course(connection, course, row.assignment, whose)
            return _marked([row], current_submissions(rows, choices))[0]

    @shielded
    async def count_submissions(self, course: str, assignment: str, student: str, since: datetime) -> int:
        """Return how often a student has handed in since then by the server's clock."""
        async with self._database.read() as connection:
            whose = await student_of(connection, course, student)
            return await _count_of(connection, assignment, whose, since)


def _packed(files: Mapping[str, bytes]) -> dict[str, tuple[str, bytes]]:
    """Return digests and compressed contents by name. This takes a second for some ten megabytes."""
    return {name: (hashlib.sha256(data).hexdigest(), zlib.compress(data, LEVEL)) for name, data in files.items()}


def _all_unpacked(submission: str, found: Sequence[Row[str, str, bytes]]) -> dict[str, bytes]:
    return {name: _unpacked(submission, name, digest, body) for name, digest, body in found}


def _unpacked(submission: str, name: str, digest: str, body: bytes) -> bytes:
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(body, LARGEST)
    except zlib.error:
        data = b""
    if hashlib.sha256(data).hexdigest() != digest:
        raise Unreadable(f"the file {name!r} of submission {submission} in the database is damaged")
    return data


async def _of_course(
    connection: AsyncConnection, course: str, assignment: str | None, whose: StudentRow | None = None
) -> tuple[list[SubmissionRow], list[Choice]]:
    """Return all submissions and choices of a course, an assignment, a student with its team; oldest first."""
    wanted = select(*_COLUMNS).join(Student, Student.number == Submission.student).where(Submission.course == course)
    chosen = select(
        Submission.assignment, Student.id, Submission.team, SubmissionChoice.submission, SubmissionChoice.at
    )
    chosen = chosen.join(Submission, Submission.id == SubmissionChoice.submission)
    chosen = chosen.join(Student, Student.number == Submission.student).where(Submission.course == course)
    if assignment is not None:
        wanted = wanted.where(Submission.assignment == assignment)
        chosen = chosen.where(Submission.assignment == assignment)
    if whose is not None:
        wanted, chosen = wanted.where(_by(whose)), chosen.where(_by(whose))
    rows = [_row(found) for found in await connection.execute(wanted.order_by(Submission.at, Submission.id))]
    choices = await connection.execute(chosen.order_by(SubmissionChoice.id))
    return rows, [Choice(*found) for found in choices]


_KEPT = ("id", "course", "assignment", "team", "at", "clock", "kept_at", "digest", "size", "note", "who")
_COLUMNS = (
    Submission.id,
    Submission.course,
    Submission.assignment,
    Student.id.label("whose"),
    Submission.team,
    Submission.at,
    Submission.clock,
    Submission.kept_at,
    Submission.digest,
    Submission.size,
    Submission.note,
    Submission.who,
)


def _row(found: Sequence[Any]) -> SubmissionRow:
    return SubmissionRow(*found)


def _marked(rows: Sequence[SubmissionRow], current: set[str]) -> list[SubmissionRow]:
    return [replace(row, current=row.id in current) for row in rows]


def _by(student: StudentRow) -> ColumnElement[bool]:
    """Return the condition that a submission is the student's or the team's."""
    mine = Submission.student == student.number
    return or_(mine, Submission.team == student.team) if student.team else mine


async def _same(connection: AsyncConnection, new: NewSubmission, student: StudentRow) -> SubmissionRow | None:
    """Return the submission that these files are already: the current one, or, of an import, the one of that moment."""
    rows, choices = await _of_course(connection, new.course, new.assignment, student)
    current = current_submissions(rows, choices)
    for row in reversed(rows):
        again = row.id in current if new.clock == SERVER else (row.at, row.clock) == (new.at, new.clock)
        if again and row.digest == new.digest:
            return _marked([row], current)[0]
    return None


async def _count_of(connection: AsyncConnection, assignment: str, student: StudentRow, since: datetime) -> int:
    wanted = select(func.count()).where(
        _by(student),
        Submission.course == student.course,
        Submission.assignment == assignment,
        Submission.clock == SERVER,
        Submission.kept_at >= since,
    )
    return int(await connection.scalar(wanted) or 0)
