"""The pytest plugin of a course's tests: the marker `points`, the fixtures `student` and `submission`, test files from
memory.

@pytest.mark.points(5)                    # all or nothing; a parametrized test: for each case
@pytest.mark.points(5, extra=True)        # beside the assignment's points
@pytest.mark.points(5, seconds=60)        # time for this test
"""

import socket
from collections.abc import Generator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from palio_clients.grading import reasons
from palio_clients.grading.remote import Student
from palio_clients.grading.staff_files import StaffModules

MARKER = "points(n, extra=False, seconds=None): points for a test, and the seconds that it may take"
CONFTEST = "conftest.py"
NAME = "palio_staff_tests"  # of the module with the tests, in sys.modules


class BadMarker(Exception):
    """A marker that cannot be read; the message is a sentence for the staff."""


class CourseTests:
    """The tests of one file, as pytest collects and runs them."""

    def __init__(self, modules: StaffModules, work: Path | None) -> None:
        """`work` is the folder with the submission; None: the tests are listed only."""
        self.items: dict[str, pytest.Item] = {}
        self.error: BaseException | None = None  # that the test file raised at its import
        self._modules, self._work = modules, work
        self.student_end: socket.socket | None = None  # of the channel to the student's process, for the present test
        self.scratch = (modules.folder if work is None else work).parent / "pytest"  # for `tmp_path`
        self._failures: list[BaseException | None] = []
        self._passed: list[str] = []

    # How the tests are found.

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        config.pluginmanager.register(_Here(), __name__)  # a conftest.py of the staff may ask for it
        config.addinivalue_line("markers", MARKER)

    def conftest(self) -> list[ModuleType]:
        """Return the staff's conftest.py as a plugin, if there is one. Raises what it raises."""
        if CONFTEST not in self._modules.names:
            return []
        module = ModuleType(CONFTEST.removesuffix(".py"))
        self._modules.run(self._modules.folder / CONFTEST, module, None)
        return [module]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        session.config.pluginmanager.unregister(reporter)  # results are sent as messages

    def pytest_pycollect_makemodule(self, module_path: Path, parent: Any) -> pytest.Module:
        found: _FromMemory = _FromMemory.from_parent(parent, path=module_path)
        found.tests = self
        return found

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = {item.nodeid: item for item in session.items}

    def module(self, path: Path, config: pytest.Config) -> ModuleType:
        """Return the test file as a module. Keeps the error that it raises, and raises it."""
        module = ModuleType(NAME)
        module.__file__ = str(path)
        try:
            self._modules.run(path, module, config)
        except BaseException as error:
            self.error = error
            raise ImportError(f"{path.name} cannot be imported") from error
        return module

    @pytest.fixture
    def student(self) -> Student:
        """The student's program, in a process of its own."""
        assert self.student_end is not None
        return Student(self.student_end)

    @pytest.fixture
    def submission(self) -> Path:
        """The folder with a copy of what the student handed in."""
        assert self._work is not None
        return self._work

    # How one test is judged.

    @pytest.hookimpl(tryfirst=True)
    def pytest_assertrepr_compare(self, op: str, left: object, right: object) -> list[str]:
        return [reasons.comparison(op, left, right)]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
        report = yield
        self._failures.append(call.excinfo.value if call.excinfo is not None else None)
        self._passed.append(report.outcome if not hasattr(report, "wasxfail") else "expected to fail")
        return report  # as pluggy's wrappers do

    def run(self, name: str) -> tuple[bool, BaseException | None]:
        """Run one test with its fixtures; return whether it passed, and the first error."""
        item = self.items[name]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        error = next((each for each in self._failures if each is not None), None)
        passed = self._passed == ["passed"] * 3  # setup, call, teardown
        return passed and error is None, error


class _Here:
    """The name of this plugin."""


class _FromMemory(pytest.Module):
    tests: CourseTests

    def _getobj(self) -> ModuleType:
        return self.tests.module(self.path, self.config)


def listed(item: pytest.Item) -> dict[str, Any]:
    """Return a test's name, its points (None without a marker), if they are extra, and its seconds.

    `student`: it asks a student's process. Raises BadMarker.
    """
    marker, student = item.get_closest_marker("points"), "student" in getattr(item, "fixturenames", ())
    if marker is None:
        return {"name": item.nodeid, "points": None, "extra": False, "seconds": None, "student": student}
    try:
        points, extra, seconds = _arguments(*marker.args, **marker.kwargs)
    except (TypeError, ValueError, ZeroDivisionError):
        words = ", ".join([*map(repr, marker.args), *(f"{key}={value!r}" for key, value in marker.kwargs.items())])
        raise BadMarker(f"{item.nodeid}: points({words}) cannot be read; write {MARKER.partition(':')[0]}") from None
    return {"name": item.nodeid, "points": str(points), "extra": extra, "seconds": seconds, "student": student}


def _arguments(n: Any, extra: bool = False, seconds: float | None = None) -> tuple[Fraction, bool, float | None]:  # noqa: FBT001, FBT002  # as a marker is written
    points = Fraction(str(n))
    if points < 0 or (seconds is not None and not 0 < seconds < float("inf")):
        raise ValueError
    return points, bool(extra), None if seconds is None else float(seconds)
