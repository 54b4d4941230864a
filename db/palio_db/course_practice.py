"""Practice games of courses: asked for, accepted, played; counted, so that a student begins only so many an hour."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, or_, select, update
from sqlalchemy.orm import aliased

from palio_db.columns import checked, now
from palio_db.course_models import PracticeGame, Student
from palio_db.course_values import PracticeRow, PracticeState
from palio_db.courses import student_of
from palio_db.errors import DayLimit, NotFound
from palio_db.store_part import StorePart, shielded


class CoursePractice(StorePart):
    """Writing and reading of practice games."""

    @shielded
    async def ask_practice(self, new: PracticeRow, since: datetime, most: int) -> PracticeRow:
        """Keep a practice game; its `id` is given here. Raises DayLimit if the student has begun `most` since then."""
        async with self._database.write() as connection:
            student = await student_of(connection, new.course, new.student)
            await connection.execute(select(Student.number).where(Student.number == student.number).with_for_update())
            mate = None if new.classmate is None else await student_of(connection, new.course, new.classmate)
            counted = select(func.count()).where(
                PracticeGame.student == student.number,
                PracticeGame.assignment == new.assignment,
                PracticeGame.at > since,
                PracticeGame.state != "declined",
            )
            if (await connection.scalar(counted) or 0) >= most:
                raise DayLimit(f"you have begun {most} practice games within an hour, which is the limit")
            line = {
                "id": self._ids.next(),
                "student": student.number,
                "course": new.course,
                "assignment": new.assignment,
                "classmate": None if mate is None else mate.number,
                "bot": checked("the opponent", new.bot),
                "state": new.state,
                "at": now(),
                "submissions": "",
                "why": "",
            }
            await connection.execute(insert(PracticeGame).values(line))
            [row] = await _rows(connection, PracticeGame.id == line["id"])
            return row

    @shielded
    async def count_practice(self, course: str, assignment: str, student: str, since: datetime) -> int:
        """Return how many practice games a student has begun since then."""
        rows = await self.practice_games(course, assignment, student)
        return sum(row.student == student and row.at > since and row.state != "declined" for row in rows)

    @shielded
    async def practice_games(
        self, course: str, assignment: str | None = None, student: str | None = None, state: PracticeState | None = None
    ) -> list[PracticeRow]:
        """Return practice games, oldest first; with `student` those that the student has begun or is asked for."""
        async with self._database.read() as connection:
            wanted: list[Any] = [PracticeGame.course == course]
            if assignment is not None:
                wanted.append(PracticeGame.assignment == assignment)
            if state is not None:
                wanted.append(PracticeGame.state == state)
            if student is not None:
                number = (await student_of(connection, course, student)).number
                wanted.append(or_(PracticeGame.student == number, PracticeGame.classmate == number))
            return await _rows(connection, *wanted)

    @shielded
    async def set_practice(
        self,
        id_: str,
        state: PracticeState,
        *,
        only_from: PracticeState,
        match: str | None = None,
        submissions: tuple[str, ...] = (),
        why: str = "",
    ) -> PracticeRow:
        """Move a practice game to another state. Raises NotFound if it is no longer at `only_from`."""
        values: dict[str, Any] = {"state": state, "why": checked("the reason", why[:500])}
        if match is not None:
            values |= {"match": match, "submissions": " ".join(each or "-" for each in submissions)}
        changing = update(PracticeGame).where(PracticeGame.id == id_, PracticeGame.state == only_from)
        async with self._database.write() as connection:
            if (await connection.execute(changing.values(values))).rowcount == 0:
                raise NotFound(f"the practice game {id_[:40]!r} is no longer {only_from}; look at the list again")
            [row] = await _rows(connection, PracticeGame.id == id_)
            return row


_MATE = aliased(Student)


async def _rows(connection: Any, *wanted: Any) -> list[PracticeRow]:
    columns = (
        PracticeGame.id,
        PracticeGame.course,
        PracticeGame.assignment,
        Student.id.label("whose"),
        _MATE.id.label("mate"),
        PracticeGame.bot,
        PracticeGame.state,
        PracticeGame.at,
        PracticeGame.match,
        PracticeGame.submissions,
        PracticeGame.why,
    )
    asked = select(*columns).join(Student, Student.number == PracticeGame.student)
    asked = asked.outerjoin(_MATE, _MATE.number == PracticeGame.classmate).where(*wanted).order_by(PracticeGame.id)
    return [_row(row) for row in await connection.execute(asked)]


def _row(found: Any) -> PracticeRow:
    seats = tuple("" if each == "-" else each for each in found.submissions.split())
    return replace(PracticeRow(*found[:9]), submissions=seats, why=found.why)
