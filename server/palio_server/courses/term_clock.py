"""The tournaments of served courses, played by themselves at their times: one after the other, each in its process.

A nightly one whose time passed while the former one of its assignment was still played is skipped; one that was missed
because the server was away is played if it is not too old. A final waits for the end of the last late day, and is
played however late it is. The store decides that two servers play each once.
"""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from palio_db.course_values import CourseTournamentRow, TermKind
from palio_db.errors import StoreError
from palio_db.store import Store
from palio_rules.interpreter import python
from palio_server.courses.reference_games import PALIO
from palio_server.courses.schedule import frozen_at, tournaments_between
from palio_server.courses.values import Assignment, Course
from palio_server.processes.bot_process import GOODBYE_S, end_for_certain
from palio_server.processes.tether import tethered

log = logging.getLogger(__name__)

LOOK_S = 15.0  # between two looks at the clock
LATE = timedelta(hours=6)  # after which a nightly tournament that was missed is left out
FINAL_LATE = timedelta(days=60)
RETRY = timedelta(minutes=30)  # after one that could not be played


class Due(NamedTuple):
    """A tournament that is due: `at` is its planned time."""

    course: Course
    assignment: Assignment
    kind: TermKind
    at: datetime

    @property
    def key(self) -> tuple[str, str, TermKind, datetime]:
        return self.course.name, self.assignment.name, self.kind, self.at.astimezone(UTC)


Ended = Mapping[tuple[str, str], datetime]  # when the last tournament ended here, by course and assignment


def due(course: Course, rows: Iterable[CourseTournamentRow], ended: Ended, now: datetime) -> list[Due]:
    """Return the tournaments of a course that are due and not played, by time. `rows` are those of the store."""
    found = []
    done = [row for row in rows if row.finished_at is not None]
    for assignment in course.assignments:
        mine = [row for row in done if row.assignment == assignment.name]
        played = {(row.kind, row.at) for row in mine}
        former = ended.get((course.name, assignment.name), now - LATE)
        nightly = [each for each in tournaments_between(assignment, now - LATE, now) if not each.tournament.final]
        new = [each for each in nightly[-1:] if each.at > former]
        found += [
            Due(course, assignment, "nightly", each.at)
            for each in new
            if ("nightly", each.at.astimezone(UTC)) not in played
        ]
        if any(row.kind == "final" for row in mine) or now <= frozen_at(assignment):
            continue
        finals = [each for each in tournaments_between(assignment, now - FINAL_LATE, now) if each.tournament.final]
        found += [Due(course, assignment, "final", each.at) for each in finals]
    return sorted(found, key=lambda each: each.at.astimezone(UTC))


Play = Callable[[Due], Awaitable[bool]]  # returns False if it could not be played


@dataclass(slots=True)
class TermClock:
    """The clock of a server's courses."""

    store: Store
    courses: Callable[[], Iterable[Course]]
    play: Play
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    _ended: dict[tuple[str, str], datetime] = field(default_factory=dict)
    _not_before: dict[tuple[str, str, TermKind, datetime], datetime] = field(default_factory=dict)

    async def run(self) -> None:
        """Play what is due until cancelled."""
        while True:
            try:
                while (next_ := await self._next()) is not None:
                    await self._play(next_)
            except StoreError as error:
                log.warning("tournaments of courses wait: %s", error)
            await self.pause(LOOK_S)

    async def _next(self) -> Due | None:
        """Return the one that has been due for the longest time."""
        now, found = self.now(), list[Due]()
        for course in self.courses():
            found += due(course, await self.store.course_tournaments(course.name), self._ended, now)
        ready = [each for each in found if self._not_before.get(each.key, now) <= now]
        return min(ready, key=lambda each: each.at.astimezone(UTC), default=None)

    async def _play(self, next_: Due) -> None:
        log.info("the %s of %s in %s begins", next_.kind, next_.assignment.name, next_.course.name)
        played = await self.play(next_)
        if played:
            self._ended[next_.course.name, next_.assignment.name] = self.now()
        self._not_before[next_.key] = self.now() + RETRY


def in_process(db: str, *, confined: bool = True) -> Play:
    """Return a function that plays a tournament by `palio course tournament` on the database `db`.

    `confined`: in a sandbox, unless the course's own file says otherwise.
    """
    sandbox = () if confined else ("--sandbox", "off")

    async def play(next_: Due) -> bool:
        words = ["course", "tournament", str(next_.course.folder), next_.assignment.name, "--at", next_.at.isoformat()]
        process = await asyncio.create_subprocess_exec(
            *tethered(GOODBYE_S, *python(*PALIO, *words, *(["--final"] if next_.kind == "final" else []), *sandbox)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PALIO_DB": db},  # a password does not belong into a command line
            start_new_session=True,
        )
        try:
            _, err = await process.communicate()
        finally:
            await end_for_certain(process)
        what = f"the {next_.kind} of {next_.assignment.name} in {next_.course.name}"
        if process.returncode == 0:
            log.info("%s is over", what)
            return True
        said = err.decode(errors="replace").strip().splitlines()[-1:]
        log.warning("%s could not be played: %s", what, said[0] if said else f"exit code {process.returncode}")
        return False

    return play
