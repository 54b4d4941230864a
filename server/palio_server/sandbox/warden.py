"""The first process in a sandbox: starts the program, watches the resources that it uses up, and ends with it.

Arguments: `REPORT USER MEMORY PROCESSES FILES SCRATCH ENTRIES CORES CALL FILTER PROGRAM ARGUMENTS...`. USER 0: the
present user; CALL and FILTER are the values of `syscalls.filter_words`. If REPORT is a socket, the server sends on it
if it awaits an answer of the program, on which its share of the processor depends (`processor.py`).

As process 1 of its namespace it gets no signal from within, and all remaining processes end with it. When a limit is
used up it writes one line to the file descriptor REPORT, which the program does not have, and ends everything. It also
ends everything if it is unable to look, or if the reader of REPORT is gone. It runs in an interpreter of its own, and
imports nothing that takes long, because each bot waits for it.
"""

import _signal as signal  # type: ignore[import-not-found]  # without the enumerations of `signal`, which take 5 ms
import ctypes
import os
import resource
import select
import stat
import struct
import sys
import time

from palio_server.sandbox import processor, usage

# The change from root to a user without privileges, because root is exempt from limits of processes.
#
# The program gets an unused user number, in a user namespace of its own. It may still read every file in its sandbox,
# of any owner, because its own folder often belongs to another user: only there it has that one capability. Part of the
# warden, so it imports nothing of Palio; see capabilities(7) and user_namespaces(7).

CLONE_NEWUSER = 0x10000000
PR_SET_SECUREBITS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 28, 47, 2  # linux/prctl.h
NO_SETUID_FIXUP = 1 << 2  # of linux/securebits.h: access(2), too, counts the capability
CAP_DAC_READ_SEARCH = 2
CAPABILITY_VERSION = 0x20080522
MAPS, MOST_RANGES = ("uid_map", "gid_map"), 1 << 16  # files of /proc, and bytes that are read at once


class Passage:
    """The passage from root, before the fork, to `user`, after it: the child enters, the parent lets it through."""

    def __init__(self, user: int) -> None:
        self._user = user
        self._entered, self._enter = os.pipe()
        self._allowed, self._allow = os.pipe()

    def let_through(self, child: int) -> None:
        """Do the parent's part, once: map all users of our namespace into the child's, by the same numbers."""
        os.close(self._enter)
        os.close(self._allowed)
        if ours := b"".join(iter(lambda: os.read(self._entered, MOST_RANGES), b"")):
            for name, ranges in zip(MAPS, ours.decode("ascii").split("\0"), strict=True):
                lines = [line.split() for line in ranges.splitlines()]
                with open(f"/proc/{child}/{name}", "w") as theirs:  # noqa: PTH123
                    theirs.write("".join(f"{first} {first} {count}\n" for first, _, count in lines))
            os.write(self._allow, b"x")
        os.close(self._entered)
        os.close(self._allow)

    def enter(self) -> None:
        """Do the child's part. Raises OSError; then it must not go on."""
        libc = ctypes.CDLL(None, use_errno=True)
        ours = "\0".join(_ranges(name) for name in MAPS)
        os.setgroups([])
        _check(libc.unshare(CLONE_NEWUSER))
        os.close(self._allow)  # otherwise it would wait without end for a parent that has failed
        os.write(self._enter, ours.encode("ascii"))
        os.close(self._enter)
        if os.read(self._allowed, 1) != b"x":
            raise OSError("the namespace was not set up")
        for end in (self._entered, self._allowed):
            os.close(end)
        _check(libc.prctl(PR_SET_SECUREBITS, NO_SETUID_FIXUP, 0, 0, 0))
        os.setresgid(self._user, self._user, self._user)
        os.setresuid(self._user, self._user, self._user)
        word = 1 << CAP_DAC_READ_SEARCH
        head, sets = struct.pack("Ii", CAPABILITY_VERSION, 0), struct.pack("6I", word, word, word, 0, 0, 0)
        _check(libc.capset(head, sets))
        _check(libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH, 0, 0))


def _ranges(name: str) -> str:
    """Return the ranges for the child: it cannot see the parent, process 1, in /proc."""
    with open(f"/proc/self/{name}") as file:  # noqa: PTH123
        return file.read()


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 4, 38  # linux/prctl.h
SET_MODE_FILTER, SPEC_ALLOW = 1, 1 << 2  # linux/seccomp.h; SPEC_ALLOW: engines keep their speed on older kernels
REST_S = 0.003  # seconds after a signal, so that a flood of signals does not keep the warden busy
NOT_SET = "the filter of system calls cannot be set"
USED_UP = 120  # the warden's exit code when a limit was used up
MOST_FILES = 1 << 20  # descriptors that any process may have
SPARE = 64  # processes beyond the limit that can be started before the next look; a thousand would delay it
COUNTED_APART = (5, 14)  # since this Linux the processes of a user namespace are counted by themselves
AWAITED, NOT_AWAITED = b"1", b"0"  # sent by the server when it begins or ceases to await an answer
WORDS = 4096  # bytes of it that are read at once


def main() -> None:
    report, user, *sizes = map(int, sys.argv[1:10])
    limits = usage.WardenLimits(*sizes)
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)  # no process within may read the warden's memory
    ctypes.CDLL(None).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    os.set_inheritable(report, False)
    os.closerange(3, report)  # descriptors inherited from the starter must not be visible here
    os.closerange(report + 1, MOST_FILES)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
    passage = Passage(user) if user else None
    child = os.fork()
    if child == 0:
        _become(sys.argv[12:], passage, limits, int(sys.argv[10]), bytes.fromhex(sys.argv[11]))
    if passage is not None:
        passage.let_through(child)
    _watch(child, report, limits)


def _watch(child: int, report: int, limits: usage.WardenLimits) -> None:
    server, meter = _Server(report), processor.Meter(os.cpu_count() or 1)
    share = processor.Share(limits.cores, meter, _signal_all, _chance)
    next_look = time.monotonic() + share.pause_s()
    while not server.is_gone:
        woken = _wait(server, share, next_look)
        if woken is not None and woken.si_signo == signal.SIGTERM:
            share.end()
            os.kill(child, signal.SIGTERM)
        code = _reaped(child, meter)
        if code is None and woken is not None and time.monotonic() < next_look:
            time.sleep(REST_S)
            continue
        if code is None and share.rests():
            next_look = time.monotonic() + share.pause_s()
            continue
        try:
            used_up, found = usage.look(limits)
            used_up = used_up or share.look(found)
        except (OSError, ValueError, MemoryError) as error:
            used_up = f"it cannot be watched ({error})"
        if used_up:
            os.write(report, used_up.encode())
            os._exit(USED_UP)
        if code is not None:
            os._exit(128 - code if code < 0 else code)
        next_look = time.monotonic() + share.pause_s()
    os._exit(USED_UP)


def _wait(server: "_Server", share: processor.Share, next_look: float) -> signal.struct_siginfo | None:
    """Wait for the next look or a signal; while a program takes much, for the server's message instead of a signal."""
    left_s = max(next_look - time.monotonic(), 0)
    listens = share.is_known
    awaited = server.heard(left_s if listens else 0)
    if awaited is not None:
        share.awaited(awaited)
    left_s = 0 if listens else left_s
    return signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, left_s)


class _Server:
    """The other end of REPORT. If that is a socket, the server sends on it if it awaits an answer."""

    def __init__(self, report: int) -> None:
        self._report = report
        self._says = stat.S_ISSOCK(os.fstat(report).st_mode)
        self._poll = select.poll()
        self._poll.register(report, select.POLLIN if self._says else 0)  # the end of either is always reported
        self.is_gone = False

    def heard(self, timeout_s: float) -> bool | None:
        """Return True if the server awaits an answer, by its last message; None if none comes in time."""
        said = b""
        for _, event in self._poll.poll(1000 * timeout_s):
            if event & select.POLLIN:
                said = os.read(self._report, WORDS)
            self.is_gone = not said
        return said[-1:] == AWAITED if said else None


def _signal_all(number: int) -> None:
    """Send a signal to all processes here except the warden, at once, so that none can start another one meanwhile."""
    if os.getpid() != 1:
        raise OSError("not the first process of a namespace: everything else on this machine would get the signal")
    try:  # noqa: SIM105  # to import contextlib takes 8 ms
        os.kill(-1, number)
    except ProcessLookupError:  # there is none
        pass


def _chance() -> float:
    return os.urandom(1)[0] / 255


def _prefer_for_oom_kill() -> None:
    """Let the kernel end the bot's program, and not Palio, if the machine still runs out of memory."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1)  # otherwise the file is root's; it lasts until the program begins
    try:
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
            file.write("1000")
    except OSError:  # it may be mounted read-only
        pass


def _become(program: list[str], passage: Passage | None, limits: usage.WardenLimits, call: int, code: bytes) -> None:
    try:
        os.setsid()  # where the processor is shared out by sessions, the warden has a share for itself
        _prefer_for_oom_kill()
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
    except (OSError, ValueError) as error:  # it must not continue with the old user
        print(f"{program[0]} cannot be started: {error}", file=sys.stderr, flush=True)  # noqa: T201
    os._exit(127)


def _filter(call: int, code: bytes) -> None:
    """Set the filter permanently for this process and all that it starts. Raises OSError."""
    kept = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HP", len(code) // 8, ctypes.addressof(kept))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(call, SET_MODE_FILTER, SPEC_ALLOW, head) != 0:
        raise OSError(ctypes.get_errno(), NOT_SET)


def _counts_apart(passage: Passage | None) -> bool:
    """Return True if its processes are counted without those that the same user runs elsewhere."""
    release = os.uname().release.split("-")[0].split(".")
    return passage is not None or tuple(int(part) for part in release[:2] if part.isdigit()) >= COUNTED_APART


def _reaped(child: int, meter: processor.Meter) -> int | None:
    """Return the program's exit code, if it has ended; its remaining children are waited for as well."""
    try:
        while True:
            pid, status, used = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return None
            meter.reaped(str(pid), int((used.ru_utime + used.ru_stime) * processor.S))
            if pid == child:
                return os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        return 1
