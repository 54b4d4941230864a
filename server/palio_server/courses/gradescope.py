"""Gradescope: the results that its site shows, and the zip that it runs.

The layout is documented at https://gradescope-autograders.readthedocs.io: the files of the zip are in
`/autograder/source`, a submission in `/autograder/submission`, and `run_autograder` writes `results/results.json`.
"""

import json
import stat
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from palio_rules.errors import BadOption, quoted
from palio_server.courses.grading import of_check
from palio_server.courses.schedule import in_time_until
from palio_server.courses.values import SOLUTION, Assignment, Checked
from palio_server.courses.visible import AT_LAST, SeenPart, seen_by_student

ROOT = Path("/autograder")
METADATA, RESULTS = ROOT / "submission_metadata.json", ROOT / "results" / "results.json"
KEPT = frozenset(("__pycache__", ".git", ".pytest_cache"))
TOLD = 5000  # characters of a student's own output

SETUP = """\
#!/usr/bin/env bash
# Installs Palio, once, when Gradescope builds the machine that grades.
set -euo pipefail
root="${AUTOGRADER_ROOT:-/autograder}"
wheel=$(echo "$root"/source/palio-*.whl)

found=""
for each in python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$each" > /dev/null && "$each" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        found="$each"
        break
    fi
done
if [ -z "$found" ]; then  # an older Ubuntu
    apt-get update
    apt-get install -y python3-pip
    python3 -m pip install uv
    python3 -m uv python install 3.12
    found=$(python3 -m uv python find 3.12)
fi
if ! "$found" -m venv "$root/venv"; then
    apt-get update
    apt-get install -y python3-venv
    "$found" -m venv --clear "$root/venv"
fi
"$root/venv/bin/python" -m pip install --quiet "$wheel[courses]"
"""

RUN = """\
#!/usr/bin/env bash
# Grades one submission. Gradescope's machine is made for it alone, so there is no sandbox within it.
set -euo pipefail
root="${AUTOGRADER_ROOT:-/autograder}"
mkdir -p "$root/results"
chmod -R go-rwx "$root/source/course/assignments/ASSIGNMENT/tests"  # a submission runs as another user
cd "$root"
exec "$root/venv/bin/palio" grade "$root/source/course/assignments/ASSIGNMENT" "$root/submission" --gradescope \\
    --metadata "$root/submission_metadata.json" --results "$root/results/results.json" --sandbox off
"""


def results(assignment: Assignment, checked: Checked, metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `results.json` says; `metadata` is what `submission_metadata.json` says, {} without one.

    Gradescope itself holds back what is told after the due date.
    """
    seen = seen_by_student(of_check(checked), assignment, AT_LAST)
    said = [line for line in (seen.broken, seen.unplayable and f"as a bot: {seen.unplayable}") if line]
    if note := _lateness(assignment, metadata):
        said.append(note)
    if seen.printed:
        said.append(_printed(seen.printed))
    users = [str(user.get("name") or user.get("email")) for user in metadata.get("users", ()) if isinstance(user, dict)]
    return {
        "score": _number(seen.points),
        "execution_time": round(seen.seconds, 3),
        "output": "\n\n".join(said),
        "stdout_visibility": "hidden",
        "tests": [_test(part) for part in seen.parts],
        "leaderboard": [
            {"name": "points", "value": _number(seen.points), "order": "desc"},
            *({"name": part.name, "value": _number(part.points)} for part in seen.parts if part.matches),
        ],
        "extra_data": {"assignment": assignment.name, "users": users, "submission": metadata.get("id")},
    }


def _printed(text: str) -> str:
    return f"what your program printed:\n{text[:TOLD]}"


def _test(part: SeenPart) -> dict[str, Any]:
    return {
        "name": part.name,
        "score": _number(part.points),
        "max_score": 0 if part.extra else _number(part.max_points),
        "status": "passed" if part.points >= part.max_points and not part.why else "failed",
        "visibility": "visible" if part.feedback == "at once" else "after_due_date",
        "output": "\n\n".join(filter(None, (part.why, part.said and _printed(part.said)))),
    }


def _lateness(assignment: Assignment, metadata: Mapping[str, Any]) -> str:
    """Return how late the submission came, "" if it did not; its points are those of one in time."""
    try:
        at = datetime.fromisoformat(str(metadata["created_at"]))
    except (KeyError, ValueError):
        return ""
    if at.tzinfo is None or at <= in_time_until(assignment):
        return ""
    return (
        f"handed in {at:%Y-%m-%d %H:%M}, after the end ({assignment.due:%Y-%m-%d %H:%M}); no penalty is in this score"
    )


def _number(points: Fraction) -> int | float:
    return int(points) if points.denominator == 1 else round(float(points), 4)


def read_metadata(file: Path) -> dict[str, Any]:
    """Return the content of `submission_metadata.json`. Raises BadOption."""
    try:
        found = json.loads(file.read_bytes())
    except OSError as error:
        raise BadOption(f"{file} cannot be read ({error.strerror}); name it with --metadata FILE") from None
    except ValueError as error:
        raise BadOption(f"{file} is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadOption(f"{file} holds {quoted(found)}, no object")
    return found


def write_zip(assignment: Assignment, wheel: Path, file: Path) -> None:
    """Write the zip that Gradescope's site takes, with the `wheel` of Palio inside."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "setup.sh", SETUP.encode(), runs=True)
        _add(archive, "run_autograder", RUN.replace("ASSIGNMENT", assignment.name).encode(), runs=True)
        _add(archive, wheel.name, wheel.read_bytes())
        for name, content in files_of(assignment):
            _add(archive, f"course/{name}", content)


def files_of(assignment: Assignment) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an assignment that may leave this machine, with the course's, below the course's folder.

    Its solution is none of them.
    """
    course = assignment.folder.parent.parent / "course.toml"
    if assignment.folder.parent.name == "assignments" and course.is_file():
        yield "course.toml", course.read_bytes()
    for each in sorted(assignment.folder.rglob("*")):
        inner = each.relative_to(assignment.folder)
        if each.is_file() and inner.parts[0] != SOLUTION and not KEPT & set(inner.parts):
            yield f"assignments/{assignment.name}/{inner.as_posix()}", each.read_bytes()


def _add(archive: zipfile.ZipFile, name: str, content: bytes, *, runs: bool = False) -> None:
    entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # equal files make equal zips
    entry.external_attr = (stat.S_IFREG | (0o755 if runs else 0o644)) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)
