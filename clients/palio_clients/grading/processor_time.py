"""The processor time of a student's processes, which is what a test's limit counts; other load costs them none."""

import os
import time
from collections.abc import Callable, Collection
from contextlib import suppress

TICKS = os.sysconf("SC_CLK_TCK")
WALL, SPARE_S = 10, 10.0  # times the limit, and seconds, that a test may take on the wall: a program may sleep
SHORTEST_S, LONGEST_S = 0.02, 1.0  # between two looks
SELF, ENDED = (11, 12), (13, 14)  # fields of /proc/PID/stat after the name: user and system time, those of children


class Watch:
    """The limit of one test, in processor time, with a generous one in seconds on the wall behind it."""

    def __init__(self, limit_s: float, wall_s: float, pids: Callable[[], Collection[int]]) -> None:
        """`pids` returns the processes that are counted."""
        self._limit_s, self._pids = limit_s, pids
        self._wall_s = min(WALL * limit_s + SPARE_S, wall_s)
        self._begun = time.monotonic()
        self.used_s = 0.0
        self.over = ""  # which limit was reached, as a sentence

    def pause_s(self) -> float:
        """Return the seconds until the next look; 0 when a limit is reached."""
        self.used_s = max(self.used_s, used_s(self._pids()))
        left_s, wall_left_s = self._limit_s - self.used_s, self._begun + self._wall_s - time.monotonic()
        if left_s <= 0:
            self.over = f"not finished after {self._limit_s:.3g} s of processor time"
        elif wall_left_s <= 0:
            self.over = f"not finished after {self._wall_s:.3g} s, {self.used_s:.2g} s of them on the processor"
        if self.over:
            return 0.0
        return min(max(left_s / (os.cpu_count() or 1), SHORTEST_S), wall_left_s, LONGEST_S)


def used_s(pids: Collection[int]) -> float:
    """Return the processor time of these processes, and of their children that have ended."""
    return sum(_ticks(each, SELF + ENDED) for each in pids) / TICKS


def below(root: int) -> set[int]:
    """Return a process and all that it has started, and these."""
    parents = {pid: int(stat[1]) for pid in processes() if (stat := _stat(pid))}
    found, added = {root}, True
    while added:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        found, added = found | more, bool(more)
    return found


def processes() -> list[int]:
    """Return the numbers of all processes that can be seen."""
    with suppress(OSError):  # such as on a system without /proc
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208  # it is done often
    return []


def _ticks(pid: int, fields: Collection[int]) -> int:
    stat = _stat(pid)
    return sum(int(stat[at]) for at in fields) if stat else 0


def _stat(pid: int) -> list[bytes]:
    """Return the fields after the name, which may hold brackets; [] if the process has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []
