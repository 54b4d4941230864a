"""Runs the tests of one file on one submission, and says what became of each, as JSON lines.

This process never runs a student's code. A child of it does (`worker.py`), which is replaced when it hangs or dies;
the rest of the file then goes on. Lines: `{"tests": [...]}`, then for each test `{"begins": NAME}` and `{"test": NAME,
"passed": ..., "why": ..., "said": ..., "seconds": ..., "timed_out": ...}`, at last `{"ends": true}`.
"""

import json
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any

from palio_clients.grading.staff_files import write
from palio_clients.grading.worker import TestFile, list_tests, serve_tests

Emit = Callable[[dict[str, Any]], None]

PRINTED = 4000  # bytes of a test's output that are kept: half of its beginning, half of its end
CHANNEL, MOST_FILES = 3, 1 << 16  # descriptors of a worker
MESSAGE = 100_000  # bytes of one message of a worker
GRACE_S = 1.0  # seconds after a test's time in which it may still tell where it was
IMPORT_S = 60.0  # seconds for the imports of a test file and of the submission, at most
USUAL_S = 60.0  # seconds for a test whose marker names none


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits for the tests of a file."""

    seconds: float = 600.0  # all together
    memory: int = 0  # bytes for one test; 0: any number
    alone: bool = False  # all other processes that can be seen are the submission's, as in a sandbox
    user: int = 0  # as whom the submission runs; 0: as ourselves


class TestRun:
    """The run of one test file."""

    __test__ = False

    def __init__(self, file: TestFile, submission: Path | None, limits: Limits, emit: Emit) -> None:
        self._file, self._submission, self._limits, self._emit = file, submission, limits, emit
        self._until = time.monotonic() + limits.seconds
        self._worker: _Worker | None = None
        self._opened: list[str] = []  # data that the test file reads at its import
        self._failed: tuple[str, str] | None = None  # why the submission cannot be imported, and its traceback

    def list_tests(self) -> list[dict[str, Any]] | None:
        """Say which tests there are, without any student's code. Returns None if they cannot be listed."""
        worker = _Worker(lambda channel: list_tests(self._file, channel))
        message = worker.message(min(IMPORT_S, self._left_s())) or {
            "error": f"{self._file.name}: its import never ends"
        }
        worker.end()
        self._opened = message.pop("opened", [])
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
        if self._worker is not None:
            self._worker.end()
        self._emit({"ends": True})

    def _result(self, test: dict[str, Any]) -> dict[str, Any]:
        if self._left_s() <= 0:
            return _lost(f"the time for all tests ({self._limits.seconds:g} s) was over before", timed_out=True)
        if self._failed is None and self._worker is None:
            self._worker = self._imported()
        if self._failed is not None or self._worker is None:
            why, said = self._failed or ("cannot be imported", "")
            return _lost(why, said, timed_out="took longer" in why)
        seconds = min(test["seconds"] or USUAL_S, self._left_s())
        result, healthy = self._worker.run(test["name"], seconds, self._limits)
        if not healthy:
            self._worker.end()
            self._worker = None
        if self._limits.alone:
            _end_strays({os.getpid(), *([self._worker.pid] if self._worker is not None else [])})
        return result

    def _imported(self) -> "_Worker | None":
        """Return a worker that has imported the submission; None, and the reason is kept, if it cannot."""
        assert self._submission is not None
        work = Path(tempfile.mkdtemp(prefix="work-")) / "submission"
        shutil.copytree(self._submission, work, symlinks=True)
        write({name: self._file.data[name] for name in self._opened}, self._file.folder)
        if self._limits.user:
            self._file.folder.parent.chmod(0o755)
            for folder in (work.parent, self._file.folder):
                _give(folder, self._limits.user)
        worker = _Worker(lambda channel: serve_tests(self._file, work, channel, self._opened), self._limits.user)
        limit_s = min(IMPORT_S, self._left_s())
        message = worker.message(limit_s)
        if message is not None and message.get("ready"):
            return worker
        printed = worker.printed()
        if message is not None:
            self._failed = str(message.get("failed", "cannot be imported")), _joined(printed, message.get("trace"))
        elif worker.has_ended:
            self._failed = f"the program ended while it was imported{worker.how()}", printed
        else:
            self._failed = f"its import took longer than {limit_s:.0f} s", printed
        worker.end()
        return None

    def _left_s(self) -> float:
        return self._until - time.monotonic()


class _Worker:
    """A child process with its two sockets: orders and messages, and what it prints."""

    def __init__(self, work: Callable[[socket.socket], None], user: int = 0) -> None:
        self._channel, theirs = socket.socketpair()  # sockets cannot be opened a second time by their place in /proc
        self._output, printed = socket.socketpair()
        self._printed, self._dropped = b"", 0
        self._lines = b""
        self._status: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                os.dup2(printed.fileno(), 1)
                os.dup2(printed.fileno(), 2)
                os.dup2(theirs.fileno(), CHANNEL)
                os.closerange(CHANNEL + 1, MOST_FILES)  # among them the way to the reader of our own lines
                signal.signal(signal.SIGINT, signal.SIG_DFL)
                if user:
                    _become(user)
                work(socket.socket(fileno=CHANNEL))
            finally:
                os._exit(0)
        theirs.close()
        printed.close()
        self._output.setblocking(False)

    def run(self, name: str, seconds: float, limits: Limits) -> tuple[dict[str, Any], bool]:
        """Return the result of one test, and whether the worker can run another one."""
        token = token_hex(16)
        self._printed, self._dropped = b"", 0
        order = {"run": name, "seconds": seconds, "memory": limits.memory, "token": token}
        try:
            self._channel.sendall(json.dumps(order).encode() + b"\n")
        except OSError:
            return _lost("its program ended between two tests", self.printed()), False
        until = time.monotonic() + seconds + GRACE_S
        result: dict[str, Any] | None = None
        child = 0
        while True:
            message = self.message(until - time.monotonic(), token)
            if message is None:
                break
            if isinstance(message.get("started"), int):
                child = message["started"]
            elif "passed" in message and result is None:
                result = message
            elif "ended" in message:
                _end_group(child)
                return self._told(result, seconds, message["ended"]), True
        _end_group(child)
        ended = self.message(GRACE_S, token) if child and not self.has_ended else None
        if result is None and not self.has_ended:
            result = {"passed": False, "why": "", "timed_out": True}
        how = self.how() if self.has_ended else ""
        return self._told(result, seconds, how), ended is not None and "ended" in ended

    def _told(self, result: dict[str, Any] | None, seconds: float, how: Any) -> dict[str, Any]:
        """Return the result for the caller, with bounded texts."""
        if result is None:
            ended = how if isinstance(how, str) else _how(how)
            return _lost(f"its program ended during the test{ended}", self.printed())
        why = str(result.get("why", ""))[:1000]
        if result.get("timed_out"):
            place = f" {why[why.rindex('(') :]}" if why.endswith(")") else ""
            why = f"not finished after {seconds:g} s{place}"
        return {
            "passed": result["passed"] is True,
            "why": why,
            "said": _joined(self.printed(), result.get("trace")),
            "timed_out": bool(result.get("timed_out")),
        }

    def message(self, seconds: float, token: str = "") -> dict[str, Any] | None:
        """Return the next message with this token; None if none comes in time, or the worker has ended."""
        until = time.monotonic() + seconds
        while True:
            while b"\n" in self._lines:
                line, _, self._lines = self._lines.partition(b"\n")
                with suppress(ValueError):
                    message = json.loads(line)
                    if isinstance(message, dict) and (not token or message.get("token") == token):
                        return message
            left_s = until - time.monotonic()
            if left_s <= 0 or len(self._lines) > MESSAGE:
                return None
            ready, _, _ = select.select([self._channel, self._output], [], [], left_s)
            if self._output in ready:
                self._read_output()
            if self._channel in ready:
                chunk = self._receive(self._channel)
                if not chunk:
                    self._wait()
                    return None
                self._lines += chunk

    def printed(self) -> str:
        """Return what was printed since the last order, shortened."""
        while self._read_output():
            if select.select([self._output], [], [], 0)[0] == []:
                break
        text = self._printed.decode(errors="replace")
        return text if not self._dropped else text.replace("\0", f"\n... {self._dropped} bytes ...\n", 1)

    def _read_output(self) -> bool:
        chunk = self._receive(self._output)
        if not chunk:
            return False
        both = self._printed.replace(b"\0", b"") + chunk.replace(b"\0", b"")
        if len(both) > PRINTED:
            self._dropped += len(both) - PRINTED
            both = both[: PRINTED // 2] + b"\0" + both[-PRINTED // 2 :]
        self._printed = both
        return True

    @staticmethod
    def _receive(end: socket.socket) -> bytes:
        try:
            return end.recv(65536)
        except OSError:
            return b""

    @property
    def has_ended(self) -> bool:
        return self._status is not None

    def how(self) -> str:
        """Return how it has ended, for a sentence."""
        return "" if self._status is None else _how(self._status)

    def _wait(self) -> None:
        """Note the end of the process, which has closed its socket."""
        until = time.monotonic() + GRACE_S
        while self._status is None and time.monotonic() < until:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
            else:
                select.select([], [], [], 0.01)

    def end(self) -> None:
        """End it and what it has started."""
        _end_group(self.pid)
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self._channel.close()
        self._output.close()


def _lost(why: str, said: str = "", *, timed_out: bool = False) -> dict[str, Any]:
    return {"passed": False, "why": why, "said": said, "timed_out": timed_out}


def _joined(*texts: Any) -> str:
    return "\n".join(str(text).strip("\n")[:PRINTED] for text in texts if text)


def _how(code: Any) -> str:
    if not isinstance(code, int):
        return ""
    if code < 0:
        with suppress(ValueError):
            return f" by {signal.Signals(-code).name}"
    return f" with exit code {code}"


def _give(folder: Path, user: int) -> None:
    for each in (folder, *folder.rglob("*")):
        os.chown(each, user, user, follow_symlinks=False)


def _become(user: int) -> None:
    os.environ["HOME"] = tempfile.gettempdir()
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def _end_group(leader: int) -> None:
    if leader > 1:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def _end_strays(ours: set[int]) -> None:
    """End all processes that a test has left behind, in a sandbox with no others."""
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit() and int(name) > 1 and int(name) not in ours:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(int(name), signal.SIGKILL)
