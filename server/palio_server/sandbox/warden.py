"""The first process in a sandbox: starts the program, watches what all of it uses up, and ends with it.

Arguments: `REPORT USER MEMORY PROCESSES FILES SCRATCH ENTRIES CALL FILTER PROGRAM ARGUMENTS...`. USER 0: as we are;
CALL and FILTER are what `syscalls.filter_words` gives.

As process 1 of its namespace it gets no signal from within, and whatever is left ends with it. When a limit is used up
it writes one line to the file descriptor REPORT, which the program does not have, and ends everything. Should it be
unable to look, it ends everything as well; so it does when nobody is there any more who reads REPORT. It runs in an
interpreter of its own, in which nothing is imported that takes long: each bot waits for it.
"""

import _signal as signal  # type: ignore[import-not-found]  # without the enumerations of `signal`, which take 5 ms
import ctypes
import os
import resource
import select
import struct
import sys
import time

from palio_server.sandbox import other_user, usage

PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 4, 38  # linux/prctl.h
SET_MODE_FILTER, SPEC_ALLOW = 1, 1 << 2  # linux/seccomp.h; SPEC_ALLOW: engines keep their speed on older kernels
LOOK_S = 0.03  # between two looks; memory can be taken with some 3 GB/s
REST_S = 0.003  # after a signal: whoever sends us many shall not keep us busy
USED_UP = 120  # our exit code when a limit was used up
MOST_FILES = 1 << 20  # descriptors that any process may have
SPARE = 64  # processes beyond the limit that can be started until we look; a thousand would keep us from it
COUNTED_APART = (5, 14)  # since this Linux the processes of a user namespace are counted by themselves
IDLE_FROM = 2  # threads that compute at once; those beyond it get what others leave of the processor
TOO_OFTEN = 15  # looks in which there were new ones of them: from then on the whole program gets no more than that


def main() -> None:
    report, user, *sizes = map(int, sys.argv[1:8])
    limits = usage.Limits(*sizes)
    _be_the_first_victim()
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)  # nobody within may look into us
    ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    os.set_inheritable(report, False)
    os.closerange(3, report)  # whatever was open where we come from is nobody's business here
    os.closerange(report + 1, MOST_FILES)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
    passage = other_user.Passage(user) if user else None
    child = os.fork()
    if child == 0:
        _become(sys.argv[10:], passage, limits, int(sys.argv[8]), bytes.fromhex(sys.argv[9]))
    if passage is not None:
        passage.let_through(child)
    _watch(child, report, limits)


def _watch(child: int, report: int, limits: usage.Limits) -> None:
    processor, next_look = _Processor(), time.monotonic() + LOOK_S
    reader = select.poll()
    reader.register(report, 0)  # of a pipe that nobody reads the end is always told
    while not reader.poll(0):
        woken = signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, max(next_look - time.monotonic(), 0))
        if woken is not None and woken.si_signo == signal.SIGTERM:
            os.kill(child, signal.SIGTERM)
        code = _reaped(child)
        if code is None and woken is not None and time.monotonic() < next_look:
            time.sleep(REST_S)
            continue
        try:
            used_up, running = usage.look(limits)
        except (OSError, ValueError, MemoryError) as error:
            used_up, running = f"it cannot be watched ({error})", []
        if used_up:
            os.write(report, used_up.encode())
            os._exit(USED_UP)
        if code is not None:
            os._exit(128 - code if code < 0 else code)
        processor.share(running)
        next_look = time.monotonic() + LOOK_S
    os._exit(USED_UP)


def _be_the_first_victim() -> None:
    """Should the machine run out of memory all the same, the kernel ends a bot, and not Palio."""
    try:
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")
    except OSError:  # it may be mounted read-only
        pass


def _become(
    program: list[str], passage: other_user.Passage | None, limits: usage.Limits, call: int, code: bytes
) -> None:
    try:
        os.setpgid(0, 0)
        if passage is not None:
            passage.enter()
        for kind, most in (
            (resource.RLIMIT_NOFILE, limits.files),
            (resource.RLIMIT_FSIZE, limits.scratch),
            (resource.RLIMIT_CORE, 0),
            *([(resource.RLIMIT_NPROC, limits.processes + SPARE)] if _counts_apart(passage) else []),
        ):
            hard = resource.getrlimit(kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)  # noqa: PLW2901
            resource.setrlimit(kind, (most, most))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, signal.SIGTERM})
        _filter(call, code)
        os.execv(program[0], program)  # noqa: S606  # the caller's own command line, no shell
    except (OSError, ValueError) as error:  # it must not go on as who it is
        print(f"{program[0]} cannot be started: {error}", file=sys.stderr, flush=True)  # noqa: T201
    os._exit(127)


def _filter(call: int, code: bytes) -> None:
    """Let the filter hold for this process and all that it starts, for ever. Raises OSError."""
    kept = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HP", len(code) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(call, SET_MODE_FILTER, SPEC_ALLOW, head) != 0:
        raise OSError(ctypes.get_errno(), "the filter of system calls cannot be set")


def _counts_apart(passage: other_user.Passage | None) -> bool:
    """Whether its processes are counted without those that our user runs elsewhere."""
    release = os.uname().release.split("-")[0].split(".")
    return passage is not None or tuple(int(part) for part in release[:2] if part.isdigit()) >= COUNTED_APART


def _reaped(child: int) -> int | None:
    """The program's end, if it has come; what it has left behind is waited for in passing."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == child:
                return os.waitstatus_to_exitcode(status)
            if pid == 0:
                return None
    except ChildProcessError:
        return 1


class _Processor:
    """Lets no bot have more of the processor than its opponent can spare: both have clocks."""

    def __init__(self) -> None:
        self._before = False  # too many were running at the last look
        self._slowed: set[int] = set()
        self._offences = 0

    def share(self, running: list[int]) -> None:
        """Of the threads that compute, oldest first, those beyond the first get what nobody else wants, for ever.

        Who always starts new ones gets no more for any: what they start will inherit it.
        """
        new = [each for each in running[IDLE_FROM:] if each not in self._slowed]
        if new and self._before:
            self._offences += 1
            if self._offences == TOO_OFTEN:
                new = usage.threads()
            for thread in new:
                try:
                    os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))
                except OSError:  # it has ended
                    continue
                self._slowed.add(thread)
        self._before = len(running) > IDLE_FROM
