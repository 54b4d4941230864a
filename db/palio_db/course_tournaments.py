"""Tournaments of courses: each is held by one process at a time, and finished once.

The key is the assignment, the kind and the planned time, so that two servers play a night's tournament once. The holder
renews its lease; after a kill another process goes on with it.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import or_, select, update

from palio_db.columns import DatabaseClock, now, upsert
from palio_db.course_models import CourseTournament
from palio_db.course_values import CourseTournamentRow, TermKind
from palio_db.errors import LeaseLost
from palio_db.models import Tournament
from palio_db.store_part import StorePart, shielded


class CourseTournaments(StorePart):
    """Writing and reading of courses' tournaments."""

    @shielded
    async def hold_course_tournament(
        self, course: str, assignment: str, kind: TermKind, at: datetime, holder: str, worker: str, lease: timedelta
    ) -> CourseTournamentRow | None:
        """Create a tournament, or take over one whose lease is over; None if it is finished or another one holds it.

        `worker` is kept with a new one. The holder calls it again to renew its lease.
        """
        until = DatabaseClock() + lease.total_seconds()
        line: dict[str, Any] = {"course": course, "assignment": assignment, "kind": kind, "at": at}
        line |= {"worker": worker, "holder": holder, "lease_until": until, "body": b"{}"}
        free = or_(CourseTournament.lease_until < DatabaseClock(), CourseTournament.holder == holder)
        fresh = upsert(self._database.address.kind, CourseTournament).values(line)
        hold = fresh.on_conflict_do_update(
            index_elements=["course", "assignment", "kind", "at"],
            set_={"holder": holder, "lease_until": until},
            where=CourseTournament.finished_at.is_(None) & free,
        )
        async with self._database.write() as connection:
            found = (await connection.execute(hold.returning(*_COLUMNS))).one_or_none()
        return None if found is None else _row(found)

    async def begin_course_tournament(self, id_: int, holder: str, body: bytes, number: int | None = None) -> None:
        """Keep the entrants of a held tournament, and its number. Raises LeaseLost."""
        await self._change_held(id_, holder, body=body, tournament=number)

    async def finish_course_tournament(self, id_: int, holder: str, body: bytes) -> None:
        """Keep the result of a held tournament. Raises LeaseLost."""
        await self._change_held(id_, holder, body=body, finished_at=now())

    async def release_course_tournament(self, id_: int, holder: str) -> None:
        """Give up a held tournament, so that another process can go on with it at once."""
        async with self._database.write() as connection:
            mine = update(CourseTournament).where(CourseTournament.id == id_, CourseTournament.holder == holder)
            await connection.execute(mine.values(lease_until=0.0))

    @shielded
    async def course_tournaments(
        self, course: str, assignment: str | None = None, kind: TermKind | None = None
    ) -> list[CourseTournamentRow]:
        """Return the tournaments of a course, the newest last."""
        wanted = select(*_COLUMNS).where(CourseTournament.course == course)
        if assignment is not None:
            wanted = wanted.where(CourseTournament.assignment == assignment)
        if kind is not None:
            wanted = wanted.where(CourseTournament.kind == kind)
        return [_row(row) for row in await self._all(wanted.order_by(CourseTournament.id))]

    @shielded
    async def course_tournaments_in_progress(self, courses: Collection[str]) -> list[int]:
        """Return the numbers of tournaments of these courses that have begun and are not over, the oldest first."""
        wanted = select(Tournament.id).join(CourseTournament, CourseTournament.worker == Tournament.worker)
        wanted = wanted.where(CourseTournament.course.in_(courses), CourseTournament.finished_at.is_(None))
        return [row.id for row in await self._all(wanted.order_by(Tournament.id))]

    @shielded
    async def _change_held(self, id_: int, holder: str, **values: Any) -> None:
        mine = update(CourseTournament).where(
            CourseTournament.id == id_, CourseTournament.holder == holder, CourseTournament.finished_at.is_(None)
        )
        async with self._database.write() as connection:
            if (await connection.execute(mine.values(values))).rowcount == 0:
                raise LeaseLost(f"the tournament {id_} of a course is no longer held by {holder}")


_COLUMNS = (
    CourseTournament.id,
    CourseTournament.course,
    CourseTournament.assignment,
    CourseTournament.kind,
    CourseTournament.at,
    CourseTournament.worker,
    CourseTournament.tournament,
    CourseTournament.finished_at,
    CourseTournament.body,
)


def _row(found: Any) -> CourseTournamentRow:
    return CourseTournamentRow(*found)
