"""`python -m palio_clients.grading tests --tests DIR --file test_a.py --submission DIR`: what became of each test.

One JSON object a line, see `runner.py`. `--tests -` reads the staff's files from the standard input. Without
`--submission` the tests are listed only.
"""

import argparse
import importlib.util
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from palio_rules.extras import missing_part

USAGE = 2


def main(words: list[str]) -> int:
    options = _options(words)
    if importlib.util.find_spec("pytest") is None:
        print(missing_part(ModuleNotFoundError(name="pytest")), file=sys.stderr)  # noqa: T201
        return 1
    from palio_clients.grading.child import Nursery  # noqa: PLC0415
    from palio_clients.grading.student import close_memory  # noqa: PLC0415

    if not close_memory():
        print("the tests' memory cannot be closed to students' programs", file=sys.stderr)  # noqa: T201
        return 1
    nursery = None if options.submission is None else Nursery()  # before any test is in this process
    from palio_clients.grading import staff_files  # noqa: PLC0415  # they import pytest
    from palio_clients.grading.runner import Limits, TestRun  # noqa: PLC0415
    from palio_clients.grading.worker import TestFile  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp(prefix="tests-")).resolve() / "staff"
    folder.mkdir()
    sources, data = staff_files.lay_out(staff_files.read(options.tests, sys.stdin.buffer), folder)
    if options.file not in sources:
        known = ", ".join(sorted(sources)) or "no file"
        print(f"there is no {options.file} among the tests ({known})", file=sys.stderr)  # noqa: T201
        return USAGE
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.set_inheritable(ours.fileno(), False)
    os.dup2(2, 1)

    def emit(message: dict[str, Any]) -> None:
        ours.write(f"{json.dumps(message)}\n")
        ours.flush()

    submitted = options.submitted or ("*",)
    file = TestFile(options.file, folder, sources, data, _handout(options.handout), submitted)
    limits = Limits(options.seconds, options.memory, options.alone, options.user)
    run = TestRun(file, options.submission, limits, emit, nursery)
    if options.submission is None:
        run.list_tests()
    else:
        run.run(frozenset(options.skip))
    return 0


def _options(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("palio_clients.grading", description=__doc__, allow_abbrev=False)
    verbs = parser.add_subparsers(required=True)
    tests = verbs.add_parser("tests", help="run the tests of one file on a submission")
    tests.add_argument("--tests", required=True, metavar="DIR", help="the folder of the staff's tests")
    tests.add_argument("--file", required=True, help="the test file, relative to that folder")
    tests.add_argument("--submission", type=_folder, metavar="DIR")
    tests.add_argument("--submitted", action="append", metavar="FILE", help="of a submission; any, if none is named")
    tests.add_argument("--handout", default="", metavar="NAME", help="whose modules the submission may import")
    tests.add_argument("--seconds", type=float, default=600.0, help="of processor time, for all tests together")
    tests.add_argument("--memory", type=int, default=0, metavar="BYTES", help="for one test; 0: any number")
    tests.add_argument("--alone", action="store_true", help="end every other process after a test, as in a sandbox")
    tests.add_argument("--user", type=int, default=0, metavar="UID", help="as whom the submission runs, if we are root")
    tests.add_argument("--skip", action="append", default=[], metavar="NAME", help="a test that is not run")
    return parser.parse_args(words)


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return Path(text).resolve()


def _handout(name: str) -> Path | None:
    if not name:
        return None
    from palio_clients.handouts.courses import course_named  # noqa: PLC0415

    return course_named(name).path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
