"""The line of submissions that wait for their check: their order, and when each may begin. Pure arithmetic.

Each student's newest submission comes first among the student's own, and no student waits for the second one of
another while the own first one waits. Between equals a short check goes ahead of a long one that came a little before
it: a check is moved back by `PATIENCE` times what it is expected to take, `LONGEST_S` at most. So a long one waits for
those that come within that time, and for no others.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from heapq import heapify, heapreplace
from typing import NamedTuple

PATIENCE = 3
LONGEST_S = 1200.0
UNKNOWN_S = 60.0  # of a check of which nothing is known


class Waiting(NamedTuple):
    """A submission without a check. `at` is when it came here."""

    id: str
    whose: str  # the student's, or the team's
    at: float
    seconds: float = UNKNOWN_S  # that its check is expected to take
    current: bool = True  # it is the one that counts


class Place(NamedTuple):
    """A place in the line, from 1, and the seconds until the check may begin."""

    number: int
    begins_in_s: float


def in_order(waiting: Iterable[Waiting], running: Collection[str] = ()) -> list[Waiting]:
    """Return the line. `running` names the owners of checks that are under way, once for each."""
    own: dict[str, list[Waiting]] = defaultdict(list)
    for each in waiting:
        own[each.whose].append(each)
    ahead = dict.fromkeys(own, 0)
    for whose in running:
        if whose in ahead:
            ahead[whose] += 1
    ranked = [
        (ahead[whose] + rank, each.at + PATIENCE * min(each.seconds, LONGEST_S), each.at, each.id, each)
        for whose, theirs in own.items()
        for rank, each in enumerate(sorted(theirs, key=lambda each: (each.current, each.at, each.id), reverse=True))
    ]
    return [each for *_, each in sorted(ranked)]


def places(line: Sequence[Waiting], slots: int, running: Iterable[float] = ()) -> Mapping[str, Place]:
    """Return the place of each submission in a line; `running` are the seconds that checks under way still take."""
    free = sorted([*running, *([0.0] * slots)], reverse=True)[:slots]
    heapify(free)
    found = {}
    for number, each in enumerate(line, 1):
        found[each.id] = Place(number, free[0])
        heapreplace(free, free[0] + each.seconds)
    return found
