"""Becomes a user without any privilege, where we are root: root is exempt from limits of processes.

The program gets a user number that nobody has, in a user namespace of its own. It may still read whatever is to be seen
in its sandbox, whoever owns it, as its own folder often belongs to somebody else: there, and nowhere else, it has that
one capability. Part of the warden, so it needs nothing of Palio; see capabilities(7) and user_namespaces(7).
"""

import ctypes
import os
import struct

CLONE_NEWUSER = 0x10000000
PR_SET_SECUREBITS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 28, 47, 2  # linux/prctl.h
NO_SETUID_FIXUP = 1 << 2  # of linux/securebits.h: access(2), too, counts the capability
CAP_DAC_READ_SEARCH = 2
CAPABILITY_VERSION = 0x20080522
MAPS, MOST_RANGES = ("uid_map", "gid_map"), 1 << 16  # files of /proc, and bytes that are read at once


class Passage:
    """From root, before the fork, to `user`, after it: the child enters, the parent lets it through."""

    def __init__(self, user: int) -> None:
        self._user = user
        self._entered, self._enter = os.pipe()
        self._allowed, self._allow = os.pipe()

    def let_through(self, child: int) -> None:
        """The parent's part, once: everybody is in the child's namespace who is in ours, by the same number."""
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
        """The child's part. Raises OSError; then it must not go on."""
        libc = ctypes.CDLL(None, use_errno=True)
        ours = "\0".join(_ranges(name) for name in MAPS)
        os.setgroups([])
        _check(libc.unshare(CLONE_NEWUSER))
        os.close(self._allow)  # or we should wait for ever for a parent that has failed
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
    """The child asks for both: of the parent, process 1, nothing is to be seen in /proc."""
    with open(f"/proc/self/{name}") as file:  # noqa: PTH123
        return file.read()


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
