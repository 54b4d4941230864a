"""The trial of a course before a class uses it: tests are collected, solutions get all points, skeletons none.

`solution/` in an assignment's folder has the files of a submission that is right; nothing ever gives it out.
`skeleton/` has the files that students begin with. What was found is kept beside `course.toml`, with the revision that
was tried: `palio course check` and `palio serve` need not try the same files twice.
"""

import asyncio
import os
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import msgspec

from palio_rules.errors import BadOption
from palio_rules.version import BUILD
from palio_server.courses.check import check
from palio_server.courses.course_file import read_course
from palio_server.courses.faults import CourseError
from palio_server.courses.revision import revision_of
from palio_server.courses.sandboxed_tests import points_of_tests
from palio_server.courses.values import SKELETON, SOLUTION, Assignment, Checked, Course, Part
from palio_server.sandbox.confinement import Confinement

FILE = ".palio-tried.json"
TOLD = 5  # parts of a solution without their points that are told

Say = Callable[[str], None]


class _Tried(msgspec.Struct, frozen=True):
    """The knowledge of an assignment. `faults` None: its solution has not been tried."""

    revision: str
    points: str
    extra: str
    faults: list[str] | None = None


class Trials:
    """The trials of one course's assignments, of their present revisions."""

    def __init__(self, folder: Path, confinement: Confinement, say: Say = lambda _: None) -> None:
        """`folder` is the course's. `say` gets a line about each step that takes a while."""
        self._file, self._confinement, self._say = folder.resolve() / FILE, confinement, say
        self._kept: dict[str, _Tried] = {}
        with suppress(OSError, msgspec.MsgspecError):  # else all is tried again
            self._kept = msgspec.json.decode(self._file.read_bytes(), type=dict[str, _Tried])

    def collect(self, assignment: Assignment) -> tuple[Fraction, Fraction]:
        """Return the points of an assignment's tests, as `Collect` has it; not for use in a running event loop."""
        if (kept := self._known(assignment)) is None:
            self._say(f"collecting the tests of {assignment.name}")
            points, extra = asyncio.run(points_of_tests(assignment, self._confinement))
            self._keep(assignment, kept := _Tried(_revision(assignment), str(points), str(extra)))
        return Fraction(kept.points), Fraction(kept.extra)

    def faults(self, assignment: Assignment) -> Sequence[str] | None:
        """Return what the trial of the present files has found, () if all is well; None: they have not been tried."""
        kept = self._known(assignment)
        return None if kept is None else kept.faults

    async def run(self, assignment: Assignment) -> Sequence[str]:
        """Try an assignment whose tests are collected, unless that was done before; return its faults."""
        kept = await asyncio.to_thread(self._known, assignment)
        if kept is None:
            raise BadOption(f"the files of {assignment.name} have changed; run this again")
        if kept.faults is None:
            found = await self._try(assignment)
            kept = msgspec.structs.replace(kept, faults=found)
            await asyncio.to_thread(self._keep, assignment, kept)
        return kept.faults or ()

    async def _try(self, assignment: Assignment) -> list[str]:
        faults: list[str] = []
        for name, judge in ((SOLUTION, _faults_of_solution), (SKELETON, _faults_of_skeleton)):
            if (folder := assignment.folder / name).is_dir():
                self._say(f"trying {name}/ of {assignment.name}")
                try:
                    faults += judge(await check(assignment, folder, self._confinement))
                except BadOption as error:
                    faults.append(f"{name}/ cannot be checked: {error}")
        return faults

    def _known(self, assignment: Assignment) -> _Tried | None:
        kept = self._kept.get(assignment.name)
        return kept if kept is not None and kept.revision == _revision(assignment) else None

    def _keep(self, assignment: Assignment, found: _Tried) -> None:
        self._kept[assignment.name] = found
        with suppress(OSError):  # the folder may be read-only
            descriptor, beside = tempfile.mkstemp(prefix=FILE, dir=self._file.parent)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(self._kept))
            Path(beside).replace(self._file)


def _revision(assignment: Assignment) -> str:
    """Return what a trial is valid for: the files, and this Palio."""
    return f"{revision_of(assignment, with_solution=True)} {BUILD}"


def lacks_solution(course: Course) -> list[str]:
    """Return the names of the assignments without a solution."""
    return [each.name for each in course.assignments if not (each.folder / SOLUTION).is_dir()]


def untried(names: Sequence[str]) -> str:
    """Return the warning about assignments without a solution."""
    where = f"assignments/{names[0] if len(names) == 1 else 'NAME'}/{SOLUTION}/"
    return f"{', '.join(names)}: no solution to try the tests with; put the files of a right one into {where}"


async def read_tried_course(folder: Path, trials: Trials) -> Course:
    """Return the course in a folder, all of whose assignments have passed their trial. Raises CourseError."""
    course = await asyncio.to_thread(read_course, folder, trials.collect)
    for each in course.assignments:
        await trials.run(each)
    refuse_faulty(course, trials)
    return course


def refuse_faulty(course: Course, trials: Trials) -> None:
    """Raise CourseError with what the trials that were made have found."""
    if found := [(each.name, fault) for each in course.assignments for fault in trials.faults(each) or ()]:
        raise CourseError([f"assignments/{name}: {fault}" for name, fault in found])


def _faults_of_solution(checked: Checked) -> list[str]:
    if checked.broken or checked.unplayable:
        return [f"{SOLUTION}/: {checked.broken or checked.unplayable}"]
    short = [part for part in checked.parts if part.points < part.max_points and not part.extra]
    found = [
        f"{SOLUTION}/ has {_number(part.points)} of {_number(part.max_points)} points for {part.name}{_why(part)}"
        for part in short[:TOLD]
    ]
    return [*found, f"and so for {len(short) - TOLD} more parts"] if len(short) > TOLD else found


def _faults_of_skeleton(checked: Checked) -> list[str]:
    given = [part for part in checked.parts if part.points > 0]
    if not given:
        return []
    names = ", ".join(part.name for part in given[:TOLD])
    more = f" and {len(given) - TOLD} more" if len(given) > TOLD else ""
    points = _number(sum((part.points for part in given), Fraction(0)))
    return [f"{SKELETON}/ has {points} points, and nothing in it is a student's work: {names}{more}"]


def _why(part: Part) -> str:
    return f": {part.why}" if part.why else ""


def _number(value: Fraction) -> str:
    return f"{float(value):g}"
