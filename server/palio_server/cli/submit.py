"""`palio submit`: hand in from the command line, at a server or, for the staff, into the database."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from palio_rules.contract.endpoints import LOCAL
from palio_server.cli.command import CommandFailed, runs
from palio_server.cli.options import db_option
from palio_server.cli.printing import say

if TYPE_CHECKING:
    from palio_server.courses.submitted_names import Files

MOST = 64 * 2**20  # bytes that are read before a server says how many it takes
WAIT_S = 600.0

EXAMPLES = """
\b
Examples:
  palio submit ai101 dominoes adversarial_search.py --server https://palio.example --token course_...
  palio submit ai101 dominoes my-solution/       a folder
  palio submit ai101 dominoes work.zip --as 1001 for a student, by the staff, into the database
"""


class _Kept(msgspec.Struct):
    """The fields of the server's answer that are shown."""

    id: str
    again: bool
    left_today: int
    status: str
    late: str = ""


@click.command(epilog=EXAMPLES)
@click.argument("course")
@click.argument("assignment")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--server", metavar="URL", envvar="PALIO_URL", help=f"The course's server (default: PALIO_URL, or {LOCAL})."
)
@click.option("--token", metavar="TOKEN", envvar="PALIO_TOKEN", help="The end of your personal link (PALIO_TOKEN).")
@click.option("--late", is_flag=True, help="Hand in late, whatever it costs, without being asked.")
@click.option("--as", "student", metavar="STUDENT", help="For this student, into the database: the staff's way.")
@click.option("--at", metavar="WHEN", help="When it was handed in, with --as: 2027-02-15T12:00 (default: now).")
@db_option
@runs
async def submit(
    *,
    course: str,
    assignment: str,
    files: tuple[Path, ...],
    server: str | None,
    token: str | None,
    late: bool,
    student: str | None,
    at: str | None,
    db: str | None,
) -> None:
    """Hand in FILES for an ASSIGNMENT of a COURSE: files, one folder, or one zip.

    A later submission replaces the former one, which can be chosen again. If it is late, what it costs is asked first.
    """
    if student is not None:
        await _into_database(Path(course), assignment, files, student, at, db)
        return
    if at is not None or db is not None:
        raise click.UsageError("--at and --db are for the staff, with --as STUDENT", click.get_current_context())
    if token is None:
        remedy = "give --token, the end of your personal link after the #"
        raise click.UsageError(f"the server must know who you are; {remedy}", click.get_current_context())
    await _to_server(Path(course).name, assignment, _read(files), server, token, late=late)


def _read(files: tuple[Path, ...]) -> "Files":
    from palio_server.courses.local_files import read_files
    from palio_server.courses.submitted_names import Refused

    try:
        return read_files(files, MOST)
    except Refused as error:
        raise CommandFailed(str(error)) from None


async def _into_database(
    course: Path, assignment: str, files: tuple[Path, ...], student: str, at: str | None, db: str | None
) -> None:
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of
    from palio_server.courses.submitted_names import Refused
    from palio_server.courses.submitting import hand_in_for
    from palio_server.courses.toml_values import a_moment

    found = read_course(course)
    wanted = assignment_of(found, assignment)
    moment = datetime.now(UTC) if at is None else a_moment(found.zone)(at)
    async with open_store(db) as store:
        try:
            kept = await hand_in_for(store, found, wanted, student, _read(files), moment, by=command_line())
        except Refused as error:
            raise CommandFailed(str(error)) from None
    again = "these files were handed in already" if kept.again else "handed in"
    say(f"{again}: submission {kept.submission.id} of {student}, {kept.submission.size} bytes")


async def _to_server(
    course: str, assignment: str, files: "Files", server: str | None, token: str, *, late: bool
) -> None:
    from urllib.parse import quote

    from palio_server.cli.source import open_remote
    from palio_server.courses.multipart import encode
    from palio_server.courses.submitting import UNCHANGED

    body, kind = encode(files)
    path = f"courses/{quote(course, safe='')}/assignments/{quote(assignment, safe='')}/submissions"
    accepted = f"{path}?late=accept"
    with open_remote(server or LOCAL, token) as remote:
        try:
            answer = await remote.upload(accepted if late else path, body, kind)
        except CommandFailed as error:
            if error.code != "late" or not sys.stdin.isatty():
                raise
            if not click.confirm(f"{str(error).partition(f'. {UNCHANGED}')[0]}. Hand it in?", err=True):
                raise CommandFailed("nothing was handed in") from None
            answer = await remote.upload(accepted, body, kind)
        kept = msgspec.json.decode(answer, type=_Kept)
    said = "these files are your submission already" if kept.again else "handed in"
    say(f"{said}: submission {kept.id}; {kept.left_today} left today")
    if kept.late:
        say(kept.late)
    say(f"see what it is worth: {(server or LOCAL).rstrip('/')}/course/{course}", err=True)
