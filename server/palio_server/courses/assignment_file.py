"""`assignments/NAME/assignment.toml`: one assignment, with every fault of its keys.

`assignment_checks` has the faults that need more than one key.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from palio_rules.errors import BadOption, quoted
from palio_server.courses.assignment_checks import UNKNOWN, Collect, Parts, check_assignment
from palio_server.courses.bot_specs import check_handout, check_spec, spec_of_handout
from palio_server.courses.faults import Faults
from palio_server.courses.schedule import Times
from palio_server.courses.toml_reading import Table, read_table
from palio_server.courses.toml_values import (
    a_clock,
    a_duration,
    a_flag,
    a_moment,
    a_number,
    a_rating,
    a_share,
    a_size,
    a_text,
    one_of,
    points,
    texts,
)
from palio_server.courses.values import (
    Assignment,
    GradingRule,
    LateRule,
    PlannedTournament,
    Practice,
    Reference,
    StaffTests,
)

FILE = "assignment.toml"
MOST_LATE_DAYS = 366
MOST_GRACE = 720  # minutes: more would be another due date
_feedback = one_of("at once", "after due")


def read_assignment(
    folder: Path, zone: ZoneInfo, late: LateRule, faults: Faults, collect: Collect | None = None
) -> Assignment | None:
    """Return the assignment in a folder; None, with its faults added to `faults`, if it has some.

    `late` is the course's rule. `collect` tells the points of tests.
    """
    before = len(faults.found)
    table = read_table(folder / FILE, f"{folder.parent.name}/{folder.name}/{FILE}", faults)
    if table is None:
        return None
    parts = Parts(table, list(table.tables("tests")), list(table.tables("against")), list(table.tables("tournament")))
    assignment = _assignment(parts, folder, zone, late)
    table.end()
    check_assignment(assignment, parts, collect if len(faults.found) == before else None)
    return assignment if len(faults.found) == before else None


def _assignment(parts: Parts, folder: Path, zone: ZoneInfo, late: LateRule) -> Assignment:
    """Return an assignment with placeholders for the values that are missing or at fault."""
    table, moment = parts.table, a_moment(zone)
    title = table.need("title", a_text, 'title = "Dominoes"')
    game = table.need("game", a_text, 'game = "dominoes"')
    files = table.need("files", _files, 'files = ["adversarial_search.py"]')
    opens = table.need("opens", moment, "opens = 2027-02-01T09:00:00")
    due = table.need("due", moment, "due = 2027-02-15T23:59:00")
    return Assignment(
        folder.name,
        folder,
        title or "",
        game or "",
        _spec(table, files),
        files or (),
        opens or UNKNOWN,
        due or UNKNOWN,
        late=late_rule(table, late),
        tests=tuple(map(_tests, parts.tests)),
        against=tuple(map(_reference, parts.against)),
        practice=_practice(table.table("practice")),
        tournaments=tuple(_tournament(each, zone) for each in parts.tournaments),
        grading=_grading(table.table("grading")),
        **table.given(
            optional=_patterns,
            size=a_size,
            submissions_a_day=a_number(1),
            clock=a_clock,
            time=a_duration,
            seed=a_number(0, 2**63 - 1),
            points=points,
            extra=points,
        ),
    )


def _spec(table: Table, files: tuple[str, ...] | None) -> str:
    """Return the SPEC of a submission's bot, from `handout` or `spec`."""

    def handout(value: Any) -> str:
        check_handout(a_text(value))
        return a_text(value)

    def own(value: Any) -> str:
        check_spec(a_text(value))
        return a_text(value)

    name = table.get("handout", handout, "")
    spec = table.get("spec", own, "")
    given = {"handout", "spec"} & table.values.keys()
    if len(given) == 2:
        table.fault("spec", "handout and spec both say how a submission plays; keep one of them")
    elif not given:
        table.fault("", 'there is neither handout nor spec; write for instance handout = "dominoes"')
    return spec or spec_of_handout(name, files or ())


def late_rule(table: Table, usual: LateRule, *, of_course: bool = False) -> LateRule:
    """Read `[late]` of an assignment or a course; values that are left out are those of `usual`."""
    if (late := table.table("late")) is None:
        return usual
    given = late.given(days=a_number(0, MOST_LATE_DAYS), penalty=a_share, grace=_grace)
    if of_course:
        given["free"] = late.get("free_days", a_number(0, MOST_LATE_DAYS), usual.free)
    late.end()
    return replace(usual, **given)


def _grace(value: Any) -> timedelta:
    return timedelta(minutes=a_number(0, MOST_GRACE)(value))


def _patterns(value: Any) -> tuple[str, ...]:
    found = texts(value)
    for each in found:
        path = PurePosixPath(each)
        if path.is_absolute() or ".." in path.parts or "\\" in each or not each.isprintable() or path.name == "":
            raise BadOption(f"{quoted(each)} is no name of a submission's file; write hw4.py, *.txt or team/*.py")
    if len(set(found)) < len(found):
        raise BadOption(f"{quoted(next(each for each in found if found.count(each) > 1))} is there twice")
    return found


def _files(value: Any) -> tuple[str, ...]:
    found = _patterns(value)
    if not found:
        raise BadOption("a submission must have one file at least; write its name")
    return found


def _tests(table: Table) -> StaffTests:
    file = table.need("file", a_text, 'file = "tests/test_examples.py"')
    given = table.given(points=points, feedback=_feedback, shown=a_flag)
    table.end()
    return StaffTests(file or "", **given)


def _reference(table: Table) -> Reference:
    bot = table.need("bot", a_text, 'bot = "alpha_beta:depth=2"')
    games = table.need("games", a_number(1, 10_000), "games = 20")
    worth = table.need("points", points, "points = 10")
    need = table.get("need", _need, Fraction(1, 2))
    given = table.given(feedback=_feedback)
    table.end()
    return Reference(bot or "", games or 0, need, worth or Fraction(0), **given)


def _need(value: Any) -> Fraction:
    if not (share := a_share(value)):
        raise BadOption("0 is no share that a bot must reach; write for instance 0.5")
    return share


def _practice(table: Table | None) -> Practice | None:
    if table is None:
        return None
    classmates = one_of("all", "on request", "nobody")
    given = table.given(classmates=classmates, games_an_hour=a_number(0), rated=a_flag)
    table.end()
    return Practice(**given)


def _tournament(table: Table, zone: ZoneInfo) -> PlannedTournament:
    at = table.need("at", _at(zone), 'at = "daily 03:00"')
    given = table.given(format=a_text, rounds=a_number(1, 100_000), openings=_openings, clock=a_clock, final=a_flag)
    table.end()
    return PlannedTournament(at or "", **given)


def _openings(value: Any) -> str:
    """Read openings: a text as `palio run --openings` has it, or a number of random plies."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else a_text(value)


def _at(zone: ZoneInfo) -> Callable[[Any], str]:
    """Return a reader of a tournament's time; a single one is written with its offset."""

    def read(value: Any) -> str:
        if isinstance(value, datetime):
            return a_moment(zone)(value).isoformat()
        text = str(value) if not isinstance(value, str) and hasattr(value, "isoformat") else a_text(value)
        times = Times.parse(text, zone)
        return times.once.isoformat() if times.once else text

    return read


def _grading(table: Table | None) -> GradingRule:
    if table is None:
        return GradingRule()
    given = table.given(submission=one_of("last", "best"), place=_places)
    rating = _rating(table.table("rating"))
    table.end()
    return GradingRule(**given, rating=rating)


def _places(value: Any) -> dict[int, Fraction]:
    if not isinstance(value, dict) or not value:
        raise BadOption(f"{quoted(value)} is no table of places; write {{ 1 = 10, 3 = 7 }}")
    found = {}
    for place, worth in value.items():
        if not (place.isascii() and place.isdigit() and 0 < len(place) < 7 and int(place)):
            raise BadOption(f"{quoted(place)} is no place; write a number from 1, as in {{ 1 = 10, 3 = 7 }}")
        if int(place) in found:
            raise BadOption(f"place {int(place)} is there twice")
        found[int(place)] = points(worth)
    worths = [found[place] for place in sorted(found)]
    if worths != sorted(worths, reverse=True):
        raise BadOption("a worse place gives more points than a better one; correct one of them")
    return dict(sorted(found.items()))


def _rating(table: Table | None) -> tuple[Fraction, float, float] | None:
    if table is None:
        return None
    worth = table.need("points", points, "points = 10")
    full = table.need("full", a_rating, "full = 1800")
    none = table.need("none", a_rating, "none = 1000")
    table.end()
    if worth is None or full is None or none is None:
        return None
    if full <= none:
        table.fault("full", f"full: all points at {full:g} and none at {none:g}; full must be the higher rating")
    return worth, full, none
