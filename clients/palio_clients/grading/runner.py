"""Runs the tests of one file on one submission, and says what became of each, as JSON lines.

This process never runs a student's code. With the fixture `student` a process does that has no test in it
(`student.py`); without it the tests' own process does (`worker.py`). Either is replaced when it hangs or dies; the rest
of the file then goes on. Lines: `{"tests": [...]}`, then for each test `{"begins": NAME}` and `{"test": NAME,
"passed": ..., "why": ..., "said": ..., "seconds": ..., "timed_out": ...}`, at last `{"ends": true}`.
"""

import os
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from palio_clients.grading import processor_time
from palio_clients.grading.child import GRACE_S, PRINTED, Child, Nursery, Output, Within, end_group, how
from palio_clients.grading.processor_time import Watch
from palio_clients.grading.reasons import located
from palio_clients.grading.staff_files import write
from palio_clients.grading.worker import TestFile, list_tests, serve_tests

Emit = Callable[[dict[str, Any]], None]

IMPORT_S = 60.0  # seconds for the imports of a test file and of the submission, at most
USUAL_S = 60.0  # seconds for a test whose marker names none
WALL = 3  # times the processor time of all tests, that they may take on the wall
PRELOADED = "numpy"  # takes a tenth of a second: a submission that mentions it does not import it for each test


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for the tests of a file."""

    seconds: float = 600.0  # of processor time, all together
    memory: int = 0  # bytes for one test; 0: any number
    alone: bool = False  # all other processes that can be seen are the submission's, as in a sandbox
    user: int = 0  # as whom the submission runs; 0: as ourselves


class TestRun:
    """The run of one test file."""

    __test__ = False

    def __init__(
        self, file: TestFile, submission: Path | None, limits: Limits, emit: Emit, nursery: Nursery | None = None
    ) -> None:
        """`nursery` was made before the tests were read."""
        self._file, self._submission, self._limits, self._emit = file, submission, limits, emit
        self._nursery = nursery
        self._wall_end, self._used_s = time.monotonic() + WALL * limits.seconds, 0.0
        self._worker: Child | None = None
        self._work = Path()  # the copy of the submission
        self._opened: list[str] = []  # data that the test file reads at its import
        self._failed: dict[str, Any] | None = None  # the outcome of all tests, if the submission cannot be imported
        self._apart = False  # the submission runs in a process of its own

    def list_tests(self) -> list[dict[str, Any]] | None:
        """Say which tests there are, without any student's code. Returns None if they cannot be listed."""
        worker = Child(lambda channel: list_tests(self._file, channel))
        watch = Watch(IMPORT_S, self._wall_left_s(), lambda: processor_time.below(worker.pid))
        message = worker.message(watch)
        if message is None:
            why = watch.over or f"its program ended while it was read{worker.how}"
            last = worker.output.text().strip().rpartition("\n")[2]
            message = {"error": f"{self._file.name}: {why}{f': {last}' if last else ''}"}
        worker.end()
        self._opened, self._apart = message.pop("opened", []), message.pop("apart", False)
        self._emit(message)
        return message.get("tests")

    def run(self, skip: frozenset[str] = frozenset()) -> None:
        """Run all tests but those of `skip`."""
        for test in self.list_tests() or []:
            if test["name"] not in skip:
                self._emit({"begins": test["name"]})
                begun = time.monotonic()
                result = self._result(test)
                seconds = round(time.monotonic() - begun, 3)
                self._emit({"test": test["name"], "seconds": seconds, **result})
        for process in (self._worker, self._nursery):
            if process is not None:
                process.end()
        self._emit({"ends": True})

    def _result(self, test: dict[str, Any]) -> dict[str, Any]:
        if self._left_s() <= 0:
            return _lost(f"the time for all tests ({self._limits.seconds:g} s) was over before", timed_out=True)
        if self._failed is None and self._worker is None:
            self._worker = self._imported()
        if self._failed is not None or self._worker is None:
            return self._failed or _lost("cannot be imported")
        seconds = min(test["seconds"] or USUAL_S, self._left_s())
        result, healthy = (self._ask_apart if test["student"] else self._ask_within)(test["name"], seconds)
        if not healthy:
            self._worker.end()
            self._worker = None
        self._end_strays()
        return result

    def _imported(self) -> Child | None:
        """Return a worker that has imported the tests, and with them the submission unless that runs apart.

        None, and the reason is kept, if it cannot.
        """
        assert self._submission is not None
        self._work = Path(tempfile.mkdtemp(prefix="work-")) / "submission"
        shutil.copytree(self._submission, self._work, symlinks=True)
        write({name: self._file.data[name] for name in self._opened}, self._file.folder)
        user = self._limits.user
        if user:
            self._file.folder.parent.chmod(0o700 if self._apart else 0o755)
            for folder in (self._work.parent, *(() if self._apart else (self._file.folder,))):
                _give(folder, user)
        apart = self._apart
        worker = Child(
            lambda channel: serve_tests(self._file, self._work, channel, self._opened, apart=apart),
            0 if apart else user,
        )
        watch = Watch(min(IMPORT_S, self._left_s()), self._wall_left_s(), lambda: self._counted(worker.pid, ()))
        message = worker.message(watch)
        self._used_s += watch.used_s
        if message is not None and message.get("ready"):
            self._preload()
            return worker
        printed = worker.output.text()
        if message is not None:
            why = str(message.get("failed", "cannot be imported"))
            self._failed = _lost(why, _joined(printed, message.get("trace")))
        elif worker.status is not None:
            self._failed = _lost(f"the program ended while it was imported{worker.how}", printed)
        else:
            self._failed = _lost(f"its import was {watch.over}", printed, timed_out=True)
        worker.end()
        return None

    def _preload(self) -> None:
        if self._apart and self._nursery is not None:
            word = PRELOADED.encode()
            if any(each.is_file() and word in each.read_bytes() for each in self._work.rglob("*.py")):
                with suppress(OSError):
                    self._nursery.order({"import": PRELOADED})

    # How one test is run.

    def _ask_within(self, name: str, seconds: float) -> tuple[dict[str, Any], bool]:
        """Run a test whose process has the student's code in it; return its result, and whether the worker goes on."""
        assert self._worker is not None
        asked = _Asked(self._worker, self._worker.output, {"run": name, "memory": self._limits.memory})
        over, healthy = self._watched(asked, seconds, lambda: asked.child, lambda: self._counted(asked.child, ()))
        return asked.result(over), healthy

    def _ask_apart(self, name: str, seconds: float) -> tuple[dict[str, Any], bool]:
        """Run a test that asks a student's process; return the same."""
        assert self._worker is not None
        assert self._nursery is not None
        nursery, output = self._nursery, Output()
        tests_end, student_end = socket.socketpair()
        try:
            self._begin_student(student_end, output)
            student_end.close()
            asked = _Asked(self._worker, output, {"run": name, "memory": 0}, tests_end)
            tests_end.close()
            over, healthy = self._watched(
                asked, seconds, lambda: nursery.student, lambda: self._counted(nursery.pid, (nursery.pid, asked.child))
            )
            code = nursery.finish(*((GRACE_S,) if asked.is_gone else ()))
            if nursery.is_lost:  # there is no other process without the tests in its memory
                raise SystemExit("the program has ended the process that starts it")
            return asked.result(over, code), healthy
        finally:
            for end in (tests_end, student_end, output):
                end.close()

    def _begin_student(self, end: socket.socket, output: Output) -> None:
        assert self._nursery is not None
        order = {
            "folder": str(self._work),
            "handout": str(self._file.handout or ""),
            "memory": self._limits.memory,
            "user": self._limits.user,
        }
        self._nursery.start(order, end, output)

    def _watched(
        self, asked: "_Asked", seconds: float, student: Callable[[], int], counted: Callable[[], Collection[int]]
    ) -> tuple[str, bool]:
        """Wait for the end of a test; return which limit was reached, and whether its worker can run another one."""
        watch = Watch(seconds, self._wall_left_s(), counted)
        ended = asked.until_it_ends(watch)
        if not ended and watch.over:
            _signal(student(), signal.SIGALRM)  # it tells where it is
            ended = asked.until_it_ends(Within(GRACE_S))
            if not ended:
                end_group(student())
                ended = asked.until_it_ends(Within(GRACE_S))
        end_group(asked.child)
        self._used_s += watch.used_s
        return watch.over, ended or asked.until_it_ends(Within(GRACE_S))

    def _counted(self, root: int, without: Collection[int]) -> Collection[int]:
        """Return the processes that are the student's: in a sandbox all others, elsewhere those below `root`."""
        if not self._limits.alone:
            return processor_time.below(root) - set(without) if root else ()
        return set(processor_time.processes()) - self._ours() - set(without)

    def _ours(self) -> set[int]:
        kept = [each.pid for each in (self._worker, self._nursery) if each is not None]
        return {1, os.getpid(), *kept}

    def _end_strays(self) -> None:
        """End all processes that a test has left behind."""
        if self._limits.alone:
            left = set(processor_time.processes()) - self._ours()
        elif self._nursery is not None:
            left = processor_time.below(self._nursery.pid) - {self._nursery.pid}
        else:
            return
        for pid in left:
            _signal(pid, signal.SIGKILL)

    def _left_s(self) -> float:
        return min(self._limits.seconds - self._used_s, self._wall_left_s())

    def _wall_left_s(self) -> float:
        return self._wall_end - time.monotonic()


class _Asked:
    """A test that a worker was asked to run."""

    def __init__(self, worker: Child, output: Output, order: dict[str, Any], *given: socket.socket) -> None:
        self._worker, self._output = worker, output
        self._token = token_hex(16)
        self._result: dict[str, Any] | None = None
        self._how = ""
        self.child = 0  # the process that runs the test
        output.begin()
        try:
            worker.order({**order, "token": self._token}, *given)
        except OSError:
            self._result = _lost("its program ended between two tests")

    def until_it_ends(self, limit: Watch | Within) -> bool:
        """Hear the worker's messages; return whether the test has ended, and the worker waits for another one."""
        while (message := self._worker.message(limit, self._token, self._output)) is not None:
            if isinstance(message.get("started"), int):
                self.child = message["started"]
            elif "passed" in message and self._result is None:
                self._result = message
            elif "ended" in message:
                self._how = how(message["ended"])
                return True
        self._how = self._worker.how
        return False

    @property
    def is_gone(self) -> bool:
        """True if the student's process has closed its channel."""
        return self._result is not None and bool(self._result.get("gone"))

    def result(self, over: str, code: int | None = None) -> dict[str, Any]:
        """Return the result for the caller, with bounded texts.

        `over` says which limit was reached; `code` with which code the student's own process has ended.
        """
        found, printed = self._result, self._output.text()
        if over:
            found = found or {}
            place = str(found.get("place", "")) if found.get("timed_out") else ""
            return _lost(located(over, place[:1000]), _joined(printed, found.get("trace")), timed_out=True)
        if found is None:
            return _lost(f"its program ended during the test{self._how}", printed)
        why = f"{found.get('why', '')}{how(code) if self.is_gone else ''}"
        return {**_lost(why[:1000], _joined(printed, found.get("trace"))), "passed": found["passed"] is True}


def _lost(why: str, said: str = "", *, timed_out: bool = False) -> dict[str, Any]:
    return {"passed": False, "why": why, "said": said, "timed_out": timed_out}


def _joined(*texts: Any) -> str:
    return "\n".join(str(text).strip("\n")[:PRINTED] for text in texts if text)


def _give(folder: Path, user: int) -> None:
    for each in (folder, *folder.rglob("*")):
        os.chown(each, user, user, follow_symlinks=False)


def _signal(pid: int, number: int) -> None:
    if pid > 1:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
