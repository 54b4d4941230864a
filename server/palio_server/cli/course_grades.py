"""`palio course grades`, `override` and `publish`: what submissions are worth."""

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
    db: str | None,
) -> None:
    """Decide a STUDENT's points or late days for an ASSIGNMENT. The newest decision holds; all are in the audit."""
    from palio_db.course_values import Override
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of

    found = read_course(course)
    assignment_of(found, assignment)
    decided = Override(found.name, assignment, student, reason, _points(points), late_days)
    async with open_store(db) as store:
        await store.override_grade(decided, by=command_line())
    say(f"{assignment} of {student}: decided, because: {reason}")


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
