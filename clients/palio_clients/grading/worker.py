"""The process that has imported a student's code: it lists the tests, or runs each in a child process of its own.

It reads orders from a socket, `{"run": NAME, "token": TOKEN}`, and writes messages about tests to it, one a line. A
message counts if it has the token of its order. What it or the student's code prints goes to another socket.
"""

import json
import os
import resource
import signal
import socket
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from palio_clients.grading import plugin, reasons, unchanged
from palio_clients.grading.staff_files import Absent, StaffModules
from palio_rules.python_file import add_import_folders, prefer_own_modules

OPTIONS = (
    *("-q", "-s", "-p", "no:cacheprovider", "-p", "no:doctest", "-p", "no:faulthandler"),
    *("-p", "no:threadexception", "-p", "no:unraisableexception", "-W", "ignore", "--noconftest"),
)
BUFFER = 8192  # bytes of stdout that are written at once


@dataclass(frozen=True)
class TestFile:
    """A file of the staff's tests, laid out below `folder`."""

    __test__ = False  # pytest looks for classes with this beginning

    name: str  # relative to `folder`
    folder: Path
    sources: dict[str, bytes]
    data: dict[str, bytes]  # files that are not Python
    handout: Path | None  # the folder of the handout's modules
    submitted: Sequence[str] = ("*",)  # patterns of a submission's files, whose modules are missing without one


class TimeOver(BaseException):  # not an Exception: a student's `except Exception` must not stop it
    """The time of a test is over."""


def list_tests(file: TestFile, channel: socket.socket) -> None:
    """Send the list of the file's tests, or the reason why it cannot be read. No student's code runs."""
    Absent(file.handout, file.submitted).start()
    tests, opened = plugin.CourseTests(_modules(file, None), None), set[str]()
    sys.addaudithook(lambda event, words: _note_opened(event, words, file, opened))
    with _quiet():
        _pytest(file, tests)
    if tests.error is not None:
        error = tests.error
        why = f"{type(error).__name__}: {error}"
        if isinstance(error, SyntaxError):
            why = f"line {error.lineno}: SyntaxError: {error.msg}"
        _send(channel, {"error": f"{file.name} cannot be read without a submission: {why}"})
        return
    try:
        listed = [plugin.listed(item) for item in tests.items.values()]
        _send(channel, {"tests": listed, "opened": sorted(opened)})
    except plugin.BadMarker as error:
        _send(channel, {"error": str(error)})


def _note_opened(event: str, words: tuple[Any, ...], file: TestFile, opened: set[str]) -> None:
    if event == "open" and isinstance(words[0], str) and words[0].startswith(f"{file.folder}{os.sep}"):
        name = os.path.relpath(words[0], file.folder)
        if name in file.data:
            opened.add(name)


def serve_tests(file: TestFile, work: Path, channel: socket.socket, opened: Sequence[str]) -> None:
    """Import the submission in the folder `work` with the test file, then run what is ordered.

    `opened` are the data that the test file reads when it is imported. They are removed before a test runs, because
    they may have its answer.
    """
    os.chdir(work)
    sys.argv = [""]
    # Programs that print much must not wait for each part of a line, as they do in a sandbox (PYTHONUNBUFFERED).
    sys.stdout = open(1, "w", buffering=BUFFER, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    add_import_folders(work, *([] if file.handout is None else [file.handout]))
    prefer_own_modules(work)
    tests = _Served(_modules(file, work), work, channel, [file.folder / name for name in opened])
    _pytest(file, tests)
    if tests.error is not None:
        error = tests.error
        trace = reasons.own_traceback(error, work)
        _send(channel, {"failed": f"cannot be imported: {reasons.failure(error, work)}", "trace": trace})


class _Served(plugin.CourseTests):
    """The tests, which are run as they are ordered."""

    def __init__(self, modules: StaffModules, work: Path, channel: socket.socket, answers: Sequence[Path]) -> None:
        super().__init__(modules, work)
        self._served, self._channel, self._answers = work, channel, answers

    def pytest_collection(self, session: pytest.Session) -> None:
        self._unchanged = unchanged.Unchanged()  # pytest has changed itself by now, and no student's code has run

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            return True
        for file in self._answers:
            file.unlink(missing_ok=True)
        _send(self._channel, {"ready": True})
        with self._channel.makefile("r", encoding="utf-8") as orders:
            for line in orders:
                order = json.loads(line)
                sys.stdout.flush()
                child = os.fork()
                if child == 0:
                    self._child(order)
                _send(self._channel, {"started": child, "token": order["token"]})
                _, status = os.waitpid(child, 0)
                _send(self._channel, {"ended": os.waitstatus_to_exitcode(status), "token": order["token"]})
        return True

    def _child(self, order: dict[str, Any]) -> None:
        """Run one test and leave at once: threads and handlers that it has left behind do not matter."""
        os.setsid()
        try:
            message = self._judged(order["run"], order["seconds"], order["memory"])
            message["token"] = order["token"]
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            _send(self._channel, message)
        finally:
            os._exit(0)

    def _judged(self, name: str, seconds: float, memory: int) -> dict[str, Any]:
        if name not in self.items:
            return {"passed": False, "why": "this test is not there with the submission", "trace": ""}
        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        signal.signal(signal.SIGALRM, _time_over)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            passed, error = self.run(name)
        except BaseException as caught:  # noqa: BLE001  # such as SystemExit and TimeOver
            passed, error = False, caught
        signal.setitimer(signal.ITIMER_REAL, 0)
        over = isinstance(error, TimeOver)
        if passed and (part := self._unchanged.replaced()):
            return {"passed": False, "why": f"the submission replaces {part}, which tests need", "trace": ""}
        if passed or error is None:
            return {"passed": passed, "why": "" if passed else "it did not run to its end", "trace": ""}
        why = reasons.failure(error, self._served)
        trace = reasons.own_traceback(error, self._served)
        return {"passed": False, "why": why, "trace": trace, "timed_out": over}


def _time_over(_number: int, _frame: FrameType | None) -> None:
    raise TimeOver("the time was over")


def _modules(file: TestFile, work: Path | None) -> StaffModules:
    """Install the hook for the staff's modules, before installed packages."""
    before = [each for each in (work, file.handout) if each is not None]
    if work is None and file.handout is not None:
        add_import_folders(file.handout)
    found = StaffModules(file.sources, file.folder, before)
    sys.meta_path.insert(0, found)
    return found


def _pytest(file: TestFile, tests: plugin.CourseTests) -> None:
    """Let pytest collect the file, and run what `tests` says."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    place = file.folder / "pytest.ini"
    if not place.exists():
        place.write_text("[pytest]\n")
    words: Sequence[str] = (f"--basetemp={tests.scratch}", f"--rootdir={file.folder}")
    collected = () if isinstance(tests, _Served) else ("--collect-only",)
    warnings.simplefilter("ignore")
    plugins = [tests, *tests.conftest()]
    pytest.main([*OPTIONS, *words, *collected, "-c", str(place), str(file.folder / file.name)], plugins=plugins)


class _quiet:  # noqa: N801  # used as a function
    """Nothing printed meanwhile reaches the outside."""

    def __enter__(self) -> None:
        self._kept = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: PTH123

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = self._kept


def _send(channel: socket.socket, message: dict[str, Any]) -> None:
    channel.sendall(json.dumps(message).encode() + b"\n")
