"""Start a program that ends when the process that wanted it ends, even by kill -9.

Usage: `python tether.py PARENT_PID PROGRAM ARGUMENTS...`

This runs in an interpreter of its own and then becomes the program, because the parent has threads: between fork and
exec it could not call anything safely.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main() -> None:
    parent, *program = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != int(parent):  # it ended before the line above
            sys.exit(1)
    os.execv(program[0], program)  # noqa: S606 - the caller's own command line, no shell


if __name__ == "__main__":
    main()
