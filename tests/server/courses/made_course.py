"""A course's folder for tests, of which single lines can be changed."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from palio_server.courses.values import Assignment

COURSE = """\
title = "Artificial Intelligence 101"
time_zone = "Europe/Rome"
staff = ["ann"]
[late]
free_days = 3
days = 2
penalty = 0.1
"""
ASSIGNMENT = """\
title = "Dominoes"
game = "dominoes"
handout = "dominoes"
files = ["adversarial_search.py"]
optional = ["*.txt"]
size = "1 MB"
opens = 2027-02-01T09:00:00
due = 2027-02-15T23:59:00
submissions_a_day = 10
clock = "3"
time = "10 min"
seed = 20270201
points = 50
[[tests]]
file = "tests/test_examples.py"
points = 30
[[tests]]
file = "tests/test_hidden.py"
points = 0
shown = false
feedback = "after due"
[[against]]
bot = "alpha_beta:depth=2"
games = 20
need = 0.5
points = 10
[practice]
classmates = "on request"
games_an_hour = 10
rated = false
[[tournament]]
at = "daily 03:00"
format = "round-robin"
rounds = 1
openings = "2"
clock = "1"
[[tournament]]
at = 2027-02-16T12:00:00
final = true
[grading]
submission = "last"
place = { 1 = 10, 3 = 7, 10 = 3 }
"""


def made_course(above: Path, assignment: str = ASSIGNMENT, course: str = COURSE) -> Path:
    """Write a course called `ai101` with the assignment `dominoes`, and return its folder."""
    folder = above / "ai101"
    home = folder / "assignments" / "dominoes"
    (home / "tests").mkdir(parents=True)
    for name in ("test_examples.py", "test_hidden.py"):
        (home / "tests" / name).write_text("def test_it():\n    pass\n")
    (folder / "course.toml").write_text(course, "utf-8")
    (home / "assignment.toml").write_text(assignment, "utf-8")
    return folder


def line_of(text: str, line: str) -> int:
    """Return the number of a line that is in `text` once."""
    [number] = [number for number, each in enumerate(text.splitlines(), 1) if each == line]
    return number


def made_assignment(name: str = "dominoes", title: str = "Dominoes") -> Assignment:
    """Return an assignment without parts, due on 15 February 2027."""
    opens, due = (datetime(2027, 2, *at, tzinfo=ZoneInfo("Europe/Rome")) for at in ((1, 9), (15, 23, 59)))
    return Assignment(name, Path(name), title, "dominoes", "{folder}", ("a.py",), opens, due)


READY = '''\
"""Stands in for the ready assignments: `plain` is whole, `faulty` has a fault, `failing` cannot be written."""

import sys
from pathlib import Path

TEXT = """\\
title = "Plain"
game = "dominoes"
handout = "dominoes"
files = ["a.py"]
opens = {opens}T09:00:00
due = {due}T23:59:00
seed = {seed}
{line}
[[tests]]
file = "tests/test_it.py"
points = 10
"""

if sys.argv[1] == "--list":
    sys.exit(print("failing\\nfaulty\\nplain\\nsecond"))
name, folder, *_ = sys.argv[1:]
home = Path(folder)
(home / "tests").mkdir(parents=True)
(home / "tests" / "test_it.py").write_text("def test_it(): pass")
if name == "failing":
    print("Drawing ...\\nno instance has an answer; take another seed", file=sys.stderr)
    sys.exit(2)
given = dict(zip(sys.argv[3::2], sys.argv[4::2]))
line = "points = 11" if name == "faulty" else "points = 10"
text = TEXT.format(opens=given["--opens"], due=given["--due"], seed=given["--seed"], line=line)
(home / "assignment.toml").write_text(text)
'''


def made_ready(folder: Path) -> str:
    """Write a package that stands in for the clients' in a new process, and return the PYTHONPATH for it."""
    grading = folder / "palio_clients" / "grading"
    grading.mkdir(parents=True)
    for package in (grading, grading.parent):
        (package / "__init__.py").touch()
    (grading / "new.py").write_text(READY, "utf-8")
    return str(folder)
