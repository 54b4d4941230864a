"""`palio course import`, `submissions`, `choose` and `check-all`: what students handed in."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from palio_server.cli.command import FAILURE, runs
from palio_server.cli.course_students import COURSE
from palio_server.cli.options import db_option, json_option
from palio_server.cli.printing import say, show_json, show_table

if TYPE_CHECKING:
    from palio_db.course_values import SubmissionRow
    from palio_server.courses.bulk import Imported
    from palio_server.courses.check_queue import Progress
    from palio_server.courses.values import Checked


@click.command(
    "import",
    epilog="\b\nExamples:\n  palio course import ai101 dominoes assignment_123_export.zip\n"
    "  palio course import ai101 dominoes clones/ --source github",
)
@COURSE
@click.argument("assignment")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--source",
    type=click.Choice(["gradescope", "canvas", "moodle", "github", "zips", "folders"]),
    help="The layout (default: found by its names).",
)
@json_option
@db_option
@runs
async def import_(
    *, course: Path, assignment: str, path: Path, source: str | None, as_json: bool, db: str | None
) -> int | None:
    """Import all submissions to an ASSIGNMENT from PATH, a zip or a folder.

    PATH is an export of Gradescope, Canvas or Moodle, clones of GitHub Classroom, an archive NAME.zip for each student,
    or a folder for each. Importing it again takes nothing twice. Exit code 1 if one was refused.
    """
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.bulk import import_all
    from palio_server.courses.bulk_layouts import source_of
    from palio_server.courses.course_file import read_course
    from palio_server.courses.export_tree import open_tree
    from palio_server.courses.gradebook import assignment_of

    found = read_course(course)
    wanted, tree = assignment_of(found, assignment), open_tree(path)
    layout = source or source_of(tree, wanted)
    async with open_store(db) as store:
        done = [each async for each in import_all(store, found, wanted, tree, layout, by=command_line())]
    if as_json:
        show_json(done)
    else:
        _show_import(layout, done)
    return FAILURE if any(each.outcome in ("refused", "not on the roster") for each in done) else None


def _show_import(layout: str, done: Sequence["Imported"]) -> None:
    lines = [[each.student or "-", each.outcome, each.source, each.why] for each in done]
    if lines:
        show_table([["student", "", "from", "why"], *lines], left=range(4))
    counts = Counter(each.outcome for each in done)
    said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    say(f"{layout}: {said or 'nothing was found'}")


@click.command(
    epilog="\b\nExamples:\n  palio course submissions ai101\n  palio course submissions ai101 dominoes --json\n"
    "  palio course submissions ai101 dominoes --save submissions/"
)
@COURSE
@click.argument("assignment", required=False)
@click.option("--all", "all_", is_flag=True, help="Former submissions, too.")
@click.option("--save", type=click.Path(path_type=Path), metavar="FOLDER", help="Write the files, a folder for each.")
@json_option
@db_option
@runs
async def submissions(
    *, course: Path, assignment: str | None, all_: bool, save: Path | None, as_json: bool, db: str | None
) -> None:
    """List the submissions of a COURSE, or of one ASSIGNMENT: whose, when, by which clock, with what result."""
    from palio_server.cli.source import open_store
    from palio_server.courses.check_queue import write_files
    from palio_server.courses.checked_json import decode_checked
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of

    found = read_course(course)
    if assignment is not None:
        assignment_of(found, assignment)
    async with open_store(db) as store:
        rows = [row for row in await store.submissions(found.name, assignment) if all_ or row.current]
        checks = {
            name: decode_checked(each.body) for name, each in (await store.checks(found.name, assignment)).items()
        }
        for row in rows if save is not None else ():
            write_files(Path(str(save)) / row.assignment / row.student / row.id, await store.submitted_files(row.id))
    if as_json:
        show_json([_as_json(row, checks.get(row.id)) for row in rows])
    elif not rows:
        say("nothing has been handed in")
    else:
        head = ["id", "assignment", "student", "at", "clock", "bytes", "status", "points", "note"]
        lines = [_line(row, checks.get(row.id), found.zone) for row in rows]
        show_table([head, *lines], left={0, 1, 2, 3, 4, 6, 8})


def _line(row: "SubmissionRow", checked: "Checked | None", zone: object) -> list[str]:
    from zoneinfo import ZoneInfo

    at = row.at.astimezone(zone) if isinstance(zone, ZoneInfo) else row.at
    points = "-" if checked is None else _points(checked)
    moment = f"{at:%Y-%m-%d %H:%M:%S}"
    status = _status(row, checked)
    return [row.id, row.assignment, row.student, moment, row.clock, str(row.size), status, points, row.note]


def _points(checked: "Checked") -> str:
    from palio_server.courses.grading import shown

    return f"{shown(checked.points)}/{shown(checked.max_points)}"


def _status(row: "SubmissionRow", checked: "Checked | None") -> str:
    if not row.current:
        return "former"
    return "unchecked" if checked is None else "broken" if checked.broken else "checked"


def _as_json(row: "SubmissionRow", checked: "Checked | None") -> dict[str, object]:
    said = None if checked is None else float(checked.points)
    fields = (
        "id",
        "assignment",
        "student",
        "team",
        "at",
        "clock",
        "kept_at",
        "digest",
        "size",
        "note",
        "who",
        "current",
    )
    return {
        **{name: getattr(row, name) for name in fields},
        "status": "unchecked" if checked is None else "broken" if checked.broken else "checked",
        "points": said,
        "broken": "" if checked is None else checked.broken,
    }


@click.command(epilog="\b\nExamples:\n  palio course choose ai101 1001 1m8fdhd0pjcj3bws")
@COURSE
@click.argument("student")
@click.argument("submission")
@db_option
@runs
async def choose(*, course: Path, student: str, submission: str, db: str | None) -> None:
    """Let a former SUBMISSION of a STUDENT count again, until the next one."""
    from palio_server.cli.source import command_line, open_store
    from palio_server.courses.course_file import read_course

    name = read_course(course).name
    async with open_store(db) as store:
        row = await store.choose_submission(name, student, submission, by=command_line())
    say(f"{row.assignment}: submission {row.id} of {row.student} counts now")


@click.command(
    "check-all",
    epilog="\b\nExamples:\n  palio course check-all ai101\n  palio course check-all ai101 dominoes --at-once 4",
)
@COURSE
@click.argument("assignments", nargs=-1)
@click.option("--at-once", type=click.IntRange(1, 64), help="Checks at once (default: one for two cores).")
@click.option(
    "--sandbox", type=click.Choice(["require", "off"]), help="Without one (off), or as course.toml says (default)."
)
@db_option
@runs
async def check_all(
    *,
    course: Path,
    assignments: tuple[str, ...],
    at_once: int | None,
    sandbox: Literal["require", "off"] | None,
    db: str | None,
) -> int | None:
    """Check all submissions of a COURSE that have no check with its present tests, and tell how many are left.

    The course is tried first, as by palio course check. After an interruption it goes on where it was. Servers on the
    same database share the work.
    """
    from palio_server.cli.source import database_url, open_store
    from palio_server.courses.check import check
    from palio_server.courses.check_queue import CheckQueue, usual_slots
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of
    from palio_server.courses.trial import Trials, read_tried_course
    from palio_server.sandbox.bubblewrap import SandboxLimits
    from palio_server.sandbox.confinement import confinement
    from palio_server.settings import database_files, load

    found = read_course(course)
    for name in assignments:
        assignment_of(found, name)
    hidden = database_files(database_url(load(db=db).db))
    confined = confinement(sandbox or ("require" if found.sandbox else "off"), SandboxLimits(), hidden)
    found = await read_tried_course(course, Trials(course, confined, lambda line: say(line, err=True)))
    async with open_store(db) as store:
        queue = CheckQueue(store, found, partial(check, confinement=confined), at_once or usual_slots())
        queue.on_checked.append(tell_check)
        todo = len(await queue.unchecked(assignments or None))
        say(f"{todo} to check" if todo else "all submissions are checked", err=True)
        failed = await queue.check_all(assignments or None)
    if failed:
        say(f"{failed} could not be checked; run this again", err=True)
    return FAILURE if failed else None


def tell_check(progress: "Progress") -> None:
    """Say what a check has found, and how many are left."""
    row, checked = progress.submission, progress.checked
    result = progress.failure if checked is None else checked.broken or _points(checked)
    say(f"{row.assignment}  {row.student}  {row.id}  {result}  {progress.seconds:.1f} s, {progress.left} left")
