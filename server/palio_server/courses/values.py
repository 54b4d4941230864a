"""A course, its assignments and their parts, as the files of a course's folder say them.

All values are frozen; `course_file` and `assignment_file` read them. Times are aware, in the course's time zone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

SOLUTION = "solution"  # folder of an assignment: files of a right submission, which are never given out
SKELETON = "skeleton"  # folder of an assignment: files that the handout gave

Feedback = Literal["at once", "after due"]  # when a student is told what a part is worth
Consent = Literal["all", "on request", "nobody"]  # whom a student's bot plays in practice
Chosen = Literal["last", "best"]  # which of a student's submissions is graded


@dataclass(frozen=True, slots=True)
class StaffTests:
    """A pytest file of the staff. Its tests have points by the marker `points`; see `palio_clients.grading`."""

    file: str  # relative to the assignment's folder
    points: Fraction | None = None  # for the whole file, shared evenly by tests without a marker; None: markers alone
    feedback: Feedback = "at once"
    shown: bool = True  # whether a student sees expected and got; a hidden test tells its name and points only


@dataclass(frozen=True, slots=True)
class Reference:
    """Games against a bot of the staff: all points for a score of `need` or more, none for 0, in between a share."""

    bot: str  # a SPEC; relative paths are relative to the assignment's folder
    games: int  # in pairs from one opening, both seats
    need: Fraction  # of the points of those games, above 0 and at most 1
    points: Fraction
    feedback: Feedback = "at once"


@dataclass(frozen=True, slots=True)
class Practice:
    """Games of students' bots against reference bots and, if they agree, each other."""

    classmates: Consent = "on request"  # what holds for a student who has not said otherwise
    games_an_hour: int = 10  # that one student may begin
    rated: bool = False  # on the assignment's practice ladder


@dataclass(frozen=True, slots=True)
class PlannedTournament:
    """A tournament of all newest submissions that work: nightly, or once."""

    at: str  # "daily 03:00", "weekly sunday 03:00", or a date and time of the course
    format: str = "round-robin"  # as `palio run --format` has it
    rounds: int | None = None
    openings: str | None = None
    clock: str | None = None  # as `palio run --tc`
    final: bool = False  # one at most; the grading rule may ask for its places


@dataclass(frozen=True, slots=True)
class GradingRule:
    """Points beside those of tests and reference bots. `place` and `rating` need a final."""

    submission: Chosen = "last"
    place: Mapping[int, Fraction] = field(default_factory=dict)  # points for this place or a better one
    rating: tuple[Fraction, float, float] | None = None  # points, all of them at this rating, none at that one


@dataclass(frozen=True, slots=True)
class LateRule:
    """Days after `due` on which a submission still counts. Each begun day takes `penalty` of its points."""

    days: int = 0  # for this assignment
    penalty: Fraction = Fraction(1, 10)  # a day, of the points that were reached
    free: int = 0  # days without penalty that a student has in the whole course
    grace: timedelta = timedelta()  # after `due`, and after each late day, that does not count


@dataclass(frozen=True, slots=True)
class Assignment:
    """One assignment, read from `assignments/NAME/assignment.toml`."""

    name: str  # of its folder
    folder: Path
    title: str
    game: str  # as `palio run` names it
    spec: str  # of a submission's bot; `{folder}` stands for the folder with its files
    files: tuple[str, ...]  # that a submission must have; `*` and `?` as in file names
    opens: datetime
    due: datetime
    optional: tuple[str, ...] = ()  # that it may have; others are refused
    size: int = 1_000_000  # bytes, of all files together
    late: LateRule = LateRule()
    submissions_a_day: int = 10
    clock: str = "1"  # seconds for a move, or a time control, in games that count
    time: timedelta = timedelta(minutes=10)  # for all tests together
    seed: int = 1  # of openings, instances and drawn tests
    tests: tuple[StaffTests, ...] = ()
    against: tuple[Reference, ...] = ()
    practice: Practice | None = None
    tournaments: tuple[PlannedTournament, ...] = ()
    grading: GradingRule = GradingRule()
    points: Fraction | None = None  # in all, for a check; extra points do not count
    extra: Fraction = Fraction(0)  # that tests marked as extra may add

    @property
    def final(self) -> PlannedTournament | None:
        return next((each for each in self.tournaments if each.final), None)


@dataclass(frozen=True, slots=True)
class Course:
    """A course, read from its folder."""

    name: str  # of its folder
    folder: Path
    title: str
    zone: ZoneInfo
    staff: tuple[str, ...] = ()  # names of tokens that may act as staff
    team_size: int = 1  # students that hand in together, at most
    sandbox: bool = True  # False: the staff takes the risk of running students' files without one
    slots: int | None = None  # checks at once, at most; None: as many as the server runs
    pseudonyms: bool = True  # students are shown to each other by made-up names
    late: LateRule = LateRule()
    assignments: tuple[Assignment, ...] = ()


# What a submission is worth.


@dataclass(frozen=True, slots=True)
class Part:
    """Points for one test, one reference bot, a place, or a penalty (below 0), with the reason, for the staff.

    `visible` says what the student sees of it.
    """

    name: str  # "test_search.py::test_one_step", "against alpha_beta:depth=2", "final"
    points: Fraction
    max_points: Fraction
    why: str = ""  # "expected (0, 0), got None (adversarial_search.py, line 31)"; "" where all points were given
    feedback: Feedback = "at once"
    shown: bool = True  # whether the student sees `why`
    extra: bool = False  # `max_points` do not count to the assignment's points
    matches: tuple[str, ...] = ()  # IDs, for links
    timed_out: bool = False  # the points hung on the time that something took
    seconds: float = 0.0
    said: str = ""  # stdout and tracebacks of the student's own code, bounded


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a submission's check.

    `broken` is the sentence about a submission of which nothing can run (a file that is missing, a syntax error): all
    its parts have 0 points then, and it plays no tournament.
    """

    parts: tuple[Part, ...]
    broken: str = ""
    unplayable: str = ""  # why it cannot play as a bot, in the referee's words; its tests may still give points
    seconds: float = 0.0
    said: str = ""  # output of the student's own code that belongs to no part, bounded

    @property
    def points(self) -> Fraction:
        return sum((part.points for part in self.parts), Fraction(0))

    @property
    def max_points(self) -> Fraction:
        return sum((part.max_points for part in self.parts if not part.extra), Fraction(0))
