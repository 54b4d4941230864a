"""`palio course grades`, `override`, `extend` and `publish`: what submissions are worth, and until when they count."""

import sys
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palio_rules.completing import one_of
from palio_rules.errors import BadOption
from palio_server.cli.command import runs
from palio_server.cli.course_students import COURSE
from palio_server.cli.options import db_option
from palio_server.cli.printing import say, show_table

if TYPE_CHECKING:
    from palio_server.courses.grade_exports import Form
    from palio_server.courses.visible import Seen


@click.command(
    epilog="\b\nExamples:\n  palio course grades ai101\n  palio course grades ai101 dominoes --format canvas > g.csv\n"
    "  palio course grades ai101 dominoes --format json | jq '.[].points'"
)
@COURSE
@click.argument("assignments", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "canvas", "moodle", "gradescope", "json"]),
    default="table",
    help="A table, or as other programs import it.",
)
@db_option
@runs
async def grades(*, course: Path, assignments: tuple[str, ...], form: str, db: str | None) -> None:
    """Print the grades of a COURSE, of all assignments or some, for each student of the roster.

    Points are whole; reasons are told as far as students may see them now. the page has the
    rest for the staff.
    """
    from palio_server.cli.source import open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.grade_exports import FORMS, grades_text
    from palio_server.courses.gradebook import assignment_of, roster_of, seen_gradebook

    found = read_course(course)
    chosen = [assignment_of(found, name) for name in assignments] or list(found.assignments)
    async with open_store(db) as store:
        book = await seen_gradebook(store, found, datetime.now(UTC))
        students = roster_of(await store.students(found.name))
    if form != "table":
        kind: Form = next(each for each in FORMS if each == form)
        click.echo(grades_text(kind, chosen, students, book), nl=kind == "json")
        return
    if not students:
        say(f"the course {found.name} has no students; palio course roster {course} FILE reads them")
        return
    head = ["student", "name", *(each.name for each in chosen)]
    lines = [[each.id, each.name, *(_cell(book[each.id][one.name]) for one in chosen)] for each in students]
    show_table([head, *lines], left=(0, 1))


def _cell(graded: "Seen") -> str:
    from palio_server.courses.grading import of_points

    if graded.status != "graded" and graded.override is None:
        return graded.status
    late = f", {graded.late_days} late" if graded.late_days else ""
    return f"{of_points(graded.points, graded.max_points, '/')}{late}"


@click.command(
    epilog="\b\nExamples:\n  palio course override ai101 dominoes 1001 --points 37.5 --reason 'a test was wrong'\n"
    "  palio course override ai101 dominoes 1001 --late-days 0 --reason 'was ill'"
)
@COURSE
@click.argument("assignment")
@click.argument("student")
@click.option("--points", metavar="N", help="Points for the whole assignment: 37, 37.5, 75/2.")
@click.option("--late-days", type=click.IntRange(0, 1000), metavar="N", help="Late days that count.")
@click.option("--reason", required=True, help="Told to the student.")
@click.option("--yes", is_flag=True, help="Do not ask, also for more points than there are.")
@db_option
@runs
async def override(
    *,
    course: Path,
    assignment: str,
    student: str,
    points: str | None,
    late_days: int | None,
    reason: str,
    yes: bool,
    db: str | None,
) -> None:
    """Decide a STUDENT's points or late days for an ASSIGNMENT. The newest decision holds; all are in the audit."""
    from palio_db.course_values import Override
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of, gradebook

    found = read_course(course)
    wanted = assignment_of(found, assignment)
    decided = Override(found.name, assignment, student, reason, _points(points), late_days)
    async with open_store(db) as store:
        if decided.points is not None and not yes:
            book = [each[assignment] for each in (await gradebook(store, found)).values()]
            known = wanted.points is not None or any(each.checked for each in book)
            most = max((each.max_points for each in book), default=Fraction(0)) + wanted.extra
            _check_most(Fraction(decided.points), most if known else None, assignment)
        await store.override_grade(decided, by=command_line())
    say(f"{assignment} of {student}: decided, because: {reason}")


def _check_most(points: Fraction, most: Fraction | None, assignment: str) -> None:
    """Ask back for more points than there are; None: it is not known yet. Raises BadOption, also without a terminal."""
    from palio_server.courses.grading import shown

    if most is None or points <= most:
        return
    said = f"{shown(points)} points are more than the {shown(most)} of {assignment}"
    if not sys.stdin.isatty() or not click.confirm(f"{said}; is that meant?", err=True):
        raise BadOption(f"{said}; nothing was changed: correct --points, or add --yes")


@click.command(
    epilog="\b\nExamples:\n  palio course extend ai101 dominoes 1001 --until 2027-02-20T23:59 --reason 'is ill'"
)
@COURSE
@click.argument("assignment")
@click.argument("student")
@click.option("--until", required=True, metavar="WHEN", help="The student's due date: 2027-02-20T23:59.")
@click.option("--reason", required=True, help="Kept with it, for the staff.")
@db_option
@runs
async def extend(*, course: Path, assignment: str, student: str, until: str, reason: str, db: str | None) -> None:
    """Give a STUDENT a due date of their own for an ASSIGNMENT, in advance or later. The newest one holds.

    Late days, and what is told after the due date, follow it. It holds for this student alone, not for a team.
    """
    from palio_db.course_values import OwnDue
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of
    from palio_server.courses.submitting import moment
    from palio_server.courses.toml_values import a_moment

    found = read_course(course)
    wanted = assignment_of(found, assignment)
    due = a_moment(found.zone)(until)
    if due <= wanted.opens:
        raise BadOption(
            f"--until {moment(due)} is before {assignment} opens, {moment(wanted.opens)}; take a later time"
        )
    async with open_store(db) as store:
        await store.set_own_due(OwnDue(found.name, assignment, student, due, reason), by=command_line())
    say(f"{assignment} of {student}: due {moment(due)}")


def _points(text: str | None) -> str | None:
    """Return points as the store keeps them. Raises BadOption."""
    if text is None:
        return None
    try:
        found = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise BadOption(f"{text[:40]!r} is no number of points; write 37, 37.5 or 75/2") from None
    if not 0 <= found <= 1_000_000:
        raise BadOption(f"{text[:40]!r} is out of range; points are 0 to 1000000")
    return str(found)


@click.command(epilog="\b\nExamples:\n  palio course publish ai101 dominoes")
@COURSE
@click.argument("assignment", shell_complete=one_of(tuple))
@db_option
@runs
async def publish(*, course: Path, assignment: str, db: str | None) -> None:
    """Publish the grades of an ASSIGNMENT as they are now: from now on each student sees the own one."""
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of
    from palio_server.courses.gradebook import publish as publish_grades

    found = read_course(course)
    wanted = assignment_of(found, assignment)
    async with open_store(db) as store:
        students = await publish_grades(store, found, wanted, by=command_line())
    say(f"the grades of {students} students are published")
