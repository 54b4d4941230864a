"""Which games' results have been printed: what a resumed event need not print again.

A result is in the database before it is printed, so a kill between the two loses the line. These numbers are kept
with the event; whoever resumes it prints first what is finished and not among them. As text they are short, since
games end nearly in their order: `1-40,43`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable

from palio_rules.errors import BadRecord, quoted

_RANGE = re.compile(r"([1-9]\d{0,9})(?:-([1-9]\d{0,9}))?", re.ASCII)


class Announced:
    """Numbers of games, from 1."""

    def __init__(self, text: str = "") -> None:
        """What `str` wrote. Raises BadRecord."""
        self._firsts: list[int] = []  # of ranges without a gap, ascending
        self._lasts: list[int] = []
        for part in text.split(",") if text else ():
            found = _RANGE.fullmatch(part)
            first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
            if not (self._lasts[-1] + 1 if self._lasts else 0) < first <= last:
                raise BadRecord(f"{quoted(text)} are no numbers of games; write them as in 1-40,43")
            self._firsts.append(first)
            self._lasts.append(last)

    def add(self, number: int) -> None:
        """The result of this game has been printed."""
        place = bisect_right(self._firsts, number)
        if place and number <= self._lasts[place - 1]:
            return
        before = bool(place) and self._lasts[place - 1] == number - 1
        after = place < len(self._firsts) and self._firsts[place] == number + 1
        if before and after:
            self._lasts[place - 1] = self._lasts.pop(place)
            self._firsts.pop(place)
        elif before:
            self._lasts[place - 1] = number
        elif after:
            self._firsts[place] = number
        else:
            self._firsts.insert(place, number)
            self._lasts.insert(place, number)

    def missing(self, numbers: Iterable[int]) -> list[int]:
        """Those of these games whose result has not been printed, in order."""
        return sorted(number for number in numbers if number not in self)

    def __contains__(self, number: int) -> bool:
        place = bisect_right(self._firsts, number)
        return bool(place) and number <= self._lasts[place - 1]

    def __str__(self) -> str:
        ranges = zip(self._firsts, self._lasts, strict=True)
        return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
