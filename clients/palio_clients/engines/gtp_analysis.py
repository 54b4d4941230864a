"""A reader of what engines of Go report while they analyse a position by `kata-analyze` or `lz-analyze`.

https://github.com/lightvector/KataGo/blob/master/docs/GTP_Extensions.md; those of Leela Zero have whole numbers:

    info move E4 visits 487 winrate 0.480018 scoreLead -0.61 order 0 pv E4 E3 F3 info move P16 visits 470 …
    info move D16 visits 6 winrate 4197 prior 1760 order 0 pv D16 Q16 D4 info move D4 visits 4 …

A line is a whole report, of all moves that were looked at, and replaces the one before. Fields may come in any order,
and new ones may come.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from math import inf, isfinite
from typing import NamedTuple

# By the engine's preference; what its `winrate` has for a certain win.
COMMANDS = {"kata-analyze": 1.0, "lz-analyze": 10_000.0}
REPORT = "info move "  # how a report begins
MOST_VISITS = 2**53
_VERTEX = re.compile(r"[A-Za-z][0-9]{1,2}|pass", re.IGNORECASE)
_OTHERS = ("rootInfo", "ownership")  # what follows is about no move


class Report(NamedTuple):
    """An engine's judgement of a position: the share of points that it expects, from 0 to 1, and its best line."""

    share: float
    visits: int  # of all moves
    lead: float | None = None  # in points
    line: tuple[str, ...] = ()


class View(Enum):
    """The side from which an engine counts `winrate`; both documents say the side to move, KataGo has a setting."""

    MOVER = "the side to move"
    BLACK = "Black"
    WHITE = "White"

    @classmethod
    def seen(cls, black_to_move: float, white_to_move: float) -> "View":
        """Return the view of an engine that reports these shares of a position which Black has won.

        Shares that tell nothing are taken for those of the side to move.
        """
        shares = (black_to_move, white_to_move)
        if min(shares) > SURELY:
            return cls.BLACK
        return cls.WHITE if max(shares) < 1 - SURELY else cls.MOVER

    def for_mover(self, report: Report, seat: int) -> Report:
        """Return the report from the view of `seat`, which is to move: 0 is Black."""
        if self is View.MOVER or (self is View.BLACK) == (seat == 0):
            return report
        lead = None if report.lead is None else 0.0 - report.lead
        return report._replace(share=1 - report.share, lead=lead)


SURELY = 0.8  # share of a position that is won


def read_report(line: str, most: float) -> Report | None:
    """Read a line; `most` is the winrate of a certain win. None: it reports no visited move. Never fails."""
    moves = [each for part in line.split("info ")[1:] if (each := _move(part.split(), most)) is not None]
    if not moves:
        return None
    best = min(moves, key=lambda each: each.order)  # the first of equal ones
    return Report(best.share, min(MOST_VISITS, sum(each.visits for each in moves)), best.lead, best.line)


class _Move(NamedTuple):
    share: float
    visits: int
    order: float
    lead: float | None
    line: tuple[str, ...]


def _move(words: Sequence[str], most: float) -> _Move | None:
    fields: dict[str, str] = {}
    line: tuple[str, ...] = ()
    at = 0
    while at < len(words) and words[at] not in _OTHERS:
        if words[at] == "pv":
            line = tuple(_vertices(words[at + 1 :]))
            at += len(line)
        elif at + 1 < len(words):
            fields.setdefault(words[at], words[at + 1])
            at += words[at] in _FIELDS
        at += 1
    visits, winrate, order = (_number(fields.get(name)) for name in ("visits", "winrate", "order"))
    if visits is None or not 1 <= visits <= MOST_VISITS or winrate is None or not 0 <= winrate <= most:
        return None
    if not _VERTEX.fullmatch(move := fields.get("move", "")):
        return None
    lead = _number(fields.get("scoreLead"))
    return _Move(winrate / most, int(visits), inf if order is None else order, lead, line or (move,))


_FIELDS = frozenset(("move", "visits", "winrate", "order", "scoreLead"))


def _vertices(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if not _VERTEX.fullmatch(word):
            return
        yield word


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if isfinite(number) else None
