"""The processor time of a program and of all that it has started, as Linux counts it.

Time that a process used before it ended counts if its parent has waited for it, or if it was seen before. Time for
which a thread waited for a processor is what the kernel calls its run delay; of one that came and went between two
readings it is not known. See proc(5) and "Scheduler Statistics" in the kernel's documentation.
"""

import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from palio_server.sandbox import usage
from palio_server.sandbox.processor import S, children_time, process_time

PROC = Path("/proc")
PARENT = 1  # place of the parent's number among the fields that follow a process's name


class ProgramTime:
    """The time of one program since its first reading, in seconds."""

    def __init__(self) -> None:
        self._ran: dict[int, int] = {}  # nanoseconds, by process
        self._children: dict[int, int] = {}  # of ended children that were waited for, by process
        self._waited: dict[int, int] = {}  # by thread
        self._read_at = time.monotonic_ns()
        self._total_ran = self._total_waited = 0

    def read(self, roots: Iterable[int]) -> tuple[float, float]:
        """Return the time for which the processes `roots`, and all below them, have run and waited for a processor.

        Several threads that wait at a time count once.
        """
        found = below(roots)
        former_ran, former_children, former_waited = self._ran, self._children, self._waited
        self._ran, self._children, self._waited = {}, {}, {}
        for pid in found:
            with suppress(OSError, ValueError, IndexError):  # it has ended
                self._ran[pid] = process_time(str(pid))
                self._children[pid] = children_time(str(pid))
                self._waited |= _waits(pid)
        vanished = sum(ran for pid, ran in former_ran.items() if pid not in self._ran)
        self._total_ran += _increase(self._ran, former_ran)
        self._total_ran += max(0, _increase(self._children, former_children) - vanished)
        now = time.monotonic_ns()
        self._total_waited += min(_increase(self._waited, former_waited), now - self._read_at)
        self._read_at = now
        return self._total_ran / S, self._total_waited / S


def below(roots: Iterable[int]) -> list[int]:
    """Return these processes and all that are below them. (Not each kernel lists a process's children.)"""
    children: dict[int, list[int]] = {}
    for name in os.listdir(PROC):  # noqa: PTH208  # it is done many times a second
        if name.isdigit():
            with suppress(OSError, IndexError):  # it has ended
                fields = usage.after_name(Path(f"/proc/{name}/stat").read_bytes())
                children.setdefault(int(fields[PARENT]), []).append(int(name))
    found = list(roots)
    for pid in found:  # which grows meanwhile
        found += children.get(pid, ())
    return found


def _waits(pid: int) -> dict[int, int]:
    """Return the nanoseconds for which each thread of a process was ready to run and had no processor."""
    found = {}
    for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208  # as above
        with suppress(OSError, ValueError, IndexError):  # it has ended, or the kernel does not count that
            found[int(task)] = int(Path(f"/proc/{pid}/task/{task}/schedstat").read_bytes().split()[1])
    return found


def _increase(now: Mapping[int, int], former: Mapping[int, int]) -> int:
    """Return by how much the figures have grown; one that became smaller is another process's with that number."""
    grown = ((each, former.get(key, 0)) for key, each in now.items())
    return sum(each - before if each >= before else each for each, before in grown)
