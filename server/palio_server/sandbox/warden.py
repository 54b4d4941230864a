"""The first process in a sandbox: starts the program, watches what all of it uses up, and ends with it.

Usage: `python warden.py REPORT USER MEMORY PROCESSES FILES SCRATCH ENTRIES PROGRAM ARGUMENTS...`; USER 0: as we are.

As process 1 of its namespace it gets no signal from within, and whatever is left ends with it. When a limit is used up
it writes one line to the file descriptor REPORT, which the program does not have, and ends everything. Should it be
unable to look, it ends everything as well. It runs in an interpreter of its own, so it needs nothing of Palio.
"""

import ctypes
import importlib
import os
import resource
import signal
import sys
from contextlib import suppress
from typing import Any

PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 4, 38  # linux/prctl.h
LOOK_S = 0.03  # between two looks
USED_UP = 120  # our exit code when a limit was used up
SPARE = 8  # processes beyond the limit that can be started until the next look
PLACES = ("/scratch", "/tmp", "/dev/shm")  # noqa: S108  # the sandbox's own; what lies there is memory
IDLE_FROM = 2  # threads that compute at once; those beyond it get what others leave of the processor
PAGE = os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    report, user, memory, processes, files, scratch, entries = map(int, sys.argv[1:8])
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)  # nobody within may look into us
    ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    os.set_inheritable(report, False)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
    passage = _passage(user)
    child = os.fork()
    if child == 0:
        _become(sys.argv[8:], passage, memory, processes, files, scratch)
    if passage is not None:
        passage.let_through(child)
    busy = 0
    while True:
        woken = signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, LOOK_S)
        if woken is not None and woken.si_signo == signal.SIGTERM:
            os.kill(child, signal.SIGTERM)
        if (code := _reaped(child)) is not None:
            _exit_like(code)
        try:
            used_up, running = _look(memory, processes, scratch, entries)
        except OSError as error:
            used_up, running = f"it cannot be watched ({error})", []
        if used_up:
            os.write(report, used_up.encode())
            os._exit(USED_UP)
        busy = busy + 1 if len(running) > IDLE_FROM else 0
        if busy > 1:
            _slow_down(running[IDLE_FROM:])


def _passage(user: int) -> Any:
    """The way to another user, for root; None: there is nobody to become."""
    if not user:
        return None
    sys.path.insert(0, os.path.dirname(__file__))  # noqa: PTH120
    return importlib.import_module("other_user").Passage(user)


def _become(program: list[str], passage: Any, memory: int, processes: int, files: int, scratch: int) -> None:
    try:
        os.setpgid(0, 0)
        if passage is not None:
            passage.enter()
        for kind, most in (
            (resource.RLIMIT_DATA, memory + memory // 4),  # all of them together are watched; this ends one gulp
            (resource.RLIMIT_NPROC, processes + SPARE),
            (resource.RLIMIT_NOFILE, files),
            (resource.RLIMIT_FSIZE, scratch),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(kind, (most, most))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, signal.SIGTERM})
        os.execv(program[0], program)  # noqa: S606  # the caller's own command line, no shell
    except (OSError, ValueError) as error:  # it must not go on as who it is
        print(f"{program[0]} cannot be started: {error}", file=sys.stderr, flush=True)  # noqa: T201
    os._exit(127)


def _reaped(child: int) -> int | None:
    """The program's end, if it has come; what it has left behind is waited for in passing."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == child:
                return os.waitstatus_to_exitcode(status)
            if pid == 0:
                return None
    return 1


def _look(memory: int, processes: int, scratch: int, entries: int) -> tuple[str, list[int]]:
    """Which limit is used up ("": none), and the threads that compute, oldest first."""
    resident, threads, running = 0, 0, []
    names = [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]  # noqa: PTH208  # as above
    if len(names) > processes:  # at once: of a thousand of them each look would take longer
        return f"processes {processes} used up", []
    for name in sorted(names, key=int):
        with suppress(ProcessLookupError, FileNotFoundError):
            own, tasks = _process(name)
            resident += own
            threads += len(tasks)
            running += tasks if len(tasks) == 1 and _runs(name, tasks[0]) else _running(name, tasks)
    if threads > processes:
        return f"processes {processes} used up", running
    kept = 0
    for place in PLACES:
        found = os.statvfs(place)
        kept += (found.f_blocks - found.f_bfree) * found.f_frsize
        if found.f_blocks and not found.f_bfree and place != "/dev/shm":  # noqa: S108
            return f"scratch {_size(scratch)} used up", running
        if found.f_files - found.f_ffree > entries:
            return f"{entries} files in the scratch folder used up", running
    if resident + kept > memory:
        return f"memory {_size(memory)} used up", running
    return "", running


def _process(name: str) -> tuple[int, list[int]]:
    """What a process has of memory that is not a file's, in bytes, and its threads."""
    with open(f"/proc/{name}/statm") as file:  # noqa: PTH123  # it is read thirty times a second
        words = file.read().split()
    return (int(words[1]) - int(words[2])) * PAGE, [int(task) for task in os.listdir(f"/proc/{name}/task")]  # noqa: PTH208


def _running(name: str, tasks: list[int]) -> list[int]:
    return [task for task in tasks if len(tasks) > 1 and _runs(name, task)]


def _runs(name: str, task: int) -> bool:
    try:
        with open(f"/proc/{name}/task/{task}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] == "R"
    except OSError:
        return False


def _slow_down(tasks: list[int]) -> None:
    """From now on they compute only when nobody else wants to: a bot's opponent has a clock, too."""
    for task in tasks:
        with suppress(OSError):
            os.sched_setscheduler(task, os.SCHED_IDLE, os.sched_param(0))


def _size(size: int) -> str:
    for unit, factor in (("G", 2**30), ("M", 2**20), ("K", 2**10)):
        if size % factor == 0:
            return f"{size // factor}{unit}"
    return str(size)


def _exit_like(code: int) -> None:
    os._exit(128 - code if code < 0 else code)


if __name__ == "__main__":
    main()
