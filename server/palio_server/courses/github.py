"""GitHub Classroom: what a repository of students' starter code needs so that each push is graded.

Students read that repository, so it holds only the tests whose reasons they see at once.
"""

import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from palio_server.courses.gradescope import files_of
from palio_server.courses.values import Assignment

WORKFLOW = ".github/workflows/classroom.yml"
FOLDER = ".github/palio"
_HEAD = re.compile(r"^\s*\[", re.MULTILINE)

TEMPLATE = """\
name: Autograding Tests
on: [push, workflow_dispatch, repository_dispatch]
permissions:
  checks: write
  actions: read
  contents: read
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    if: github.actor != 'github-classroom[bot]'
    timeout-minutes: 60
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - name: Install Palio
        run: python -m pip install --quiet "$(echo .github/palio/palio-*.whl)[courses]"
      - name: Grade
        id: palio
        run: |
          grade="$RUNNER_TEMP/grade.json"
          palio grade .github/palio/course/assignments/ASSIGNMENT . --json --sandbox off > "$grade" || test -s "$grade"
          jq -r '.parts[] | "\\(.points)/\\(.max_points)  \\(.name)  \\(.why)"' "$grade"
          result=$(jq '{version: 1, status: (if .points >= .max_points then "pass" else "fail" end),
            max_score: .max_points, tests: [.parts[] | {name, score: .points, message: .why, test_code: "",
            filename: "", line_no: 0, execution_time: "0s",
            status: (if .points >= .max_points then "pass" else "fail" end)}]}' "$grade" | base64 -w 0)
          echo "result=$result" >> "$GITHUB_OUTPUT"
      - name: Autograding Reporter
        uses: classroom-resources/autograding-grading-reporter@v1
        env:
          PALIO_RESULTS: "${{ steps.palio.outputs.result }}"
        with:
          runners: palio
"""


def write_workflow(assignment: Assignment, wheel: Path, folder: Path) -> tuple[str, ...]:
    """Write the workflow, Palio's `wheel` and the open part of the assignment; return the test files left out."""
    hidden = tuple(each.file for each in assignment.tests if not (each.shown and each.feedback == "at once"))
    files = {WORKFLOW: TEMPLATE.replace("ASSIGNMENT", assignment.name).encode()}
    files[f"{FOLDER}/{wheel.name}"] = wheel.read_bytes()
    for name, content in files_of(assignment):
        inner = name.removeprefix(f"assignments/{assignment.name}/")
        if inner == "assignment.toml":
            content = _opened(content.decode(), hidden).encode()  # noqa: PLW2901
        if inner in (name, "assignment.toml") or _is_open(assignment, inner, hidden):
            files[f"{FOLDER}/course/{name}"] = content
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return hidden


def _is_open(assignment: Assignment, inner: str, hidden: tuple[str, ...]) -> bool:
    """Return True for what students may read: not hidden tests, nor their data, nor the staff's bots."""
    if inner.startswith("staff/") or inner in hidden:
        return False
    theirs = "".join((assignment.folder / each).read_text(encoding="utf-8") for each in hidden)
    tests = (
        each for each in assignment.folder.rglob("*.py") if each.relative_to(assignment.folder).as_posix() not in hidden
    )
    ours = "".join(each.read_text(encoding="utf-8") for each in tests)
    name = Path(inner).name
    return inner.endswith(".py") or name not in theirs or name in ours


def _opened(text: str, hidden: tuple[str, ...]) -> str:
    """Return `assignment.toml` without hidden tests, the staff's own bots, and the sums of points with theirs."""
    starts = [found.start() for found in _HEAD.finditer(text)]
    places = [0, *starts, len(text)]
    blocks = [text[first:last] for first, last in pairwise(places)]
    return "".join(_kept(blocks, hidden))


def _kept(blocks: list[str], hidden: tuple[str, ...]) -> Iterator[str]:
    for block in blocks:
        if not block.lstrip().startswith("["):
            yield re.sub(r"(?m)^(points|extra)\s*=.*\n", "", block)
            continue
        try:
            values: dict[str, Any] = tomllib.loads(block)
        except tomllib.TOMLDecodeError:  # a bracket that begins a line of a list
            yield block
            continue
        tests, against = values.get("tests", [{}]), values.get("against", [{}])
        if tests[0].get("file") in hidden or "staff/" in str(against[0].get("bot", "")):
            continue
        yield block
