"""Checks of submissions, overrides of grades, own due dates, and published grades.

A check is claimed by a lease, so that two servers do not run the same one. After a kill it is free when the lease ends.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta

from sqlalchemy import and_, case, func, insert, literal, or_, select, update

from palio_db.audit import log_acts
from palio_db.columns import DatabaseClock, checked, now, upsert
from palio_db.course_games import keep_games, packed_games
from palio_db.course_models import GradeOverride, OwnDueDate, Publication, Student, Submission, SubmissionCheck
from palio_db.course_values import CheckRow, Override, OwnDue, PublishedGrades
from palio_db.courses import student_of
from palio_db.errors import LeaseLost, StoreError
from palio_db.store_part import StorePart, shielded
from palio_db.values import PALIO, Act, Actor
from palio_rules.records.record import Record


class CourseChecks(StorePart):
    """Writing and reading of checks and grades."""

    @shielded
    async def claim_check(self, submission: str, revision: str, worker: str, lease: timedelta) -> int:
        """Claim the check of a submission, or renew the lease; return how often it was begun, this time included.

        Return 0 if it is finished, or another worker holds it; in older tables, where it is not counted, at most 1.
        """
        counted = self._database.has_tries
        until = DatabaseClock() + lease.total_seconds()
        line = {"submission": submission, "revision": revision, "worker": worker, "lease_until": until, "at": now()}
        more = SubmissionCheck.tries + case((SubmissionCheck.worker == worker, 0), else_=1)
        fresh = upsert(self._database.address.kind, SubmissionCheck).values(line | ({"tries": 1} if counted else {}))
        free = and_(SubmissionCheck.body.is_(None), SubmissionCheck.lease_until < DatabaseClock())
        claim = fresh.on_conflict_do_update(
            index_elements=["submission", "revision"],
            set_={"worker": worker, "lease_until": until, "at": now()} | ({"tries": more} if counted else {}),
            where=or_(free, and_(SubmissionCheck.body.is_(None), SubmissionCheck.worker == worker)),
        )
        async with self._database.write() as connection:
            found = await connection.execute(claim.returning(SubmissionCheck.tries if counted else literal(1)))
            return int(found.scalar() or 0)

    @shielded
    async def finish_check(
        self, submission: str, revision: str, worker: str, body: bytes, games: Sequence[Record] = ()
    ) -> None:
        """Store the result of a claimed check, a Checked as JSON, with its games. Raises LeaseLost.

        Of very many or long games the first ones are kept.
        """
        packed = await asyncio.to_thread(packed_games, games)
        mine = update(SubmissionCheck).where(
            SubmissionCheck.submission == submission,
            SubmissionCheck.revision == revision,
            SubmissionCheck.worker == worker,
            SubmissionCheck.body.is_(None),
        )
        async with self._database.write() as connection:
            if (await connection.execute(mine.values(body=body, at=now()))).rowcount == 0:
                raise LeaseLost(f"the check of submission {submission} is no longer held by {worker}")
            await keep_games(connection, submission, revision, packed)

    @shielded
    async def release_check(self, submission: str, revision: str, worker: str, *, counts: bool = False) -> None:
        """Give up a claimed check that is not finished, so that another worker can take it at once.

        It `counts` as a try only if the check itself came to no result.
        """
        mine = update(SubmissionCheck).where(
            SubmissionCheck.submission == submission,
            SubmissionCheck.revision == revision,
            SubmissionCheck.worker == worker,
            SubmissionCheck.body.is_(None),
        )
        async with self._database.write() as connection:
            if self._database.has_tries and not counts:
                mine = mine.values(tries=SubmissionCheck.tries - 1)
            await connection.execute(mine.values(worker="", lease_until=0.0))

    @shielded
    async def checks(
        self,
        course: str,
        assignment: str | None = None,
        revision: str | None = None,
        submissions: Collection[str] | None = None,
    ) -> Mapping[str, CheckRow]:
        """Return the newest finished check of each submission, by its ID; with `revision` only those of it.

        With `submissions`, only of these.
        """
        wanted = select(SubmissionCheck.submission, SubmissionCheck.revision, SubmissionCheck.at, SubmissionCheck.body)
        wanted = wanted.join(Submission, Submission.id == SubmissionCheck.submission)
        wanted = wanted.where(Submission.course == course, SubmissionCheck.body.is_not(None))
        if assignment is not None:
            wanted = wanted.where(Submission.assignment == assignment)
        if revision is not None:
            wanted = wanted.where(SubmissionCheck.revision == revision)
        if submissions is not None:
            wanted = wanted.where(SubmissionCheck.submission.in_(submissions))
        found = await self._all(wanted.order_by(SubmissionCheck.at))
        return {row.submission: CheckRow(row.submission, row.revision, row.at, row.body or b"") for row in found}

    @shielded
    async def count_unchecked(self, course: str, assignment: str, revision: str) -> int:
        """Return how many submissions have no finished check of this revision."""
        done = select(SubmissionCheck.submission).where(
            SubmissionCheck.submission == Submission.id,
            SubmissionCheck.revision == revision,
            SubmissionCheck.body.is_not(None),
        )
        wanted = select(func.count()).select_from(Submission)
        wanted = wanted.where(Submission.course == course, Submission.assignment == assignment, ~done.exists())
        ((count,),) = await self._all(wanted)
        return int(count)

    @shielded
    async def former_checks(self, course: str, assignment: str, revision: str) -> Mapping[str, CheckRow]:
        """Return the newest finished check of each submission with another revision than this one."""
        wanted = select(SubmissionCheck.submission, SubmissionCheck.revision, SubmissionCheck.at, SubmissionCheck.body)
        wanted = wanted.join(Submission, Submission.id == SubmissionCheck.submission).where(
            Submission.course == course,
            Submission.assignment == assignment,
            SubmissionCheck.body.is_not(None),
            SubmissionCheck.revision != revision,
        )
        found = await self._all(wanted.order_by(SubmissionCheck.at))
        return {row.submission: CheckRow(row.submission, row.revision, row.at, row.body or b"") for row in found}

    @shielded
    async def override_grade(self, override: Override, *, by: Actor = PALIO) -> None:
        """Keep a decision of the staff on a grade. Raises StoreError without a reason, NotFound."""
        if not checked("the reason", override.reason).strip():
            raise StoreError("an override needs a reason, which the student can read; give one")
        if override.points is None and override.late_days is None:
            raise StoreError("an override changes points, late days, or both; give one of them")
        async with self._database.write() as connection:
            student = await student_of(connection, override.course, override.student)
            line = {
                "student": student.number,
                "assignment": override.assignment,
                "points": override.points,
                "late_days": override.late_days,
                "reason": override.reason,
                "who": by.who,
                "at": now(),
            }
            await connection.execute(insert(GradeOverride).values(line))
            what = f"{override.assignment} of {student.pseudonym} of course {override.course}"
            said = [f"points {override.points}"] if override.points is not None else []
            said += [f"late days {override.late_days}"] if override.late_days is not None else []
            await log_acts(connection, by, Act("grade overridden", what, ", ".join(said)))

    @shielded
    async def overrides(self, course: str, assignment: str) -> dict[str, Override]:
        """Return the overrides that hold, by student ID."""
        wanted = select(GradeOverride, Student.id.label("whose"))
        wanted = wanted.join(Student, Student.number == GradeOverride.student)
        wanted = wanted.where(Student.course == course, GradeOverride.assignment == assignment)
        columns = (
            Student.id.label("whose"),
            GradeOverride.reason,
            GradeOverride.points,
            GradeOverride.late_days,
            GradeOverride.who,
            GradeOverride.at,
        )
        found = await self._all(wanted.with_only_columns(*columns).order_by(GradeOverride.id))
        return {row[0]: Override(course, assignment, *row) for row in found}

    @shielded
    async def set_own_due(self, own: OwnDue, *, by: Actor = PALIO) -> None:
        """Give a student a due date in place of the assignment's, or of the former own one. Raises StoreError."""
        if not self._database.has_own_dues:
            raise StoreError("the tables have no place for own due dates; run palio migrate")
        if not checked("the reason", own.reason).strip():
            raise StoreError("an own due date needs a reason, which the student can read; give one")
        async with self._database.write() as connection:
            student = await student_of(connection, own.course, own.student)
            values = {"due": own.due, "reason": own.reason, "who": by.who, "at": now()}
            setting = upsert(self._database.address.kind, OwnDueDate)
            setting = setting.values(student=student.number, assignment=own.assignment, **values)
            await connection.execute(
                setting.on_conflict_do_update(index_elements=["student", "assignment"], set_=values)
            )
            what = f"{own.assignment} of {student.pseudonym} of course {own.course}"
            await log_acts(connection, by, Act("own due date set", what, f"{own.due:%Y-%m-%d %H:%M %Z}".strip()))

    @shielded
    async def own_dues(self, course: str) -> list[OwnDue]:
        """Return all own due dates of a course's students."""
        if not self._database.has_own_dues:
            return []
        columns = (OwnDueDate.assignment, Student.id, OwnDueDate.due, OwnDueDate.reason, OwnDueDate.who)
        wanted = select(*columns).join(Student, Student.number == OwnDueDate.student).where(Student.course == course)
        return [OwnDue(course, *row) for row in await self._all(wanted)]

    @shielded
    async def publish_grades(self, course: str, assignment: str, body: bytes, *, by: Actor = PALIO) -> None:
        """Keep grades as published, a JSON list with an entry for each student. From now on students see them."""
        line = {"course": course, "assignment": assignment, "at": now(), "who": by.who, "body": body}
        async with self._database.write() as connection:
            await connection.execute(insert(Publication).values(line))
            await log_acts(connection, by, Act("grades published", f"{assignment} of course {course}"))

    @shielded
    async def published_grades(self, course: str, assignment: str) -> PublishedGrades | None:
        """Return the newest published grades; None if there are none."""
        columns = (Publication.course, Publication.assignment, Publication.at, Publication.who, Publication.body)
        wanted = select(*columns).where(Publication.course == course, Publication.assignment == assignment)
        found = await self._all(wanted.order_by(Publication.id.desc()).limit(1))
        return PublishedGrades(*found[0]) if found else None
