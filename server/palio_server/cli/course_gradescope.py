"""`palio course gradescope` and `palio course github`: an assignment for graders that others run."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from palio_rules.errors import BadOption, nearest
from palio_rules.temporary import TemporaryFolder
from palio_server.cli.printing import say

if TYPE_CHECKING:
    from palio_server.courses.values import Assignment

EXAMPLES = """
\b
Examples:
  palio course gradescope ai101 dominoes -o autograder.zip
  palio course github ai101 dominoes -o starter/
"""


@click.command(epilog=EXAMPLES)
@click.argument("course", type=click.Path(path_type=Path))
@click.argument("assignment")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("autograder.zip"), show_default=True)
def gradescope(*, course: Path, assignment: str, output: Path) -> None:
    """Write the zip for Gradescope's site: the assignment, this Palio, and how they are set up and run there."""
    from palio_server.courses.gradescope import write_zip
    from palio_server.courses.own_wheel import own_wheel

    folder = assignment_folder(course, assignment)
    with TemporaryFolder("wheel") as place:
        write_zip(_read(folder), own_wheel(place), output)
    say(f"{output} is ready: upload it in Gradescope under Configure Autograder")


@click.command(epilog=EXAMPLES)
@click.argument("course", type=click.Path(path_type=Path))
@click.argument("assignment")
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, metavar="FOLDER")
def github(*, course: Path, assignment: str, output: Path) -> None:
    """Write a workflow for GitHub Classroom into a folder of starter code; hidden tests are left out."""
    from palio_server.courses.github import WORKFLOW, write_workflow
    from palio_server.courses.own_wheel import own_wheel

    folder = assignment_folder(course, assignment)
    with TemporaryFolder("wheel") as place:
        hidden = write_workflow(_read(folder), own_wheel(place), output)
    left_out = f"; left out, because students read it: {', '.join(hidden)}" if hidden else ""
    say(f"{output / WORKFLOW} is ready: commit {output} to the repository of the assignment{left_out}")


def assignment_folder(course: Path, name: str) -> Path:
    """Return the folder of a course's assignment. Raises BadOption with the nearest known one."""
    folder = course / "assignments" / name
    if not (folder / "assignment.toml").is_file():
        known = sorted(each.parent.name for each in (course / "assignments").glob("*/assignment.toml"))
        if not known:
            raise BadOption(f"there is no course with assignments in {course}; palio course new makes one")
        raise BadOption(f"{course} has no assignment {name!r}; {nearest(name, known)}")
    return folder.resolve()


def _read(folder: Path) -> "Assignment":
    from palio_server.courses.course_file import read_one_assignment

    return read_one_assignment(folder)[1]
