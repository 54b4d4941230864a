"""CPUs of their own for games: which game has which, and how its programs are kept on them.

Both bots of a game share its CPU, because one of them waits while the other thinks. Where both think at once, as with
pondering engines and in races, each bot has a CPU of its own.
"""

import os
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from palio_rules.errors import BadOption, quoted

ALL = "all"
ROUNDS = 5  # through a program's threads, until no new one has come meanwhile


def parse_cpus(text: str, usable: Collection[int]) -> tuple[int, ...]:
    """Return the CPUs that `--affinity` names: "all", or numbers and ranges as in "0-3,6". Raises BadOption."""
    if text == ALL:
        return tuple(sorted(usable))
    found: dict[int, None] = {}
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last if dash else first)
        if not all(each.isascii() and each.isdecimal() and len(each) < 6 for each in ends) or int(first) > int(ends[1]):
            raise BadOption(f"--affinity {quoted(text)} names no CPUs; write all, or numbers as in 0-3,6")
        found |= dict.fromkeys(range(int(first), int(ends[1]) + 1))
    if lacking := [cpu for cpu in found if cpu not in usable]:
        known = ",".join(map(str, sorted(usable)))
        raise BadOption(f"--affinity {quoted(text)}: there is no CPU {lacking[0]} for this process; there are {known}")
    return tuple(found)


def usable_cpus() -> Collection[int]:
    """Return the CPUs that this process may use. Raises BadOption where programs cannot be kept on CPUs."""
    if sys.platform != "linux":
        raise BadOption("--affinity needs Linux; leave it out")
    return os.sched_getaffinity(0)


@dataclass(slots=True)
class CpuShares:
    """The CPUs of the running games: `per_game` of them each."""

    cpus: tuple[int, ...]
    per_game: int = 1
    _taken: dict[str, tuple[int, ...]] = field(default_factory=dict)  # by match

    @property
    def games(self) -> int:
        """The number of games that can have CPUs of their own."""
        return len(self.cpus) // self.per_game

    def check(self, concurrency: int) -> None:
        """Raise BadOption if there are more games at once than CPUs for them."""
        if concurrency > self.games:
            need = "a CPU" if self.per_game == 1 else f"{self.per_game} CPUs, because its bots think at the same time"
            raise BadOption(
                f"--affinity: each of {concurrency} games at once needs {need}, and there are {len(self.cpus)}; "
                f"write --concurrency {max(1, self.games)}"
            )

    def take(self, match: str, running: Collection[str]) -> tuple[int, ...]:
        """Return the CPUs of a match that begins; those of matches that are not `running` are free again."""
        self._taken = {each: cpus for each, cpus in self._taken.items() if each in running and each != match}
        used = {cpu for cpus in self._taken.values() for cpu in cpus}
        free = [cpu for cpu in self.cpus if cpu not in used]
        found = tuple((free or list(self.cpus))[: self.per_game])
        self._taken[match] = found
        return found


def of_bots(cpus: Sequence[int], bots: int) -> list[int]:
    """Return the CPU of each bot of a game: its own one, or one that it shares."""
    return [cpus[number % len(cpus)] for number in range(bots)]


def pin(pid: int, cpu: int) -> None:
    """Keep a process, all processes below it and all their threads on a CPU; new ones inherit it."""
    known: set[int] = set()
    for _ in range(ROUNDS):
        new = set(_tasks(pid)) - known
        if not new:
            return
        known |= new
        for task in new:
            with suppress(OSError):  # it has ended, or belongs to another user
                os.sched_setaffinity(task, {cpu})


def _tasks(pid: int) -> Iterator[int]:
    """Yield the threads of a process, then those of the processes that it has started."""
    try:
        threads = [int(each.name) for each in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:  # it has ended
        return
    yield from threads
    for thread in threads:
        with suppress(OSError):
            for child in Path(f"/proc/{pid}/task/{thread}/children").read_text().split():
                yield from _tasks(int(child))
