"""A program that starts another one, which ends when the parent process ends, even by kill -9, with all its children.

Usage: `python tether.py PARENT_PID GOODBYE_S PROGRAM ARGUMENTS...`

SIGTERM, or on Linux the parent's death, ends the program's process group: SIGTERM, GOODBYE_S seconds, SIGKILL. When
the program ends by itself, so do the processes that it has left behind, and the tether ends with the same status. It
runs in an interpreter of its own, because the parent has threads: between fork and exec it could not call anything
safely.
"""

import ctypes
import os
import signal
import sys
import time
from contextlib import suppress
from types import FrameType

PR_SET_PDEATHSIG = 1  # linux/prctl.h
LOOK_S = 0.02  # seconds between two looks at a program that has been told to end


def tethered(goodbye_s: float, *program: str) -> list[str]:
    """Return the command line that runs `program`, a path and its arguments, so that it ends with this process."""
    from palio_rules.interpreter import python  # noqa: PLC0415  # this file is run with the standard library alone

    return python(__file__, str(os.getpid()), str(goodbye_s), *program, isolated=True)


def main() -> None:
    parent, goodbye_s, *program = sys.argv[1:]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # until the child is known
    _die_with_parent()
    if os.getppid() != int(parent):  # the parent ended before the line above
        sys.exit(1)
    us = os.getpid()
    _close_copies()
    child = os.fork()
    if child == 0:
        _become(program, us)

    def end(_signal: int, _frame: FrameType | None) -> None:
        _kill(child, signal.SIGTERM)
        until = time.monotonic() + float(goodbye_s)
        while time.monotonic() < until and not _is_dead(child):
            time.sleep(LOOK_S)
        _kill(child, signal.SIGKILL)

    with suppress(OSError):  # the child may have done so itself, and be on its way
        os.setpgid(child, child)
    _leave_pipes()
    signal.signal(signal.SIGTERM, end)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    _, status = os.waitpid(child, 0)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _kill(child, signal.SIGKILL)
    _end_like(os.waitstatus_to_exitcode(status))


def _close_copies() -> None:
    """Close other descriptors of our stdin, stdout and stderr, as uvloop leaves them to a child process."""
    ours = [os.fstat(fd) for fd in range(3)]
    for fd in [int(name) for name in os.listdir("/dev/fd")]:  # noqa: PTH208  # no more modules in a small process
        with suppress(OSError):  # the descriptor of the folder is closed by now
            if fd > 2 and any(os.path.samestat(os.fstat(fd), each) for each in ours):
                os.close(fd)


def _leave_pipes() -> None:
    """Close our ends of stdin and stdout: a program that closes its own ones is then seen to have done so."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(nothing, fd)
    os.close(nothing)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _become(program: list[str], parent: int) -> None:
    try:
        os.setpgid(0, 0)
        _die_with_parent()  # in case the tether itself is killed
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        if os.getppid() == parent:
            os.execv(program[0], program)  # noqa: S606  # the caller's own command line, no shell
    except OSError as error:
        print(f"{program[0]} cannot be started: {error}", file=sys.stderr, flush=True)  # noqa: T201
    os._exit(127)


def _is_dead(child: int) -> bool:
    """Return True if the child has ended; its status stays for the caller that waits for it."""
    try:
        return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # and has been waited for: the signal came between that and the tether's own end
        return True


def _kill(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # PermissionError: the error of macOS for a group of zombies
        os.killpg(group, number)


def _end_like(code: int) -> None:
    if code < 0 and -code != signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    if code < 0:
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main()
