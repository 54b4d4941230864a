"""The staff's tests of one file, run on a submission in a sandbox by `python -m palio_clients.grading`.

A sandbox that ends early, because a limit is used up, is replaced for the tests that are left. Only the tests of one
file and what they need are sent into it, on its standard input: a hidden test is not there when a shown one runs.
"""

import asyncio
import base64
import json
import os
import socket
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

from palio_rules.errors import BadOption, nearest
from palio_rules.interpreter import python, without_safe_path
from palio_server.courses.other_user import other_user
from palio_server.courses.values import Assignment, StaffTests
from palio_server.processes.bot_process import end_for_certain
from palio_server.processes.tether import tethered
from palio_server.sandbox import warden
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import SpecFiles

START_S = 30.0  # seconds, beside the time of the tests, in which the program starts and ends
WALL = 3  # times the processor time of the tests, that they may take beside other load
LINE = 1 << 20  # bytes of a message: a list of tests is the longest one
LARGEST = 64 << 20  # bytes of the staff's files
SHARE_OF_MEMORY = 0.75  # of the sandbox's, that one test may allocate: then it fails alone, with MemoryError
GOODBYE_S = 0.5


@dataclass(frozen=True, slots=True)
class ListedTest:
    """A test of the staff."""

    name: str  # "test_search.py::test_one_step[3]"
    points: Fraction | None  # None: no marker
    extra: bool = False


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """The outcome of a test. `said` is what the student's code printed, and its traceback."""

    __test__ = False

    passed: bool
    why: str = ""
    said: str = ""
    seconds: float = 0.0
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class TestedFile:
    """The tests of a file, with the outcomes of those that were run."""

    __test__ = False

    tests: tuple[ListedTest, ...]
    outcomes: dict[str, TestOutcome]


async def list_tests(assignment: Assignment, tests: StaffTests, confinement: Confinement) -> tuple[ListedTest, ...]:
    """Return the tests of a file, found without any submission. Raises BadOption, with what the staff has to do."""
    session = _Session(assignment, tests, None, confinement)
    await session.run(START_S)
    return session.listed()


async def points_of_tests(assignment: Assignment, confinement: Confinement) -> tuple[Fraction, Fraction]:
    """Return the points of all tests of an assignment, and their extra points. Raises BadOption, see `list_tests`."""
    found = [
        test for each in assignment.tests for test in shared(each, await list_tests(assignment, each, confinement))
    ]
    extra = sum((test.points or Fraction(0) for test in found if test.extra), Fraction(0))
    return sum((test.points or Fraction(0) for test in found), Fraction(0)) - extra, extra


async def run_tests(
    assignment: Assignment, tests: StaffTests, submission: Path, confinement: Confinement, seconds: float
) -> TestedFile:
    """Run all tests of a file on `submission` within `seconds` of processor time.

    Raises BadOption if the staff's file cannot be read, or there is no sandbox.
    """
    session = _Session(assignment, tests, submission, confinement)
    until = time.monotonic() + WALL * seconds
    while not session.is_over:
        known = len(session.outcomes)
        await session.run(max((until - time.monotonic()) / WALL, 1.0))
        listed = session.listed()
        if not session.is_over and len(session.outcomes) == known:  # it ended between two tests
            left = next((test.name for test in listed if test.name not in session.outcomes), None)
            if left is None:
                break
            session.outcomes[left] = TestOutcome(passed=False, why=session.ended or "its program ended early")
    return TestedFile(session.listed(), session.outcomes)


class _Session:
    """The runs of one file, until each of its tests has an outcome."""

    def __init__(
        self, assignment: Assignment, tests: StaffTests, submission: Path | None, confinement: Confinement
    ) -> None:
        if confinement.mode != "off" and not confinement.works:
            lacks = confinement.machine
            raise BadOption(
                f"students' files run in a sandbox only, and {lacks.lacks}; {lacks.remedy},"
                " or write `sandbox = false` in course.toml and take the risk"
            )
        self._assignment, self._tests, self._confinement = assignment, tests, confinement
        self._submission = None if submission is None else submission.resolve()
        self._given = _given(assignment, tests)
        self._listed: list[ListedTest] | None = None
        self._begun: tuple[str, float] | None = None
        self.outcomes: dict[str, TestOutcome] = {}
        self.is_over = False
        self.ended = ""  # why the last sandbox ended early

    def listed(self) -> tuple[ListedTest, ...]:
        """Return the tests. Raises BadOption if the program ended before it listed them."""
        if self._listed is None:
            raise BadOption(f"the tests of {self._tests.file} cannot be listed: {self.ended or 'the program ended'}")
        return tuple(self._listed)

    async def run(self, seconds: float) -> None:
        """Run the tests that have no outcome, within so many seconds of processor time."""
        self._begun, stderr, used_up = None, b"", ""
        async with self._process(seconds) as (process, lines, report):
            reading = asyncio.ensure_future(_tail(process.stderr))
            try:
                async with asyncio.timeout(WALL * seconds + START_S):
                    async for message in lines:
                        self._take(message)
                    await process.wait()
            except TimeoutError:
                used_up = f"not finished after {WALL * seconds:g} s"
            finally:
                used_up = used_up or _reported(report)
                await self._end(process)
                stderr = await reading
        lines_said = stderr.decode(errors="replace").strip().splitlines()
        self.ended = used_up or (lines_said[-1] if lines_said else "")
        if self._begun is not None:
            name, at = self._begun
            why = self.ended if used_up else f"its sandbox ended during the test{_suffix(self.ended)}"
            took = round(time.monotonic() - at, 3)
            self.outcomes[name] = TestOutcome(False, why, seconds=took, timed_out=used_up.startswith("not finished"))

    def _take(self, message: dict[str, Any]) -> None:
        match message:
            case {"error": str(error)}:
                raise BadOption(f"{self._tests.file}: {error}")
            case {"tests": list(tests)}:
                self._listed = [
                    ListedTest(test["name"], Fraction(test["points"]) if test["points"] else None, test["extra"])
                    for test in tests
                ]
            case {"begins": str(name)}:
                self._begun = name, time.monotonic()
            case {"test": str(name)} if self._begun is not None and name == self._begun[0]:
                self._begun = None
                about = {key: message[key] for key in ("passed", "seconds", "timed_out")}
                self.outcomes[name] = TestOutcome(**about, why=_text(message["why"]), said=_text(message["said"]))
            case {"ends": True}:
                self.is_over = True

    @asynccontextmanager
    async def _process(
        self, seconds: float
    ) -> AsyncIterator[tuple[asyncio.subprocess.Process, AsyncIterator[dict[str, Any]], int]]:
        """Start the program; yield it, its messages, and the descriptor of the sandbox's report."""
        ours, theirs = socket.socketpair()  # a socket cannot be opened a second time by its place in /proc
        report, writing = (end.detach() for end in socket.socketpair())
        group = self._confinement.group() if self._confinement.works else None
        writer = None
        try:
            command, environment = await asyncio.to_thread(self._command, seconds, writing)
            process = await asyncio.create_subprocess_exec(
                *(command if group is None else group.joining(command)),
                stdin=asyncio.subprocess.PIPE,
                stdout=theirs.fileno(),
                stderr=asyncio.subprocess.PIPE,
                pass_fds=(writing,),
                env=environment,
                start_new_session=True,
            )
            theirs.close()
            os.write(report, warden.AWAITED)
            reader, writer = await asyncio.open_connection(sock=ours, limit=LINE)
            feeding = asyncio.ensure_future(_feed(process, self._given))
            try:
                yield process, _messages(reader), report
            finally:
                feeding.cancel()
                await asyncio.gather(feeding, return_exceptions=True)
                await self._end(process)
        finally:
            for end in (report, writing):
                os.close(end)
            theirs.close()
            if writer is not None:
                writer.close()
            else:
                ours.close()
            if group is not None:
                group.remove()

    def _command(self, seconds: float, report: int) -> tuple[list[str], dict[str, str] | None]:
        words = ["tests", "--tests", "-", "--file", PurePosixPath(self._tests.file).name, "--seconds", f"{seconds:.3f}"]
        if handout := handout_of(self._assignment):
            words += ["--handout", handout]
        named = [name for name in self._assignment.optional if not set("*?[") & set(name)]
        for name in (*self._assignment.files, *named):  # the tests of a class cannot count on others
            words += ["--submitted", name]
        if self._submission is not None:
            words += ["--submission", str(self._submission)]
        for name in self.outcomes:
            words += ["--skip", name]
        if not self._confinement.works:
            if user := other_user(self._confinement, self._assignment.folder):
                words += ["--user", str(user)]
            program = python("-m", "palio_clients.grading", *words)
            hidden = ("PALIO_TOKEN", "PYTEST_ADDOPTS")
            ours = {name: value for name, value in without_safe_path(os.environ).items() if name not in hidden}
            return tethered(GOODBYE_S, *program), ours
        memory = int(self._confinement.limits.memory * SHARE_OF_MEMORY)
        program = python("-m", "palio_clients.grading", *words, "--alone", "--memory", str(memory))
        files = SpecFiles("", () if self._submission is None else (self._submission,))
        return self._confinement.command(program, files, socket=None, report=report, network=False, private=True), None

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is not None:
            return
        if not self._confinement.works:
            await end_for_certain(process)
        else:
            with suppress(ProcessLookupError):
                process.kill()  # and with it all that runs in the sandbox
            await process.wait()


def handout_of(assignment: Assignment) -> str:
    """Return the handout that the SPEC of a submission's bot names; "" for none."""
    head, _, rest = assignment.spec.partition(":")
    return rest.partition(":")[0] if head == "handout" else ""


def _given(assignment: Assignment, tests: StaffTests) -> bytes:
    """Return the message with the test's own file and what it may need: all files beside it but other tests'.

    Data that only other tests of the assignment mention by name belong to them.
    """
    file = assignment.folder / tests.file
    if not file.is_file():
        there = [each.name for each in file.parent.glob("*.py")] if file.parent.is_dir() else []
        raise BadOption(f"there is no test file {file}; {nearest(file.name, there)}")
    others = [each for each in sorted(file.parent.rglob("test_*.py")) if each != file]
    theirs = b"".join(each.read_bytes() for each in others)
    ours = b"".join(each.read_bytes() for each in file.parent.rglob("*.py") if each not in others)
    found: dict[str, str] = {}
    size = 0
    for each in sorted(file.parent.rglob("*")):
        name = each.relative_to(file.parent)
        mentioned = each.name.encode()
        kept = each not in others and "__pycache__" not in name.parts
        if kept and each.is_file() and (mentioned in ours or mentioned not in theirs):
            content = each.read_bytes()
            size += len(content)
            if size > LARGEST:
                raise BadOption(f"the files in {file.parent} are larger than {LARGEST >> 20} MB; move some elsewhere")
            found[name.as_posix()] = base64.b64encode(content).decode()
    return json.dumps({"files": found}).encode()


async def _feed(process: asyncio.subprocess.Process, given: bytes) -> None:
    assert process.stdin is not None
    with suppress(ConnectionError):
        process.stdin.write(given)
        await process.stdin.drain()
        process.stdin.close()


def _text(said: str) -> str:
    """Return a student's words as text that can be written: parts of characters become escapes."""
    return said.encode("utf-8", "backslashreplace").decode()


async def _messages(reader: asyncio.StreamReader) -> AsyncIterator[dict[str, Any]]:
    with suppress(ConnectionError, ValueError):  # ValueError: a line is too long
        while line := await reader.readline():
            with suppress(ValueError):
                message = json.loads(line)
                if isinstance(message, dict):
                    yield message


async def _tail(stream: asyncio.StreamReader | None) -> bytes:
    """Return the end of what a program wrote on stderr, which is its own: a student's code has none of it."""
    said = b""
    while stream is not None and (chunk := await stream.read(4096)):
        said = (said + chunk)[-4000:]
    return said


def _reported(report: int) -> str:
    os.set_blocking(report, False)
    with suppress(OSError):
        return os.read(report, 1000).decode(errors="replace")
    return ""


def _suffix(text: str) -> str:
    return f" ({text})" if text else ""


def shared(tests: StaffTests, listed: Iterable[ListedTest]) -> tuple[ListedTest, ...]:
    """Return the tests with the points of each: those without a marker share what the file's points leave them."""
    listed = tuple(listed)
    unmarked = sum(test.points is None for test in listed)
    marked = sum((test.points for test in listed if test.points is not None and not test.extra), Fraction(0))
    share = max(Fraction(0), ((tests.points or Fraction(0)) - marked)) / unmarked if unmarked else Fraction(0)
    return tuple(replace(test, points=share) if test.points is None else test for test in listed)
