"""How many files and sockets this process may have open, and how they are shared out among those who connect."""

import contextlib
import sys
from dataclasses import dataclass
from typing import Self

USUAL = 1024  # where the system does not say
STRANGERS, STRANGERS_OF_ONE = 2000, 256  # where there is room: connections that have not said who they are
VIEWERS, VIEWERS_OF_ONE = 10_000, 1000
FEWEST = 32


def raise_limit() -> int:
    """Let this process open as many files as it may; how many are these?"""
    if sys.platform == "win32":
        return USUAL
    import resource  # noqa: PLC0415  # not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if hard != resource.RLIM_INFINITY else 1_048_576
    if soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # macOS has a limit of its own below "unlimited"
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return soft


@dataclass(frozen=True, slots=True)
class Room:
    """Sockets for those who need no token; what is left of the files is for bots, the database and the rest."""

    strangers: int
    strangers_of_one: int
    viewers: int
    viewers_of_one: int

    @classmethod
    def within(cls, files: int) -> Self:
        """A quarter of the files is for strangers at most, three eighths for viewers.

        >>> Room.within(1024)
        Room(strangers=256, strangers_of_one=128, viewers=384, viewers_of_one=192)
        """
        strangers = max(FEWEST, min(STRANGERS, files // 4))
        viewers = max(FEWEST, min(VIEWERS, files * 3 // 8))
        return cls(strangers, min(STRANGERS_OF_ONE, strangers // 2), viewers, min(VIEWERS_OF_ONE, viewers // 2))
