"""Write an assignment that is ready to use: `python -m palio_clients.grading.new NAME FOLDER --seed N …`.

Its dates are filled in, and its hidden cases are drawn by the seed: equal seeds give equal bytes. Exit code 2, with a
sentence on stderr, if it cannot be written; then FOLDER is as it was before.
"""

import argparse
import importlib
import json
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from datetime import date, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from string import Template
from typing import Any

from palio_clients.handouts.courses import course_named
from palio_rules.errors import nearest, quoted

READY = Path(__file__).parent / "ready"
FILE, CASES, SOLUTION = "assignment.toml", Path("tests", "cases.json"), "solution"
FINAL = timedelta(days=3)  # after the due day, at noon: late submissions are in by then


def names() -> list[str]:
    """Return the names of the assignments that can be written."""
    return sorted(file.parent.name for file in READY.glob(f"*/{FILE}"))


def draw(name: str, seed: int) -> dict[str, Any]:
    """Return the hidden cases of an assignment, each with its proven answer, in the values of JSON."""
    cases: dict[str, Any] = importlib.import_module(f"palio_clients.grading.drawing.{name}").draw(seed)
    return cases


def write(name: str, folder: Path, seed: int, opens: date, due: date) -> None:
    """Write the assignment `name` into `folder`, which must not be there yet, or be empty. Raises ValueError."""
    if name not in names():
        raise ValueError(f"there is no assignment {quoted(name)}; {nearest(name, names())}")
    if due < opens:
        raise ValueError(f"--due {due} is before --opens {opens}; give a later day")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(f"{folder} is there already; give a folder that is not, or an empty one")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".new-") as beside:
        made = Path(beside, folder.name)
        shutil.copytree(READY / name, made, ignore=shutil.ignore_patterns("__pycache__"))
        text = Template((made / FILE).read_text(encoding="utf-8"))
        dates = {"opens": opens, "due": due, "final": due + FINAL}
        (made / FILE).write_text(text.substitute(seed=seed, **dates), encoding="utf-8")
        (made / CASES).write_text(_as_text(draw(name, seed)), encoding="utf-8")
        _add_solution(name, made)
        made.replace(folder)


def _add_solution(name: str, folder: Path) -> None:
    """Copy our own files for the handout as the solution, unless the assignment has one of its own."""
    solution = folder / SOLUTION
    if solution.exists():
        return
    found = tomllib.loads((folder / FILE).read_text(encoding="utf-8"))
    solution.mkdir()
    for file in course_named(name).path.glob("[!_]*"):
        if file.is_file() and any(fnmatchcase(file.name, each) for each in (*found["files"], *found["optional"])):
            shutil.copy(file, solution)


def _as_text(cases: dict[str, Any]) -> str:
    """Return JSON with a line for each case."""
    kinds = []
    for kind, found in cases.items():
        lines = ",\n".join(f"  {json.dumps(case)}" for case in found)
        kinds.append(f"{json.dumps(kind)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(kinds) + "\n}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the assignment of the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m palio_clients.grading.new", description="Write an assignment.")
    parser.add_argument("name", nargs="?", help="one of --list")
    parser.add_argument("folder", nargs="?", type=Path, help="the folder to write")
    parser.add_argument("--list", action="store_true", help="print the names, one a line")
    parser.add_argument("--seed", type=int, help="of the hidden cases; another term takes another one")
    parser.add_argument("--opens", type=date.fromisoformat, metavar="YYYY-MM-DD", help="first day")
    parser.add_argument("--due", type=date.fromisoformat, metavar="YYYY-MM-DD", help="last day")
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(names()))  # noqa: T201  # the command's output
        return 0
    if None in (options.name, options.folder, options.seed, options.opens, options.due):
        parser.error("give NAME, FOLDER, --seed, --opens and --due, or --list")
    try:
        write(options.name, options.folder, options.seed, options.opens, options.due)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
