"""Ready assignments, written once a test session, and the points that a submission gets from their tests."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import palio_clients.grading

HERE = Path(__file__).parent
READY = Path(palio_clients.grading.__file__).parent / "ready"
NEW = ("--seed", "7", "--opens", "2027-02-01", "--due", "2027-02-15")


class Graded(NamedTuple):
    points: Fraction
    extra: Fraction
    lost: frozenset[str]  # tests, file::function, with a case that failed
    said: str


class _Counted(NamedTuple):
    name: str
    points: Fraction
    extra: bool
    passed: bool


def new(*arguments):
    """Run `python -m palio_clients.grading.new`."""
    command = [sys.executable, "-m", "palio_clients.grading.new", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@cache
def assignment(name):
    """The folder of an assignment, with its cases."""
    folder = Path(tempfile.mkdtemp(prefix="ready-")) / name
    written = new(name, folder, *NEW)
    assert written.returncode == 0, written.stderr
    return folder


def promised(name):
    """Points and extra points by the assignment's file, those of its tests alone."""
    found = tomllib.loads((assignment(name) / "assignment.toml").read_text())
    games = sum(Fraction(each["points"]) for each in found.get("against", []))
    return Fraction(found["points"]) - games, Fraction(found.get("extra", 0))


def graded(name, submissions, *, most=20):
    """Grade submissions, each a folder or texts by file name, and return the results by the same keys.

    A test has `most` seconds, or its own if they are fewer.
    """
    with tempfile.TemporaryDirectory(prefix="handed-in-") as above:
        folders = {key: Path(above, str(number)) for number, key in enumerate(submissions)}
        for key, files in submissions.items():
            _hand_in(files, folders[key])
        counter, tests = HERE / "points_counter.py", assignment(name) / "tests"
        command = [sys.executable, counter, name, tests, most, *folders.values()]
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV"))}
        ours = {"PYTHONDONTWRITEBYTECODE": "1"}
        ran = subprocess.run(
            list(map(str, command)),
            env={**kept, **ours, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return {key: _result(folder) for key, folder in folders.items()}


def _hand_in(files, folder):
    if isinstance(files, Path):
        shutil.copytree(files, folder, ignore=shutil.ignore_patterns("__pycache__"))
        return
    for file, text in files.items():
        place = folder / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(textwrap.dedent(text))


def _result(folder):
    said = folder.with_suffix(".txt").read_text(errors="replace")
    counted = folder.with_suffix(".json")
    assert counted.exists(), said
    found = [_Counted(test, Fraction(points), *rest) for test, points, *rest in json.loads(counted.read_text())]
    plain, extra = (
        sum((each.points for each in found if each.passed and each.extra == kind), Fraction(0))
        for kind in (False, True)
    )
    return Graded(plain, extra, frozenset(each.name for each in found if not each.passed), said)


def changed(text, *changes):
    """A file with a few words changed, each of which must be there."""
    for old, new_words in changes:
        assert text.count(old) >= 1, f"{old!r} is not in the file"
        text = text.replace(old, new_words)
    return text
