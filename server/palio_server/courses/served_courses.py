"""The courses of a server: read from their folders, again when a file changes, with a queue of checks each.

A course that `palio course check` refuses is not served. Solutions that were not tried yet are tried while the server
runs; until then, and after a failure, no submission to that assignment is checked.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_server.courses.check_queue import Checker, CheckQueue, usual_slots
from palio_server.courses.course_file import ASSIGNMENTS, FILE, read_course
from palio_server.courses.trial import Trials, refuse_faulty
from palio_server.courses.values import Assignment, Course

log = logging.getLogger(__name__)

LOOK_S = 5.0  # between two looks at the files of a course


@dataclass(slots=True)
class ServedCourse:
    """A course and its queue."""

    queue: CheckQueue
    changed_at: float
    trials: Trials | None = None  # None: nothing is tried

    @property
    def course(self) -> Course:
        return self.queue.course


class ServedCourses:
    """The courses by name."""

    def __init__(self, served: Mapping[str, ServedCourse]) -> None:
        self._served = served

    @property
    def by_name(self) -> Mapping[str, ServedCourse]:
        return self._served

    @property
    def courses(self) -> list[Course]:
        return [served.course for served in self._served.values()]

    @classmethod
    def read(
        cls,
        store: Store,
        folders: Sequence[Path],
        checker_of: Callable[[Course], Checker],
        trials_of: Callable[[Course], Trials | None] = lambda _: None,
        slots: int | None = None,
    ) -> "ServedCourses":
        """Read the courses, with `slots` for checks at once; not for use in a running event loop.

        Raises BadOption for a faulty one, and where there is no sandbox that it needs.
        """
        served: dict[str, ServedCourse] = {}
        at_once = slots or usual_slots()
        shared = asyncio.Semaphore(at_once)
        for folder in folders:
            course = read_course(folder)
            if course.name in served:
                raise BadOption(f"two courses are called {course.name}; rename one of their folders")
            queue = CheckQueue(store, course, checker_of(course), at_once, slots=shared)
            if (trials := trials_of(course)) is not None:
                queue.course = course = read_course(folder, trials.collect)
                refuse_faulty(course, trials)
                queue.accepts = partial(_has_passed, trials)
            served[course.name] = ServedCourse(queue, _changed_at(course.folder), trials)
        return cls(served)

    async def run(self) -> None:
        """Check what is handed in, and read changed files, until cancelled."""
        async with asyncio.TaskGroup() as group:
            for served in self._served.values():
                group.create_task(served.queue.run())
                if served.trials is not None:
                    group.create_task(_try(served, served.trials))
            group.create_task(self._reread())

    async def _reread(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            for served in self._served.values():
                await asyncio.to_thread(reread, served)


def _has_passed(trials: Trials, assignment: Assignment) -> bool:
    return trials.faults(assignment) == []


async def _try(served: ServedCourse, trials: Trials) -> None:
    """Try what was not tried, now and whenever files change, in a slot for checks."""
    while True:
        for assignment in served.course.assignments:
            if await asyncio.to_thread(trials.faults, assignment) is None:
                async with served.queue.slots or nullcontext():
                    await _try_one(served, trials, assignment)
        await asyncio.sleep(LOOK_S)


async def _try_one(served: ServedCourse, trials: Trials, assignment: Assignment) -> None:
    try:
        faults = await trials.run(assignment)
    except (BadOption, OSError) as error:  # files have changed that are not read yet, or have faults, which was said
        log.debug("%s of %s cannot be tried: %s", assignment.name, served.course.name, error)
        return
    for fault in faults:
        log.error("%s of %s is not graded: %s; correct it", assignment.name, served.course.name, fault)
    served.queue.wake()


def reread(served: ServedCourse) -> None:
    """Read a course again if a file has changed. A faulty file leaves the former course, and a line in the log."""
    changed_at = _changed_at(served.course.folder)
    if changed_at == served.changed_at:
        return
    served.changed_at = changed_at
    try:
        collect = None if served.trials is None else served.trials.collect
        served.queue.course = read_course(served.course.folder, collect)
    except (BadOption, OSError) as error:
        log.warning("the course %s has faults, so it stays as it was: %s", served.course.name, error)
    else:
        log.info("the course %s was read again", served.course.name)
        served.queue.wake()


def _changed_at(folder: Path) -> float:
    return max((path.stat().st_mtime for path in _files(folder) if path.exists()), default=0.0)


def _files(folder: Path) -> Iterator[Path]:
    yield folder / FILE
    yield from (folder / ASSIGNMENTS).rglob("*")
