"""The check of one submission: its files, the staff's tests, games against the staff's bots.

Nothing of the submission runs in this process, and nothing of it outside of the sandbox, unless the staff says so. It
is checked as a copy of the files that the assignment names; other files are left out.
"""

import asyncio
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path

from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.temporary import TemporaryFolder
from palio_server.courses import inspection, reference_games
from palio_server.courses.sandboxed_tests import ListedTest, TestOutcome, list_tests, run_tests, shared
from palio_server.courses.values import Assignment, Checked, Part, Reference, StaffTests
from palio_server.sandbox.confinement import Confinement

SAID = 20_000  # characters of a student's own output that are kept, of hidden tests and of all others
GAMES_S = 600.0  # seconds for the games against one bot, at least
TRIAL = 2  # games against `random`, where an assignment has no reference bot


async def check(
    assignment: Assignment,
    submission: Path,
    confinement: Confinement,
    *,
    references: bool = True,
    records: Path | None = None,
    broken: str = "",
    say: Callable[[str], None] = lambda _: None,
) -> Checked:
    """Return what the files in the folder `submission` are worth.

    Without `references` no games are played. Records of games are appended to the file `records`. `broken` says why the
    files were not taken, if they were not. `say` gets a line about each step. Raises BadOption if the assignment itself
    cannot be used, or there is no sandbox.
    """
    begun = time.monotonic()
    with TemporaryFolder("submission") as place:
        folder = place / "submission"
        broken = broken or await _copied(assignment, submission, folder)
        if broken:
            say(broken)
            parts = await _nothing(assignment, confinement, broken, references=references)
            return Checked(parts, broken=broken, seconds=_since(begun))
        found = _Findings()
        await _tests(assignment, folder, confinement, found, say)
        if references:
            await _games(assignment, folder, confinement, found, records, say)
    return Checked(tuple(found.parts), unplayable=found.unplayable, seconds=_since(begun), said=found.printed)


class _Findings:
    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.printed = ""  # output that belongs to no part
        self.unplayable = ""
        self._room = {True: SAID, False: SAID}  # for output, of hidden parts and of others

    def said(self, text: str, *, hidden: bool) -> str:
        """Return the output of a part, as far as there is room for it."""
        kept = text[: self._room[hidden]]
        self._room[hidden] -= len(kept)
        return kept


async def _tests(
    assignment: Assignment, folder: Path, confinement: Confinement, found: _Findings, say: Callable[[str], None]
) -> None:
    until = time.monotonic() + assignment.time.total_seconds()
    for tests in assignment.tests:
        say(tests.file)
        tested = await run_tests(assignment, tests, folder, confinement, max(until - time.monotonic(), 0))
        for test in shared(tests, tested.tests):
            outcome = tested.outcomes.get(test.name) or TestOutcome(passed=False, why="it was not run")
            said = found.said(outcome.said, hidden=not tests.shown)
            found.parts.append(replace(part_of_test(tests, test, outcome), said=said))


def part_of_test(tests: StaffTests, test: ListedTest, outcome: TestOutcome) -> Part:
    """Return all points of a test, or none with the reason."""
    worth = test.points or Fraction(0)
    return Part(
        name=test.name,
        points=worth if outcome.passed else Fraction(0),
        max_points=worth,
        why=outcome.why,
        feedback=tests.feedback,
        shown=tests.shown,
        extra=test.extra,
        timed_out=outcome.timed_out,
        seconds=outcome.seconds,
    )


async def _games(
    assignment: Assignment,
    folder: Path,
    confinement: Confinement,
    found: _Findings,
    records: Path | None,
    say: Callable[[str], None],
) -> None:
    limit_s = max(GAMES_S, assignment.time.total_seconds())
    trial = Reference("random", TRIAL, Fraction(1), Fraction(0))
    for reference in assignment.against or (trial,):
        say(f"against {reference.bot}")
        played = await reference_games.play(
            assignment, folder, reference.bot, reference.games, confinement, seconds=limit_s, records=records
        )
        found.unplayable = found.unplayable or played.unplayable
        said = found.said(played.said, hidden=False)
        if reference is not trial:
            found.parts.append(replace(reference_games.part_of(reference, played), said=said))
        elif said:
            found.printed = f"against {reference.bot}:\n{said}"


async def _nothing(assignment: Assignment, confinement: Confinement, why: str, *, references: bool) -> tuple[Part, ...]:
    """Return all parts with 0 points."""
    outcome, parts = TestOutcome(passed=False, why=why), list[Part]()
    for tests in assignment.tests:
        listed = shared(tests, await list_tests(assignment, tests, confinement))
        parts += [part_of_test(tests, test, outcome) for test in listed]
    for each in assignment.against if references else ():
        parts.append(Part(f"against {each.bot}", Fraction(0), each.points, why, each.feedback))
    return tuple(parts)


def _since(begun: float) -> float:
    return round(time.monotonic() - begun, 3)


# The files of a submission.


async def _copied(assignment: Assignment, submission: Path, folder: Path) -> str:
    """Copy the files that belong to the submission to `folder`; return why nothing of it can run, or ""."""
    broken = await asyncio.to_thread(_copy, assignment, submission, folder)
    if broken:
        return broken
    required = [name for name in _files(folder) if name.endswith(".py") and _is_named(name, assignment.files)]
    return await inspection.python_error({name: (folder / name).read_bytes() for name in sorted(required)})


def _copy(assignment: Assignment, submission: Path, folder: Path) -> str:
    folder.mkdir()
    folder.parent.chmod(0o755)  # without a sandbox, another user reads it
    if not submission.is_dir():
        raise BadOption(f"there is no folder {quoted(str(submission))} with a submission")
    there = sorted(_files(submission))
    wanted = (*assignment.files, *assignment.optional)
    for pattern in assignment.files:
        if not any(fnmatchcase(name, pattern) for name in there):
            return f"the file {pattern} is missing; {nearest(pattern, there) if there else 'there is no file at all'}"
    kept = [name for name in there if not wanted or _is_named(name, wanted)]
    size = sum((submission / name).stat().st_size for name in kept)
    if size > assignment.size:
        return f"the files have {size} bytes, {assignment.size} are allowed; leave out what is not needed"
    for name in kept:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(submission / name, folder / name)
    return ""


def _is_named(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _files(folder: Path) -> Sequence[str]:
    """Return the regular files below a folder; links are left out."""
    found = (each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    inner = (each for each in found if "__pycache__" not in each.parts)
    return [each.relative_to(folder).as_posix() for each in inner if _is_below(each, folder)]


def _is_below(file: Path, folder: Path) -> bool:
    return file.resolve().is_relative_to(folder.resolve())
