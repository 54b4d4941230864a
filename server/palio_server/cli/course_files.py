"""`palio course new` and `palio course check`: a course's folder, written and read."""

import secrets
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palio_server.cli.printing import say, show_json, show_table

if TYPE_CHECKING:
    from palio_server.courses.values import Assignment, Course

NEW_EXAMPLES = """
\b
Examples:
  palio course new ai101 --from dominoes,breakthrough
  palio course new ai101 --title "Artificial Intelligence" --start 2027-02-01 --seed 7
"""
CHECK_EXAMPLES = """
\b
Examples:
  palio course check ai101
  palio course check ai101 --json
"""


@click.command(epilog=NEW_EXAMPLES)
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
@click.option("--from", "names", metavar="NAME,NAME", help="Ready assignments, in their order. [default: all]")
@click.option("--title", help="The course's title. [default: its name]")
@click.option("--zone", metavar="ZONE", help="The time zone of its dates, as Europe/Rome. [default: this machine's]")
@click.option("--start", type=click.DateTime(["%Y-%m-%d"]), help="The day on which the first opens. [default: Monday]")
@click.option("--seed", type=click.IntRange(0, 2**31), help="The seed of hidden tests. [default: drawn]")
def new(
    *, folder: Path, names: str | None, title: str | None, zone: str | None, start: datetime | None, seed: int | None
) -> None:
    """Write a course with ready assignments, which are due a fortnight apart."""
    from palio_server.courses.new_course import local_zone, next_monday, ready_names, write_course
    from palio_server.courses.toml_values import a_zone

    chosen = ready_names() if names is None else tuple(name.strip() for name in names.split(",") if name.strip())
    course = write_course(
        folder,
        chosen,
        title=title or folder.absolute().name,
        zone=local_zone() if zone is None else a_zone(zone),
        start=next_monday(datetime.now().astimezone().date()) if start is None else start.date(),
        seed=secrets.randbelow(10**8) if seed is None else seed,
        say=lambda text: say(text, err=True),
    )
    _show(course)
    say(f"{course.name}/: read README.md, set staff in course.toml, and run: palio course check {folder}")


@click.command(epilog=CHECK_EXAMPLES)
@click.argument("folder", metavar="COURSE", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the assignments as JSON.")
def check(*, folder: Path, as_json: bool) -> None:
    """Try a course: read its folder, collect its tests, and check its solutions; tell all that is wrong.

    The files in an assignment's folder solution/ must get all points, those in skeleton/ none. That takes as long as
    the checks of two submissions; files that were tried before are not tried again.
    """
    from palio_server.cli.event_loop import run
    from palio_server.courses.trial import Trials, lacks_solution, read_tried_course, untried
    from palio_server.sandbox.bubblewrap import SandboxLimits
    from palio_server.sandbox.confinement import confinement

    confined = confinement("auto", SandboxLimits())
    confined = confined if confined.works else confinement("off", SandboxLimits())
    course = run(read_tried_course(folder, Trials(folder, confined, lambda line: say(line, err=True))))
    if names := lacks_solution(course):
        say(untried(names), err=True)
    if as_json:
        show_json([_as_json(each) for each in course.assignments])
    else:
        _show(course)


def _show(course: "Course") -> None:
    head = ["assignment", "opens", "due", "points", "tests", "references", "tournaments"]
    rows = [[str(value) for value in _row(each)] for each in course.assignments]
    show_table([head, *rows], left=(0, 1, 2, 6), title=f"{course.title} ({course.zone.key})")


def _row(assignment: "Assignment") -> list[str]:
    points = "by tests" if assignment.points is None else f"{float(assignment.points):g}"
    if assignment.extra:
        points += f" + {float(assignment.extra):g}"
    times = [f"{'final ' if each.final else ''}{_time(each.at)}" for each in assignment.tournaments]
    dates = [f"{moment:%Y-%m-%d %H:%M}" for moment in (assignment.opens, assignment.due)]
    numbers = [str(len(assignment.tests)), str(len(assignment.against))]
    return [assignment.name, *dates, points, *numbers, ", ".join(times) or "-"]


def _time(at: str) -> str:
    return f"{datetime.fromisoformat(at):%Y-%m-%d %H:%M}" if at[:1].isdigit() else at


def _as_json(assignment: "Assignment") -> dict[str, object]:
    return {
        "name": assignment.name,
        "title": assignment.title,
        "game": assignment.game,
        "spec": assignment.spec,
        "opens": assignment.opens.isoformat(),
        "due": assignment.due.isoformat(),
        "points": None if assignment.points is None else float(assignment.points),
        "extra": float(assignment.extra),
        "tests": [each.file for each in assignment.tests],
        "references": [each.bot for each in assignment.against],
        "tournaments": [each.at for each in assignment.tournaments],
    }
