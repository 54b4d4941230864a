"""`palio course regrade`: all again with other tests, and the difference to before."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from palio_server.cli.command import FAILURE, runs
from palio_server.cli.course_students import COURSE
from palio_server.cli.course_submissions import tell_check
from palio_server.cli.options import db_option, json_option
from palio_server.cli.printing import say, show_json, show_table

if TYPE_CHECKING:
    from palio_server.courses.regrade import GradeChange, PartChange

SHOWN = 6  # parts in a line


@click.command(
    epilog="\b\nExamples:\n  palio course regrade ai101 dominoes\n"
    "  palio course regrade ai101 dominoes --again        with unchanged tests: do they give the same points?"
)
@COURSE
@click.argument("assignment")
@click.option("--again", is_flag=True, help="Check all again even if no file of the assignment has changed.")
@click.option("--at-once", type=click.IntRange(1, 64), help="Checks at once (default: one for two cores).")
@click.option(
    "--sandbox", type=click.Choice(["require", "off"]), help="Without one (off), or as course.toml says (default)."
)
@json_option
@db_option
@runs
async def regrade(
    *,
    course: Path,
    assignment: str,
    again: bool,
    at_once: int | None,
    sandbox: Literal["require", "off"] | None,
    as_json: bool,
    db: str | None,
) -> int | None:
    """Check all submissions to an ASSIGNMENT with its present tests, and show what that changes.

    Nothing is published: students keep the grades that they see until palio course publish. After an interruption the
    same command goes on.
    """
    from palio_server.cli.source import database_url, open_store
    from palio_server.courses.check import check
    from palio_server.courses.check_queue import CheckQueue, usual_slots
    from palio_server.courses.course_file import read_course
    from palio_server.courses.gradebook import assignment_of, gradebook
    from palio_server.courses.regrade import before, changes, numbered_revision
    from palio_server.courses.revision import revision_of
    from palio_server.courses.trial import Trials, read_tried_course
    from palio_server.sandbox.bubblewrap import SandboxLimits
    from palio_server.sandbox.confinement import confinement
    from palio_server.settings import database_files, load

    found = read_course(course)
    assignment_of(found, assignment)
    hidden = database_files(database_url(load(db=db).db))
    confined = confinement(sandbox or ("require" if found.sandbox else "off"), SandboxLimits(), hidden)
    found = await read_tried_course(course, Trials(course, confined, lambda line: say(line, err=True)))
    wanted = assignment_of(found, assignment)
    async with open_store(db) as store:
        revision = await numbered_revision(store, found, wanted) if again else revision_of
        former = await before(store, found, wanted, revision(wanted))
        queue = CheckQueue(
            store, found, partial(check, confinement=confined), at_once or usual_slots(), revision=revision
        )
        queue.on_checked.append(tell_check)
        todo = len(await queue.unchecked([wanted.name]))
        say(f"{todo} to check" if todo else "all submissions are checked with the present tests", err=True)
        failed = await queue.check_all([wanted.name])
        found_changes = changes(former, await gradebook(store, found), wanted.name)
    if as_json:
        show_json({"before": former.what, "failed": failed, "students": [_as_json(each) for each in found_changes]})
    else:
        _show(former.what, found_changes)
    if failed:
        say(f"{failed} could not be checked; run this again", err=True)
    return FAILURE if failed else None


def _show(what: str, found: "list[GradeChange]") -> None:
    changed = [each for each in found if each.changed and each.before is not None]
    if what == "nothing":
        say("there are no grades from before to compare with; palio course grades shows these")
    elif not changed:
        say(f"{len(found)} students, no grade changes against the {what}")
    else:
        lines = [["student", "before", "after", "parts that changed"]]
        lines += [[each.student, _text(each.before), _text(each.after), _parts(each.parts)] for each in changed]
        show_table(lines, left={0, 3})
        say(f"{len(changed)} of {len(found)} grades change against the {what}; nothing is published yet")


def _parts(parts: "tuple[PartChange, ...]") -> str:
    said = [
        f"{each.name} {_text(each.before)} → {_text(each.after)}{' (hung on time)' if each.timed_out else ''}"
        for each in parts[:SHOWN]
    ]
    return "; ".join([*said, f"{len(parts) - SHOWN} more"] if len(parts) > SHOWN else said)


def _text(points: Any) -> str:
    from palio_server.courses.grading import shown

    return "-" if points is None else shown(points)


def _as_json(change: "GradeChange") -> dict[str, Any]:
    return {
        "student": change.student,
        "before": _number(change.before),
        "after": _number(change.after),
        "parts": [
            {
                "name": each.name,
                "before": _number(each.before),
                "after": _number(each.after),
                "why": each.why,
                "timed_out": each.timed_out,
            }
            for each in change.parts
        ],
    }


def _number(points: Any) -> float | None:
    from palio_server.courses.grading import rounded

    return None if points is None else rounded(points)
