"""A new course: `course.toml`, a README, and ready assignments, which the clients' package writes."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from palio_rules.contract.names import USE, is_name
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.interpreter import python
from palio_server.courses.course_file import ASSIGNMENTS, FILE, read_course
from palio_server.courses.values import Course

WRITER = "palio_clients.grading.new"  # a module of the clients, which is only started
FORTNIGHT = timedelta(days=14)
LIMIT_S = 900  # for one assignment: its hidden tests are drawn, and solved

COURSE_TOML = """\
# A course. `palio course check {name}` reads this folder and tells what is wrong in it.
title = {title}
time_zone = "{zone}"            # of all dates below that have none of their own
staff = []                      # names of tokens that act as staff: palio bot add ann --scope watch
team_size = 1                   # students that hand in together, at most
sandbox = true                  # false: students' files run without one, at your risk
pseudonyms = true               # students see each other under made-up names

[late]
free_days = 0                   # late days without penalty that a student has in the whole course
days = 2                        # after due, on which a submission still counts
penalty = 0.1                   # of the points reached, for each begun day
grace = 0                       # minutes after due that still count as in time
"""
GITIGNORE = """\
# Students' files and the database do not belong into the repository of the staff.
*.db
*.db-*
submissions/
.palio-tried.json
__pycache__/
.pytest_cache/
"""
README = """\
# {title}

`course.toml` has the rules of the course, `assignments/NAME/assignment.toml` those of an assignment, `tests/` beside it
the tests that give points, `solution/` the files of a right submission, with which tests are tried, and `staff/`
reference bots. Keep this folder in git, and from students.

    palio course check {name}   # after each change: what is here, or what is wrong
    palio course new --help    # how this folder was made

Hidden tests were drawn with the seed {seed}; take another one next term, so that old answers are of no use.
"""


def write_course(
    folder: Path,
    names: Sequence[str],
    *,
    title: str,
    zone: ZoneInfo,
    start: date,
    seed: int,
    say: Callable[[str], None] = lambda _: None,
) -> Course:
    """Write a course of ready assignments, due a fortnight apart, and return it as it reads.

    `say` is told which assignment is drawn, which may take minutes. Raises BadOption; then nothing is left in `folder`,
    which must not exist.
    """
    folder = folder.absolute()
    if not is_name(folder.name):
        raise BadOption(f"{quoted(folder.name)} is no name for a course; {USE}")
    if folder.exists():
        raise BadOption(f"{folder} exists already; take another name, or remove it first")
    check_ready(names)
    try:
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as above:
            made = Path(above) / folder.name
            _write_files(made, title=title, zone=zone, seed=seed)
            for number, name in enumerate(names):
                say(f"writing {name}, {number + 1} of {len(names)}: drawing its hidden tests")
                opens = start + number * FORTNIGHT
                _run(
                    *(name, str(made / ASSIGNMENTS / name), "--seed", str(seed + number)),
                    *("--opens", opens.isoformat(), "--due", (opens + FORTNIGHT).isoformat()),
                )
            read_course(made)
            made.rename(folder)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BadOption(f"{folder} cannot be written: {why}; take another folder") from None
    return read_course(folder)


def ready_names() -> tuple[str, ...]:
    """Return the names of the ready assignments. Raises BadOption."""
    return tuple(_run("--list").split())


def check_ready(names: Sequence[str]) -> None:
    """Raise BadOption for a name that no ready assignment has, and for one that is given twice."""
    known = ready_names()
    for name in names:
        if name not in known:
            raise BadOption(f"there is no ready assignment {quoted(name)}; {nearest(name, known)}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadOption(f"the assignment {quoted(twice[0])} is given twice; name it once")


def local_zone(environment: Mapping[str, str] = os.environ, link: Path = Path("/etc/localtime")) -> ZoneInfo:
    """Return this machine's time zone, UTC if it does not tell its name."""
    found = environment.get("TZ", "").removeprefix(":")
    if not found and link.is_symlink():
        found = str(link.resolve()).rpartition("zoneinfo/")[2]
    try:
        return ZoneInfo(found or "UTC")
    except (ValueError, OSError, LookupError):
        return ZoneInfo("UTC")


def next_monday(today: date) -> date:
    return today + timedelta(days=7 - today.weekday())


def _write_files(folder: Path, *, title: str, zone: ZoneInfo, seed: int) -> None:
    (folder / ASSIGNMENTS).mkdir(parents=True)
    words = {"name": folder.name, "zone": zone.key, "seed": seed}
    quoted_title = '"' + title.replace("\\", "\\\\").replace('"', '\\"') + '"'
    (folder / FILE).write_text(COURSE_TOML.format(title=quoted_title, **words), "utf-8")
    (folder / ".gitignore").write_text(GITIGNORE, "utf-8")
    (folder / "README.md").write_text(README.format(title=title, **words), "utf-8")


def _run(*arguments: str) -> str:
    """Run the clients' writer and return what it prints. Raises BadOption with the last line of its errors."""
    try:
        done = subprocess.run(  # noqa: S603  # our own words
            python("-m", WRITER, *arguments), capture_output=True, text=True, check=False, timeout=LIMIT_S
        )
    except subprocess.TimeoutExpired:
        raise BadOption(f"the assignment {arguments[0]} was not drawn within {LIMIT_S // 60} minutes") from None
    if done.returncode:
        last = next(reversed(done.stderr.strip().splitlines()), f"it ended with {done.returncode} and said nothing")
        raise BadOption(f"no ready assignment was written: {last}")
    return done.stdout
