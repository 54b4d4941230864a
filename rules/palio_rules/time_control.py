"""The time control of a seat: `10+0.1` (seconds and increment), seconds a move, or no limit."""

import re
from typing import Annotated

import msgspec

from palio_rules.errors import BadOption, quoted

DAY_MS = 24 * 3600 * 1000
UNLIMITED = "inf"  # the spelling of no limit for a whole match
MARGIN_MS = 200  # granted on top of every deadline for the network; never added to a clock

Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=DAY_MS)]

_TC = re.compile(
    r"(?:(?P<minutes>\d{1,4}):)?(?P<seconds>\d{1,5}(?:\.\d{1,3})?)(?:\+(?P<increment>\d{1,5}(?:\.\d{1,3})?))?", re.ASCII
)
_ST = re.compile(r"\d{1,5}(?:\.\d{1,3})?", re.ASCII)


class TimeControl(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's time in milliseconds. `base_ms` None: no clock; `move_ms` None: no limit a move. Both may hold."""

    base_ms: Milliseconds | None = None
    increment_ms: Milliseconds = 0
    move_ms: Milliseconds | None = None
    margin_ms: Milliseconds = MARGIN_MS

    def __post_init__(self) -> None:
        """Refuse seconds in the place of milliseconds, and times beyond a day. Raises BadOption."""
        for name in ("base_ms", "increment_ms", "move_ms", "margin_ms"):
            value = getattr(self, name)
            if value is None and name in ("base_ms", "move_ms"):
                continue
            if type(value) is not int or not 0 <= value <= DAY_MS:
                raise BadOption(
                    f"TimeControl {name}={value!r}: whole milliseconds up to a day are wanted; "
                    'TimeControl.parse("10+0.1") reads seconds'
                )

    @classmethod
    def parse(cls, tc: str | None = None, st: str | None = None, margin_ms: int = MARGIN_MS) -> "TimeControl":
        """Read cutechess's `tc` ("10+0.1", "5:00+3", "inf") and `st` (seconds a move). Raises BadOption."""
        base = increment = None
        if tc is not None and tc != UNLIMITED:
            if not (found := _TC.fullmatch(tc)):
                raise BadOption(
                    f"{quoted(tc)} is no time control; write seconds+increment as in 10+0.1, minutes as in 5:00, or inf"
                )
            base = int(found["minutes"] or 0) * 60_000 + _ms(found["seconds"])
            increment = _ms(found["increment"] or "0")
            if base == 0 and increment == 0:
                raise BadOption(f"{quoted(tc)} leaves no time to think; give at least 0.001 seconds")
        if st is not None and not _ST.fullmatch(st):
            raise BadOption(f"{quoted(st)} is no time a move; write seconds as in 0.5")
        if st is not None and _ms(st) == 0:
            raise BadOption(f"{quoted(st)} seconds a move leave no time to think; give at least 0.001")
        for text, ms in ((tc, max(base or 0, increment or 0)), (st, _ms(st or "0"))):
            if ms > DAY_MS:
                raise BadOption(f"{quoted(text)} is longer than a day; give at most {DAY_MS // 1000} seconds")
        return cls(base, increment or 0, _ms(st) if st is not None else None, margin_ms)

    @classmethod
    def from_text(cls, text: str, margin_ms: int = MARGIN_MS) -> "TimeControl":
        """Read what `str` wrote: "10+0.1", "0.5/move", "10+0.1 0.5/move", "inf". Raises BadOption."""
        clock, space, move = text.rpartition(" ")
        if not move.endswith("/move"):
            return cls.parse(tc=text, margin_ms=margin_ms)
        return cls.parse(tc=clock if space else None, st=move.removesuffix("/move"), margin_ms=margin_ms)

    def for_all_moves(self) -> "TimeControl":
        """Return the same time for all moves together: one clock without increment, also for a limit a move."""
        base = self.move_ms if self.base_ms is None else self.base_ms
        return TimeControl(base, margin_ms=self.margin_ms)

    def __str__(self) -> str:
        """Return the clock as `parse` reads it, then the limit a move: "10+0.1", "0.5/move", "10+0.1 0.5/move"."""
        clock = UNLIMITED if self.base_ms is None else f"{_seconds(self.base_ms)}+{_seconds(self.increment_ms)}"
        if self.move_ms is None:
            return clock
        return f"{_seconds(self.move_ms)}/move" if self.base_ms is None else f"{clock} {_seconds(self.move_ms)}/move"


def _ms(seconds: str) -> int:
    return round(float(seconds) * 1000)


def _seconds(ms: int) -> str:
    whole, rest = divmod(ms, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)
