"""The tests' process: it lists the tests, or runs each in a child process of its own.

It reads orders from a socket, `{"run": NAME, "token": TOKEN}`, with a descriptor on which a student's process answers,
and writes messages about tests to it, one a line. A message counts if it has the token of its order. It has imported
the student's code itself if no test of the file has the fixture `student`. What it prints goes to another socket.
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
from types import ModuleType
from typing import Any

import pytest

from palio_clients.grading import plugin, reasons, unchanged
from palio_clients.grading.remote import StudentError
from palio_clients.grading.staff_files import Absent, StaffModules
from palio_clients.grading.student import ORDER, TimeOver, enter, print_whole_lines, time_over
from palio_clients.handouts.entering import all_imports
from palio_rules.python_file import add_import_folders, parsed_text

OPTIONS = (
    *("-q", "-s", "-p", "no:cacheprovider", "-p", "no:doctest", "-p", "no:faulthandler"),
    *("-p", "no:threadexception", "-p", "no:unraisableexception", "-W", "ignore", "--noconftest"),
)


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
    except plugin.BadMarker as error:
        _send(channel, {"error": str(error)})
        return
    apart = any(each["student"] for each in listed)
    if apart and (missing := _missing(file)):
        why = f"imports {missing}, which is the student's or not installed; with the fixture `student`, write"
        _send(channel, {"error": f"{file.name} {why} student.module({missing!r})"})
        return
    _send(channel, {"tests": listed, "opened": sorted(opened), "apart": apart})


def _missing(file: TestFile) -> str:
    """Return a module that the staff's files import, and that is not there without a submission and a handout; ""."""
    names = {
        dotted[0]
        for text in file.sources.values()
        if (tree := parsed_text(text)) is not None
        for level, dotted in all_imports(tree)
        if not level
    }
    return next((name for name in sorted(names & sys.modules.keys()) if _is_stand_in(file, sys.modules[name])), "")


def _is_stand_in(file: TestFile, module: ModuleType) -> bool:
    spec = module.__spec__
    if spec is None or isinstance(spec.loader, Absent):
        return spec is not None
    return file.handout is not None and Path(str(spec.origin)).is_relative_to(file.handout)


def _note_opened(event: str, words: tuple[Any, ...], file: TestFile, opened: set[str]) -> None:
    if event == "open" and isinstance(words[0], str) and words[0].startswith(f"{file.folder}{os.sep}"):
        name = os.path.relpath(words[0], file.folder)
        if name in file.data:
            opened.add(name)


def serve_tests(file: TestFile, work: Path, channel: socket.socket, opened: Sequence[str], *, apart: bool) -> None:
    """Import the test file, then run what is ordered on the submission in the folder `work`.

    Unless that runs `apart`, it can be imported here. `opened` are the data that the test file reads when it is
    imported. They are removed before a test runs, because they may have its answer.
    """
    os.chdir(work)
    sys.argv = [""]
    print_whole_lines()
    if not apart:
        enter(work, file.handout)
    tests = _Served(_modules(file, work, apart=apart), work, channel, [file.folder / name for name in opened])
    _pytest(file, tests)
    if tests.error is not None:
        error = tests.error
        trace = reasons.own_traceback(error, work)
        _send(channel, {"failed": f"cannot be imported: {reasons.failure(error, work)}", "trace": trace})


class _Served(plugin.CourseTests):
    """The tests, which are run as they are ordered."""

    def __init__(self, modules: StaffModules, work: Path, channel: socket.socket, answers: Sequence[Path]) -> None:
        super().__init__(modules, work)
        self._served, self._orders, self._answers = work, channel, answers

    def pytest_collection(self, session: pytest.Session) -> None:
        self._unchanged = unchanged.Unchanged()  # pytest has changed itself by now, and no student's code has run

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            return True
        for file in self._answers:
            file.unlink(missing_ok=True)
        _send(self._orders, {"ready": True})
        while order := self._order():
            sys.stdout.flush()
            child = os.fork()
            if child == 0:
                self._child(order)
            if self.student_end is not None:
                self.student_end.close()
            _send(self._orders, {"started": child, "token": order["token"]})
            _, status = os.waitpid(child, 0)
            _send(self._orders, {"ended": os.waitstatus_to_exitcode(status), "token": order["token"]})
        return True

    def _order(self) -> dict[str, Any]:
        """Return the next order, and keep the end of the student's channel that comes with it; {} at the end."""
        line, given = b"", list[int]()
        while not line.endswith(b"\n"):
            chunk, fds, _, _ = socket.recv_fds(self._orders, ORDER, 1)
            if not chunk:
                return {}
            line, given = line + chunk, given + fds
        self.student_end = socket.socket(fileno=given[0]) if given else None
        order: dict[str, Any] = json.loads(line)
        return order

    def _child(self, order: dict[str, Any]) -> None:
        """Run one test and leave at once: threads and handlers that it has left behind do not matter."""
        os.setsid()
        try:
            message = self._judged(order["run"], order["memory"])
            message["token"] = order["token"]
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            _send(self._orders, message)
        finally:
            os._exit(0)

    def _judged(self, name: str, memory: int) -> dict[str, Any]:
        if name not in self.items:
            return {"passed": False, "why": "this test is not there with the submission", "trace": ""}
        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        signal.signal(signal.SIGALRM, time_over)
        try:
            passed, error = self.run(name)
        except BaseException as caught:  # noqa: BLE001  # such as SystemExit and TimeOver
            passed, error = False, caught
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        if passed and (part := self._unchanged.replaced()):
            return {"passed": False, "why": f"the submission replaces {part}, which tests need", "trace": ""}
        if passed or error is None:
            return {"passed": passed, "why": "" if passed else "it did not run to its end", "trace": ""}
        if isinstance(error, StudentError):
            why = reasons.located(str(error), error.place)
            about = {"trace": error.trace, "place": error.place, "timed_out": error.over, "gone": error.gone}
            return {"passed": False, "why": why, **about}
        where, over = reasons.place(error, self._served), isinstance(error, TimeOver)
        trace = reasons.own_traceback(error, self._served)
        why = reasons.failure(error, self._served)
        return {"passed": False, "why": why, "trace": trace, "place": where, "timed_out": over}


def _modules(file: TestFile, work: Path | None, *, apart: bool = False) -> StaffModules:
    """Install the hook for the staff's modules, before installed packages."""
    before = [each for each in (work, file.handout) if each is not None and not apart]
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
