"""`palio grade`: what one submission is worth, without a course's database."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from palio_rules.errors import BadOption
from palio_rules.temporary import TemporaryFolder
from palio_rules.written_file import write_whole
from palio_server.cli.command import FAILURE, runs
from palio_server.cli.options import json_option
from palio_server.cli.printing import say, say_heading, show_json, show_table

if TYPE_CHECKING:
    from palio_server.courses.submitted_names import Files
    from palio_server.courses.values import Assignment, Checked, Course

EXAMPLES = """
\b
Examples:
  palio grade dominoes ada/                      a ready assignment, see `palio course new`
  palio grade dominoes ada/adversarial_search.py
  palio grade ai101/assignments/dominoes ada.zip --json | jq .points
  palio grade dominoes ada/ --no-references      without games against the staff's bots
"""
FORM = "assignment.toml"


@click.command(epilog=EXAMPLES)
@click.argument("assignment")
@click.argument("submission", type=click.Path(path_type=Path))
@json_option
@click.option("--gradescope", is_flag=True, help="Write the results as Gradescope reads them.")
@click.option("--metadata", type=click.Path(path_type=Path), help="Gradescope's submission_metadata.json.")
@click.option("--results", type=click.Path(path_type=Path), help="The file that --gradescope writes.")
@click.option("--no-references", is_flag=True, help="Play no games against the staff's bots.")
@click.option("--seed", type=click.IntRange(0, 2**31), default=1, help="Of the hidden tests of a ready assignment.")
@click.option("--records", type=click.Path(path_type=Path), metavar="FILE", help="Append the record of each game.")
@click.option(
    "--sandbox",
    type=click.Choice(["require", "off"]),
    help="Run the submission in a sandbox (require, the default), or without one: with all that you may do (off).",
)
@runs
async def grade(
    *,
    assignment: str,
    submission: Path,
    as_json: bool,
    gradescope: bool,
    metadata: Path | None,
    results: Path | None,
    no_references: bool,
    seed: int,
    records: Path | None,
    sandbox: Literal["require", "off"] | None,
) -> int | None:
    """Grade one SUBMISSION (a folder, a file or a zip) of an ASSIGNMENT: a ready one, or a folder with assignment.toml.

    Runs the staff's tests and plays games against the staff's bots, and prints what each is worth and why. Exit code 1
    if nothing of the submission can run.
    """
    from palio_server.courses.check import check
    from palio_server.sandbox.bubblewrap import SandboxLimits
    from palio_server.sandbox.confinement import confinement

    if as_json and gradescope:
        raise click.UsageError("--json and --gradescope are two forms of one result; give one of them")
    async with AsyncExitStack() as stack:
        course, found = stack.enter_context(assignment_named(assignment, seed))
        folder, refused = await stack.enter_async_context(handed_in(found, submission))
        mode = sandbox or ("require" if course.sandbox else "off")
        confined = confinement(mode, SandboxLimits())
        quiet = as_json or gradescope

        def tell(step: str) -> None:
            if not quiet:
                say(f"checking: {step}", err=True)

        checked = await check(
            found, folder, confined, references=not no_references, records=records, broken=refused, say=tell
        )
        if gradescope:
            _write_results(found, checked, metadata, results)
            return None
        if as_json:
            show_json(as_entry(checked))
        else:
            show(found, checked)
    return FAILURE if checked.broken else None


@contextmanager
def assignment_named(name: str, seed: int) -> Iterator[tuple["Course", "Assignment"]]:
    """Yield the assignment in a folder, or a ready one, written for this call. Raises BadOption."""
    from palio_server.courses.course_file import read_one_assignment

    folder = Path(name)
    if folder.name == FORM and folder.is_file():
        folder = folder.parent
    if (folder / FORM).is_file():
        yield read_one_assignment(folder)
        return
    if folder.is_dir() or "/" in name:
        raise BadOption(f"there is no {FORM} in {name}; name the folder of an assignment")
    with TemporaryFolder("assignment") as place:
        made = place / name
        _write_ready(name, made, seed)
        yield read_one_assignment(made)


def _write_ready(name: str, folder: Path, seed: int) -> None:
    """Let the clients' side write a ready assignment, with dates that do not matter here."""
    import subprocess

    from palio_rules.interpreter import python

    words = ["-m", "palio_clients.grading.new", name, str(folder), "--seed", str(seed)]
    dates = ["--opens", "2000-01-01", "--due", "2099-01-01"]
    made = subprocess.run(python(*words, *dates), capture_output=True, text=True, check=False)  # noqa: S603
    if made.returncode:
        raise BadOption((made.stderr.strip().splitlines() or ["the assignment cannot be written"])[-1])


@asynccontextmanager
async def handed_in(assignment: "Assignment", path: Path) -> AsyncIterator[tuple[Path, str]]:
    """Yield a folder with the files of a submission that the assignment asks for, and why they are not taken, or "".

    Raises BadOption if there is no such file or folder.
    """
    from palio_server.courses.inspection import take
    from palio_server.courses.submitted_names import Refused

    with TemporaryFolder("handed-in") as place:
        try:
            given = _given(assignment, path)
            files, refused = (await take(given, assignment, strict=False)).files, ""
        except Refused as error:
            files, refused = {}, str(error)
        for name, content in files.items():
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        yield place, refused


def _given(assignment: "Assignment", path: Path) -> "Files":
    """Return the files at a path; a file that was named is the one that is asked for. Raises BadOption, Refused."""
    from palio_server.courses.local_files import read_files
    from palio_server.courses.submitted_names import ROOM, archive_kind

    if not path.exists():
        raise BadOption(f"there is no file or folder {path}; check its name")
    given = read_files([path], ROOM * assignment.size)
    only = assignment.files[0] if len(assignment.files) == 1 else ""
    alone = path.is_file() and archive_kind(given[0][1]) is None
    same = alone and only and "*" not in only and path.suffix == Path(only).suffix
    return [(only, given[0][1])] if same else given


def _write_results(assignment: "Assignment", checked: "Checked", metadata: Path | None, file: Path | None) -> None:
    from msgspec import json

    from palio_server.courses import gradescope

    found = gradescope.results(assignment, checked, gradescope.read_metadata(metadata or gradescope.METADATA))
    file = file or gradescope.RESULTS
    write_whole(file, json.format(json.encode(found)))
    say(f"{float(checked.points):g} points, see {file}")


def as_entry(checked: "Checked") -> dict[str, object]:
    """Return the result for programs."""
    from palio_server.courses.grade_exports import part_entries
    from palio_server.courses.grading import of_check, rounded
    from palio_server.courses.visible import seen_by_staff

    found: dict[str, object] = {
        "points": rounded(checked.points),
        "max_points": rounded(checked.max_points),
        "parts": part_entries(seen_by_staff(of_check(checked)).parts),
    }
    reasons = {"broken": checked.broken, "unplayable": checked.unplayable}
    return {**found, **{key: why for key, why in reasons.items() if why}}


def show(assignment: "Assignment", checked: "Checked") -> None:
    """Print the result for people."""
    from palio_server.courses.grading import of_points

    if checked.broken:
        say_heading(f"nothing of it can run: {checked.broken}", bold=True)
    rows = [
        [part.name, f"{float(part.points):g}", f"{float(part.max_points):g}{' extra' if part.extra else ''}", part.why]
        for part in checked.parts
        if part.max_points or part.why
    ]
    show_table([["part", "points", "of", "why"], *rows], left=(0, 3))
    if checked.unplayable:
        say(f"as a bot it cannot play: {checked.unplayable}")
    timed = sum(part.timed_out for part in checked.parts)
    hung = f"; {timed} parts hung on time" if timed else ""
    total = f"{of_points(checked.points, checked.max_points, ' of ', ' points')}, {checked.seconds:.1f} s{hung}"
    say_heading(f"{assignment.title}: {total}", bold=True)
