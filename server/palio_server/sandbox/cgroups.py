"""Control groups of Linux (v2), where a part of their tree is delegated: the kernel itself enforces a bot's limits.

A part is delegated if this user may make groups in it and pass `memory` and `pids` on to them, as in a unit of systemd
with `Delegate=yes`. A group with groups below may have no processes of its own, so ours move into one of their own
first. See "Control Group v2" in the kernel's documentation.

Where nothing is delegated the warden (`warden.py`) watches alone; it names the limit in any case.
"""

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

MOUNT = Path("/sys/fs/cgroup")
CONTROLLERS = ("memory", "pids")
OURS = "palio"  # the group of our own processes
SPARE = 100  # processes beyond the limit, because the warden has some
ROOM = 1.25  # of memory beyond the limit, so that the warden ends the bot first, and names the limit
_numbers = count(1)


@dataclass(frozen=True)
class ControlGroup:
    """A group for one bot's program."""

    path: Path

    def joining(self, command: Sequence[str]) -> list[str]:
        """Return `command`, run in the group from its beginning."""
        return ["/bin/sh", "-c", 'echo $$ > "$0"; exec "$@"', str(self.path / "cgroup.procs"), *command]

    def is_out_of_memory(self) -> bool:
        """Return True if the kernel has ended processes in it."""
        with contextlib.suppress(OSError, ValueError, KeyError):
            counts = dict(line.split() for line in (self.path / "memory.events").read_text().splitlines())
            return int(counts["oom_kill"]) > 0
        return False

    def remove(self) -> None:
        """End all processes left in it, and remove it. Does nothing if it is gone."""
        with contextlib.suppress(OSError):
            (self.path / "cgroup.kill").write_text("1")
        with contextlib.suppress(OSError):
            self.path.rmdir()


@cache
def delegated(mount: Path = MOUNT, own: Path = Path("/proc/self/cgroup")) -> Path | None:
    """Return the group in which limited groups may be made; None if there is none."""
    try:
        lines = own.read_text(errors="surrogateescape").split("\n")  # it holds names of groups
        where = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
        if where is None:
            return None
        group = mount / where
        if group.name == OURS:  # another Palio has moved us already
            group = group.parent
        controllers = (group / "cgroup.controllers").read_text().split()
    except OSError:
        return None
    if os.geteuid() == 0 and not _is_marked(group):  # root may write everywhere, even where nothing is delegated
        return None
    writable = os.access(group, os.W_OK) and os.access(group / "cgroup.subtree_control", os.W_OK)
    return group if writable and all(each in controllers for each in CONTROLLERS) else None


def _is_marked(group: Path) -> bool:
    """Return True if systemd has marked the group as delegated."""
    with contextlib.suppress(OSError, AttributeError):  # AttributeError: other systems have no such function
        return any(os.getxattr(group, f"{kind}.delegate") == b"1" for kind in ("trusted", "user"))
    return False


def new_group(parent: Path, memory: int, processes: int) -> ControlGroup | None:
    """Return a group below `parent` with these limits: memory in bytes, processes with threads. None if
    not available.
    """
    try:
        _make_room(parent)
        group = ControlGroup(parent / f"palio-bot-{os.getpid()}-{next(_numbers)}")
        group.path.mkdir()
        (group.path / "memory.max").write_text(str(int(memory * ROOM)))
        with contextlib.suppress(OSError):  # there may be no swap
            (group.path / "memory.swap.max").write_text("0")
        with contextlib.suppress(OSError):  # before Linux 4.19 it ends one of the processes
            (group.path / "memory.oom.group").write_text("1")
        (group.path / "pids.max").write_text(str(processes + SPARE))
    except OSError:
        return None
    return group


def _make_room(parent: Path) -> None:
    """Move the parent's processes into a group of their own, so that it may have groups with limits."""
    if set(CONTROLLERS) <= set((parent / "cgroup.subtree_control").read_text().split()):
        return
    ours = parent / OURS
    ours.mkdir(exist_ok=True)
    for pid in (parent / "cgroup.procs").read_text().split():
        with contextlib.suppress(OSError):  # it has ended
            (ours / "cgroup.procs").write_text(pid)
    (parent / "cgroup.subtree_control").write_text(" ".join(f"+{each}" for each in CONTROLLERS))
    with contextlib.suppress(OSError):  # with it each bot has the same share of the processor
        (parent / "cgroup.subtree_control").write_text("+cpu")
