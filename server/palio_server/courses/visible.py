"""The one function that decides what a student may see of a check, for every exit.

Checks and grades (`Checked`, `Part`, `Grade`) are the staff's. All that leaves for students (the API, exports,
Gradescope) takes the types of this module, which nothing else makes.

Of a hidden test (`shown = false`) a student sees the points, and the name of its function, with a number in place of
parameters, which may be answers. Reasons, output, time and games stay with the staff, at every date. Parts with the
feedback "after due" are told when the last late day is over.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import PurePosixPath

from palio_server.courses.grading import LATE, OVERRIDE, Grade, Override, Status, completed, late_reason
from palio_server.courses.schedule import is_frozen
from palio_server.courses.values import Assignment, Checked, Feedback, Part, StaffTests

AT_LAST = datetime.max.replace(tzinfo=UTC)  # when all is told that ever is
LATER = "told after the last late day"  # the part of a published grade that stands for those not told yet


@dataclass(frozen=True, slots=True)
class SeenPart:
    """A part as its student sees it."""

    name: str
    points: Fraction
    max_points: Fraction
    why: str
    extra: bool
    matches: tuple[str, ...]
    timed_out: bool
    seconds: float
    said: str
    feedback: Feedback


@dataclass(frozen=True, slots=True)
class Seen:
    """A grade, with the check behind it, as its student sees it. `withheld` parts are told later."""

    student: str
    assignment: str
    submission: str | None
    status: Status
    parts: tuple[SeenPart, ...]
    max_points: Fraction
    at: datetime | None
    late_days: int
    override: Override | None
    withheld: int
    broken: str
    unplayable: str
    printed: str  # output of the student's own code that belongs to no part
    seconds: float

    @property
    def said(self) -> str:
        """Output of the student's own code: under the name of each part, then the rest."""
        return "\n".join([*(f"{part.name}:\n{part.said}" for part in self.parts if part.said), self.printed]).strip()

    @property
    def points(self) -> Fraction:
        return sum((part.points for part in self.parts), Fraction(0))

    @property
    def told_points(self) -> Fraction:
        """The most that the told parts can give, without extra points."""
        return sum((part.max_points for part in self.parts if not part.extra), Fraction(0))


def seen_by_student(graded: Grade, assignment: Assignment, now: datetime, *, published: bool = False) -> Seen:
    """Return a grade as its student may see it at `now`. `assignment` has the student's own due date.

    Until the last late day is over, parts with the feedback "after due" are left out, and the penalty and a decision of
    the staff are told for the rest, so that they tell nothing of these parts. A `published` grade has all its points
    then: those parts are one.
    """
    own = [part for part in graded.parts if part.name not in (LATE, OVERRIDE)]
    over = is_frozen(assignment, now)
    held = [not over and _is_told_later(part, assignment) for part in own]
    told = [part for part, later in zip(own, held, strict=True) if not later]
    parts = [part for part, later in zip(_seen_parts(own, assignment), held, strict=True) if not later]
    if not any(held) or published:
        parts += [_later(own, held)] if any(held) else []
        parts += [_plain(part) for part in graded.parts if part.name in (LATE, OVERRIDE)]
    else:
        reason = late_reason(assignment, graded.late_days, graded.free_days)
        whole = completed(tuple(told), graded.penalty, reason, graded.override)
        parts += map(_plain, whole[len(told) :])
    hides = any(held) or any(_is_hidden(part, assignment) for part in own)
    seconds = sum(part.seconds for part in parts) if hides else _seconds(graded)
    return _seen(graded, parts, sum(held), seconds)


def seen_by_staff(graded: Grade) -> Seen:
    """Return all of a grade, for the staff."""
    return _seen(graded, map(_plain, graded.parts), 0, _seconds(graded))


def _seconds(graded: Grade) -> float:
    return 0.0 if graded.checked is None else graded.checked.seconds


def _seen(graded: Grade, parts: Iterable[SeenPart], withheld: int, seconds: float) -> Seen:
    checked = graded.checked or Checked(())
    return Seen(
        student=graded.student,
        assignment=graded.assignment,
        submission=graded.submission,
        status=graded.status,
        parts=tuple(parts),
        max_points=graded.max_points,
        at=graded.at,
        late_days=graded.late_days,
        override=graded.override,
        withheld=withheld,
        broken=checked.broken,
        unplayable=checked.unplayable,
        printed=checked.said,
        seconds=seconds,
    )


def _later(parts: Sequence[Part], held: Sequence[bool]) -> SeenPart:
    """Return the parts that are told later as one."""
    rest = [part for part, later in zip(parts, held, strict=True) if later]
    points = sum((part.points for part in rest), Fraction(0))
    return _plain(Part(LATER, points, sum((part.max_points for part in rest if not part.extra), Fraction(0))))


def _seen_parts(parts: Sequence[Part], assignment: Assignment) -> Iterator[SeenPart]:
    """Yield what is seen of each part. Hidden tests of one function are numbered in their order."""
    numbers: Counter[str] = Counter()
    for part in parts:
        if not _is_hidden(part, assignment):
            yield _plain(part)
            continue
        name, parameters, _ = part.name.partition("[")
        numbers[name] += 1
        name = f"{name} #{numbers[name]}" if parameters else name
        yield SeenPart(name, part.points, part.max_points, "", part.extra, (), False, 0.0, "", part.feedback)


def _plain(part: Part) -> SeenPart:
    return SeenPart(
        part.name,
        part.points,
        part.max_points,
        part.why,
        part.extra,
        part.matches,
        part.timed_out,
        part.seconds,
        part.said,
        part.feedback,
    )


def _tests_of(part: Part, assignment: Assignment) -> StaffTests | None:
    """Return the file of a test as the assignment has it now, which may be stricter than when it was checked."""
    file, test, _ = part.name.partition("::")
    return next((each for each in assignment.tests if test and PurePosixPath(each.file).name == file), None)


def _is_hidden(part: Part, assignment: Assignment) -> bool:
    tests = _tests_of(part, assignment)
    return not part.shown or (tests is not None and not tests.shown)


def _is_told_later(part: Part, assignment: Assignment) -> bool:
    tests = _tests_of(part, assignment)
    return "after due" in (part.feedback, "" if tests is None else tests.feedback)
