"""The courses of a server: read from their folders, again when a file changes, with a queue of checks each."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from palio_db.store import Store
from palio_rules.errors import BadOption
from palio_server.courses.check_queue import Checker, CheckQueue
from palio_server.courses.course_file import ASSIGNMENTS, FILE, read_course
from palio_server.courses.values import Course

log = logging.getLogger(__name__)

LOOK_S = 5.0  # between two looks at the files of a course


@dataclass(slots=True)
class ServedCourse:
    """A course and its queue."""

    queue: CheckQueue
    changed_at: float

    @property
    def course(self) -> Course:
        return self.queue.course


class ServedCourses:
    """The courses by name."""

    def __init__(self, served: Mapping[str, ServedCourse]) -> None:
        self._served = served

    def __bool__(self) -> bool:
        return bool(self._served)

    @property
    def by_name(self) -> Mapping[str, ServedCourse]:
        return self._served

    @property
    def courses(self) -> list[Course]:
        return [served.course for served in self._served.values()]

    @classmethod
    def read(cls, store: Store, folders: Sequence[Path], checker_of: Callable[[Course], Checker]) -> "ServedCourses":
        """Read the courses. Raises BadOption for a faulty one, and where there is no sandbox that it needs."""
        served: dict[str, ServedCourse] = {}
        for folder in folders:
            course = read_course(folder)
            if course.name in served:
                raise BadOption(f"two courses are called {course.name}; rename one of their folders")
            queue = CheckQueue(store, course, checker_of(course))
            served[course.name] = ServedCourse(queue, _changed_at(course.folder))
        return cls(served)

    async def run(self) -> None:
        """Check what is handed in, and read changed files, until cancelled."""
        async with asyncio.TaskGroup() as group:
            for served in self._served.values():
                group.create_task(served.queue.run())
            group.create_task(self._reread())

    async def _reread(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            for served in self._served.values():
                await asyncio.to_thread(reread, served)


NO_COURSES = ServedCourses({})


def reread(served: ServedCourse) -> None:
    """Read a course again if a file has changed. A faulty file leaves the former course, and a line in the log."""
    changed_at = _changed_at(served.course.folder)
    if changed_at == served.changed_at:
        return
    served.changed_at = changed_at
    try:
        served.queue.course = read_course(served.course.folder)
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
