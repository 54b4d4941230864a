"""`palio course roster`, `links` and `forget`: the students of a course."""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from palio_rules.contract.endpoints import LOCAL
from palio_rules.errors import BadOption, nearest
from palio_server.cli.command import runs
from palio_server.cli.options import db_option, json_option
from palio_server.cli.printing import say, show_json, show_table

COURSE = click.argument("course", type=click.Path(path_type=Path))
SHOWN = 10  # IDs in a line


@click.command(
    epilog="\b\nExamples:\n  palio course roster ai101 canvas.csv\n  palio course roster ai101     list the students"
)
@COURSE
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--again", metavar="ID", multiple=True, help="Add this forgotten student again; may be repeated.")
@json_option
@db_option
@runs
async def roster(*, course: Path, file: Path | None, again: tuple[str, ...], as_json: bool, db: str | None) -> None:
    """Read the roster FILE of a COURSE, as Canvas, Moodle or Gradescope export it; without one, list the students.

    Students that the file does not name stay in the course, and are named. Students who were forgotten are left out,
    and are named.
    """
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.roster import read_roster

    found = read_course(course)
    entries = None if file is None else read_roster(file)
    listed = [entry.id for entry in entries or ()]
    if stranger := next((each for each in again if each not in listed), None):
        raise BadOption(f"--again {stranger}: the roster file has no such ID; {nearest(stranger, listed)}")
    async with open_store(db, must_exist=file is None) as store:
        if entries is not None:
            change = await store.set_roster(found.name, entries, again=again, by=command_line())
            new = f"{len(change.added)} {'student is' if len(change.added) == 1 else 'students are'} new"
            say(f"{new}, {len(change.changed)} changed; {len(entries)} in {file}", err=as_json)
            if change.missing:
                say(f"not in {file}, and still in the course: {_listed(change.missing)}", err=True)
            if change.forgotten:
                remedy = "--again ID adds one of them again, without former results"
                say(f"left out, because they were forgotten: {_listed(change.forgotten)}; {remedy}", err=True)
            if not as_json:
                return
        rows = [row for row in await store.students(found.name) if row.forgotten_at is None]
    if as_json:
        fields = ("id", "name", "email", "team", "pseudonym", "has_link")
        show_json([{name: getattr(row, name) for name in fields} for row in rows])
    elif not rows:
        say(f"the course {found.name} has no students; palio course roster {course} FILE reads them")
    else:
        lines = [
            [row.id, row.name, row.email, row.team, row.pseudonym, "yes" if row.has_link else "no"] for row in rows
        ]
        show_table([["id", "name", "email", "team", "pseudonym", "link"], *lines], left=range(6))


@click.command(
    epilog="\b\nExamples:\n  palio course links ai101 --url https://palio.example > links.csv\n"
    "  palio course links ai101 --student 1001      a new link; the former one ends"
)
@COURSE
@click.option("--student", "students", metavar="ID", multiple=True, help="Only for this one; may be repeated.")
@click.option("--url", default=LOCAL, show_default=True, metavar="URL", help="Where students reach the server.")
@db_option
@runs
async def links(*, course: Path, students: tuple[str, ...], url: str, db: str | None) -> None:
    """Make personal links for students of a COURSE that have none, and print them as CSV.

    A link is shown once: only its hash is kept. It signs its student in, so send each to its student alone.
    """
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.course_file import read_course

    found = read_course(course)
    async with open_store(db) as store:
        issued = await store.issue_links(found.name, students or None, by=command_line())
    if not issued:
        say("all students have links; name those who need a new one by --student ID", err=True)
        return
    lines = csv.writer(sys.stdout, lineterminator="\n")
    lines.writerow(["id", "name", "email", "link"])
    for row, secret in issued:
        cells = [_cell(each) for each in (row.id, row.name, row.email)]
        lines.writerow([*cells, f"{url.rstrip('/')}/course/{found.name}#{secret}"])


@click.command(epilog="\b\nExamples:\n  palio course forget ai101 1001 --yes")
@COURSE
@click.argument("student")
@click.option("--yes", is_flag=True, help="Do not ask.")
@db_option
@runs
async def forget(*, course: Path, student: str, yes: bool, db: str | None) -> None:
    """Take a STUDENT's name, email, link, files and texts out of the database. Results stay under the pseudonym.

    A salted digest of the ID stays, so that the next roster does not add the student again.
    """
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.course_file import read_course

    name = read_course(course).name
    async with open_store(db) as store:
        row = await store.student(name, student)
        if not yes and not click.confirm(f"take {row.name or row.id} out? The files cannot be brought back"):
            raise BadOption("nothing was changed")
        gone = await store.forget_student(row.course, row.id, by=command_line())
    say(f"{student} is forgotten; results stay under {gone.pseudonym}")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else text
