"""Looks into strangers' files: each by a confined process with limits of time and memory, never by this one.

To compile a kilobyte can take gigabytes and minutes, during which no other thread of a process runs. All that
depends on the content of a file is therefore a task of `inspector`. Its answer is a value of `inspection_tasks`, and a
process that freezes, crashes or grows is a sentence for people. Where there is no sandbox, the process has the limits
alone, and another user if we are root. A few run at once; the others wait.
"""

import asyncio
import hashlib
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock, Timer
from typing import TypeVar

import msgspec

from palio_rules.interpreter import python
from palio_server.courses.inspection_tasks import (
    BEGUN,
    SHARE,
    AnyAnswer,
    AnyTask,
    Asked,
    BotFile,
    CheckPython,
    Failed,
    FindImports,
    FindSimilar,
    Imports,
    PythonError,
    ReadBotFile,
    Refusal,
    Similar,
    TakeFiles,
    Taken,
)
from palio_server.courses.submitted_names import Refused, check_distinct, safe_name
from palio_server.sandbox import warden
from palio_server.sandbox.bubblewrap import MIB, USERS, SandboxLimits
from palio_server.sandbox.confinement import Confinement
from palio_server.sandbox.spec_files import SpecFiles

AT_ONCE = 2
SHARED = 256 * MIB  # of the sandbox beyond the process's own memory: its warden, and processes for single files
PATIENCE = 5  # times the processor's seconds may pass: the machine may be busy
ANSWER = 256 * MIB  # bytes of an answer
STDERR = 4000  # bytes
START = "import sys; sys.path[:] = {}; from palio_server.courses.inspector import main; main()"

T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds of the processor, bytes, and seconds for each file or submission of many."""

    seconds: int
    memory: int
    each: int = 5


ONE, MANY = Limits(20, 512 * MIB), Limits(120, 2048 * MIB)  # one submission; all of an assignment


class NotInspected(Refused):
    """Files that cannot be looked into within the limits, or that end the process that tries."""


@dataclass(frozen=True, slots=True)
class SubmittedFiles:
    """Files that an assignment accepts, by safe name. `digest` depends on names and contents alone."""

    files: Mapping[str, bytes]
    digest: str
    left_out: tuple[str, ...] = ()  # names that were not asked for


async def take(given: Sequence[tuple[str, bytes]], assignment: Asked, *, strict: bool = True) -> SubmittedFiles:
    """Accept files, or one archive of files, for an assignment. Raises Refused.

    With `strict`, a file that the assignment does not ask for is refused; otherwise it is left out, as for exports of
    other systems, which hold whole repositories.
    """
    task = TakeFiles(given, assignment.name, assignment.files, assignment.optional, assignment.size, strict)
    return await asyncio.to_thread(_submitted, await _inspected(task, Taken, ONE), assignment)


async def python_error(files: Mapping[str, bytes]) -> str:
    """Return the sentence about the first file that is not Python, "" if all are."""
    try:
        return (await _inspected(CheckPython(files), PythonError, ONE)).why
    except NotInspected as error:
        return str(error)


async def similar(
    submissions: Mapping[str, Mapping[str, bytes]],
    skeleton: Mapping[str, bytes],
    groups: Mapping[str, str],
    *,
    share: float = SHARE,
) -> Similar:
    """Return the similar pairs of submissions, which are files by ID. Raises NotInspected.

    `groups` names the team of a submission: pairs within one are not told.
    """
    return await _inspected(FindSimilar(submissions, skeleton, groups, share), Similar, MANY)


def imports(files: Sequence[bytes]) -> list[set[str]]:
    """Return the first words of all that each Python file imports, without Python's own; nothing if it is not read."""
    try:
        return _Inspection(FindImports(files), MANY).answer(Imports).of_files if files else []
    except (OSError, NotInspected):
        return [set() for _ in files]


def bot_file(file: Path) -> BotFile:
    """Return what a Python file seems to define; nothing if it cannot be read."""
    try:
        return _Inspection(ReadBotFile(file.read_bytes()), ONE).answer(BotFile)
    except (OSError, NotInspected):
        return BotFile()


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of names and contents, in any order."""
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        encoded = name.encode()
        digest.update(b"%d %d\n%b" % (len(encoded), len(data), encoded))
        digest.update(data)
    return digest.hexdigest()


def _submitted(taken: Taken, assignment: Asked) -> SubmittedFiles:
    """Return what was taken. The process may have been taken over by the files, so their names are checked here."""
    check_distinct([safe_name(name) for name in taken.files])
    if any(safe_name(name) != name for name in taken.files) or sum(map(len, taken.files.values())) > assignment.size:
        raise NotInspected("these files end the program that reads them in an unusual way; ask the staff")
    return SubmittedFiles(taken.files, digest_of(taken.files), taken.left_out)


_threads = ThreadPoolExecutor(AT_ONCE, "inspection")


async def _inspected(task: AnyTask, kind: type[T], limits: Limits) -> T:
    """Return the answer. When this is cancelled, the process ends at once. Raises Refused, OSError."""
    inspection = _Inspection(task, limits)
    try:
        return await asyncio.get_running_loop().run_in_executor(_threads, inspection.answer, kind)
    except asyncio.CancelledError:
        inspection.end()
        raise


class _Inspection:
    """One process with one task."""

    def __init__(self, task: AnyTask, limits: Limits) -> None:
        self._task, self._limits = task, limits
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = self._late = False

    def answer(self, kind: type[T]) -> T:
        """Return the answer. Raises Refused, NotInspected, or OSError if the process does not begin."""
        task = msgspec.msgpack.encode(self._task)
        reading, writing = (end.detach() for end in socket.socketpair())
        confinement = _confinement(self._limits.memory)
        group = confinement.group() if confinement.works else None
        try:
            command = self._command(confinement, writing)
            said, code, stderr = self._run(command if group is None else group.joining(command), task, writing)
            used_up = _reported(reading)
        finally:
            for end in (reading, writing):
                os.close(end)
            if group is not None:
                group.remove()
        if not said.startswith(BEGUN) and not self._ended:
            lines = stderr.decode(errors="replace").strip().splitlines() or [f"exit code {code}"]
            raise OSError(f"the program that reads submitted files does not start: {lines[-1]}")
        return self._read(said.removeprefix(BEGUN), code, used_up, kind)

    def end(self) -> None:
        """End the process, or do not begin."""
        with self._lock:
            self._ended = True
            if self._process is not None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def _command(self, confinement: Confinement, report: int) -> list[str]:
        works = confinement.works
        user = USERS[0] if not works and os.geteuid() == 0 and _others_read_python() else 0
        limits = self._limits
        # with our own import path: a sandbox has no PYTHONPATH
        program = python("-c", START.format(sys.path), *map(str, (limits.memory, limits.seconds, limits.each, user)))
        if not works:
            return program
        ours = (Path(warden.__file__).parents[1], Path(msgspec.__file__).parent)  # of a checkout, which no bot may see
        found = SpecFiles("", programs=ours)
        return confinement.command(program, found, socket=None, report=report, network=False)

    def _run(self, command: list[str], task: bytes, report: int) -> tuple[bytes, int, bytes]:
        with self._lock:
            if self._ended:
                raise NotInspected("nothing was read: the server stops")
            self._process = process = subprocess.Popen(  # noqa: S603  # our own program
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=(report,),
                start_new_session=True,
            )
        timer = Timer(PATIENCE * self._limits.seconds, self._end_late)
        timer.daemon = True
        timer.start()
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stderr is not None
            with suppress(BrokenPipeError):
                process.stdin.write(task)
                process.stdin.close()
            said = process.stdout.read(ANSWER + 1)
            if len(said) > ANSWER:
                self.end()
            return said, process.wait(), process.stderr.read(STDERR)
        finally:
            timer.cancel()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    with suppress(BrokenPipeError):
                        stream.close()

    def _end_late(self) -> None:
        self._late = True
        self.end()

    def _read(self, said: bytes, code: int, used_up: str, kind: type[T]) -> T:
        try:
            answer = msgspec.msgpack.decode(said, type=AnyAnswer) if code == 0 else Failed(self._why(code, used_up))
        except msgspec.MsgspecError:
            answer = Failed("end the program that reads them in an unusual way")
        match answer:
            case Refusal(why):
                raise Refused(why)
            case Failed(why):
                raise NotInspected(f"these files {why}; hand in smaller and simpler ones")
        if not isinstance(answer, kind):
            raise NotInspected("these files end the program that reads them in an unusual way; ask the staff")
        return answer

    def _why(self, code: int, used_up: str) -> str:
        if used_up:
            return f"cannot be read within the limits ({used_up})"
        seconds = self._limits.seconds
        if self._late or code in (-signal.SIGXCPU, -signal.SIGKILL, 128 + signal.SIGXCPU, 128 + signal.SIGKILL):
            return f"take more than {seconds} s to be read"
        return f"end the program that reads them (exit code {code})"


@cache
def _confinement(memory: int) -> Confinement:
    """Return the best confinement of this machine."""
    return Confinement(SandboxLimits(memory=memory + SHARED, processes=8, scratch=MIB), "auto")


@cache
def _others_read_python() -> bool:
    """Return whether another user reaches the standard library, of which some modules are imported late."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in Path(os.__file__).parents)


def _reported(report: int) -> str:
    """Return the limit that the sandbox says is used up; "" for none."""
    os.set_blocking(report, False)
    with suppress(OSError):
        return os.read(report, STDERR).decode(errors="replace")
    return ""
