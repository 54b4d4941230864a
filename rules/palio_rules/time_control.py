"""The time control of a seat: `10+0.1` (seconds, increment), `40/60` (moves in a time), seconds a move, or no limit.

Byo-yomi follows main time: `600+5x30` (5 periods of 30 s), `600+25/300` (25 moves in each 300 s). See `byoyomi`.
"""

import re
from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from palio_rules.byoyomi import LONGEST_MS, MOST_PERIODS, MOST_STONES, Byoyomi
from palio_rules.errors import BadOption, quoted

DAY_MS = LONGEST_MS
UNLIMITED = "inf"  # the spelling of no limit for a whole match
MARGIN_MS = 200  # granted on top of every deadline for the network; never added to a clock

Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=DAY_MS)]
MOST_MOVES = 9999
Period = Annotated[int, msgspec.Meta(ge=1, le=MOST_MOVES)]  # moves in a time

_TC = re.compile(
    r"(?:(?P<moves>\d{1,4})/)?(?:(?P<minutes>\d{1,4}):)?(?P<seconds>\d{1,5}(?:\.\d{1,3})?)"
    r"(?:\+(?P<increment>\d{1,5}(?:\.\d{1,3})?))?",
    re.ASCII,
)
_TIME = r"(?:(?P<{0}minutes>\d{{1,4}}):)?(?P<{0}seconds>\d{{1,5}}(?:\.\d{{1,3}})?)"
_BYOYOMI = re.compile(
    rf"{_TIME.format('main_')}\+(?P<count>\d{{1,3}})(?P<kind>[x/]){_TIME.format('period_')}", re.ASCII
)
_ST = re.compile(r"\d{1,5}(?:\.\d{1,3})?", re.ASCII)


class TimeControl(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A seat's time in milliseconds. `base_ms` None: no clock; `move_ms` None: no limit a move. Both may hold.

    With `moves` the clock gains `base_ms` again after each so many of the seat's own moves. With `byoyomi` the clock
    has its time after `base_ms`; then there is no increment, and no `moves`.
    """

    base_ms: Milliseconds | None = None
    increment_ms: Milliseconds = 0
    move_ms: Milliseconds | None = None
    margin_ms: Milliseconds = MARGIN_MS
    moves: Period | UnsetType = UNSET  # left out where it is unset: bots of other languages may refuse what is new
    byoyomi: Byoyomi | UnsetType = UNSET  # after `base_ms`, which is main time then; left out where it is unset, too

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
        if self.moves is not UNSET and (type(self.moves) is not int or not 1 <= self.moves <= MOST_MOVES):
            raise BadOption(f"TimeControl moves={self.moves!r}: give 1 to {MOST_MOVES} moves in the time")
        if self.moves is not UNSET and not self.base_ms:
            raise BadOption(f"TimeControl moves={self.moves}: moves in a time need a clock; give base_ms, too")
        if self.byoyomi is not UNSET:
            if self.base_ms is None or self.increment_ms or self.moves is not UNSET:
                raise BadOption("TimeControl byoyomi: give base_ms, 0 for no main time, and no increment_ms or moves")
            if self.base_ms + self.byoyomi.reserve_ms > DAY_MS:
                raise BadOption("TimeControl byoyomi: main time and all periods are longer than a day; give less")

    @property
    def first_ms(self) -> int | None:
        """The time until the clock flags, at the start: main time and byo-yomi; None without a clock."""
        if self.base_ms is None or self.byoyomi is UNSET:
            return self.base_ms
        return self.base_ms + self.byoyomi.reserve_ms

    @classmethod
    def parse(cls, tc: str | None = None, st: str | None = None, margin_ms: int = MARGIN_MS) -> "TimeControl":
        """Read `tc` and `st` (seconds a move) as cutechess has them, and byo-yomi. Raises BadOption.

        `tc` is "10+0.1", "5:00+3", "40/60", "inf"; with byo-yomi "600+5x30" or "600+25/300".
        """
        base, increment = (None, 0)
        moves: int | UnsetType = UNSET
        byoyomi: Byoyomi | UnsetType = UNSET
        if tc is not None and (after := _BYOYOMI.fullmatch(tc)):
            base, byoyomi = _main_and_byoyomi(tc, after)
        elif tc is not None and tc != UNLIMITED:
            base, increment, moves = _clock(tc)
        if st is not None and not _ST.fullmatch(st):
            raise BadOption(f"{quoted(st)} is no time a move; write seconds as in 0.5")
        if st is not None and _ms(st) == 0:
            raise BadOption(f"{quoted(st)} seconds a move leave no time to think; give at least 0.001")
        for text, ms in ((tc, max(base or 0, increment)), (st, _ms(st or "0"))):
            if ms > DAY_MS:
                raise BadOption(f"{quoted(text)} is longer than a day; give at most {DAY_MS // 1000} seconds")
        return cls(base, increment, _ms(st) if st is not None else None, margin_ms, moves, byoyomi)

    @classmethod
    def from_text(cls, text: str, margin_ms: int = MARGIN_MS) -> "TimeControl":
        """Read what `str` wrote: "10+0.1", "40/60+0", "0.5/move", "10+0.1 0.5/move", "inf". Raises BadOption."""
        clock, space, move = text.rpartition(" ")
        if not move.endswith("/move"):
            return cls.parse(tc=text, margin_ms=margin_ms)
        return cls.parse(tc=clock if space else None, st=move.removesuffix("/move"), margin_ms=margin_ms)

    def for_all_moves(self) -> "TimeControl":
        """Return the same time for all moves together: one clock without increment, also for a limit a move."""
        base = self.move_ms if self.base_ms is None else self.base_ms
        return TimeControl(base if self.base_ms is None else self.first_ms, margin_ms=self.margin_ms)

    def scaled(self, factor: float) -> "TimeControl":
        """Return the same with all times but the margin multiplied, for a machine of another speed."""
        if factor == 1.0:
            return self

        def ms(value: int | None) -> int | None:
            return None if value is None else min(DAY_MS, max(1 if value else 0, round(value * factor)))

        byoyomi, base = self.byoyomi, ms(self.base_ms)
        if byoyomi is not UNSET and base is not None:
            most = (DAY_MS - base) // (byoyomi.reserve_ms // byoyomi.period_ms)
            byoyomi = msgspec.structs.replace(byoyomi, period_ms=max(1, min(most, ms(byoyomi.period_ms) or 1)))
        return msgspec.structs.replace(
            self, base_ms=base, increment_ms=ms(self.increment_ms) or 0, move_ms=ms(self.move_ms), byoyomi=byoyomi
        )

    def gain_ms(self, move: int) -> int:
        """Return what the clock gains by the seat's own `move`-th accepted move, counted from 1."""
        if self.moves is UNSET or move % self.moves:
            return self.increment_ms
        return self.increment_ms + (self.base_ms or 0)

    def moves_to_go(self, move: int) -> int | None:
        """Return how many moves there are until the clock gains its time again, the `move`-th included; None: never."""
        return None if self.moves is UNSET else self.moves - (move - 1) % self.moves

    def __str__(self) -> str:
        """Return the clock as `parse` reads it, then the limit a move: "10+0.1", "0.5/move", "10+0.1 0.5/move"."""
        clock = UNLIMITED if self.base_ms is None else f"{_seconds(self.base_ms)}+{self._after_base()}"
        if self.moves is not UNSET:
            clock = f"{self.moves}/{clock}"
        if self.move_ms is None:
            return clock
        return f"{_seconds(self.move_ms)}/move" if self.base_ms is None else f"{clock} {_seconds(self.move_ms)}/move"

    def _after_base(self) -> str:
        match self.byoyomi:
            case Byoyomi(period_ms=period, stones=int(stones)):
                return f"{stones}/{_seconds(period)}"
            case Byoyomi(period_ms=period, periods=periods):
                return f"{periods}x{_seconds(period)}"
        return _seconds(self.increment_ms)


def _clock(tc: str) -> tuple[int, int, int | UnsetType]:
    """Return the time and the increment in milliseconds, and the moves in it. Raises BadOption."""
    if not (found := _TC.fullmatch(tc)):
        raise BadOption(
            f"{quoted(tc)} is no time control; write seconds+increment as in 10+0.1, minutes as in 5:00, "
            "moves/seconds as in 40/60, or inf; byo-yomi as in 600+5x30 or 600+25/300"
        )
    base = int(found["minutes"] or 0) * 60_000 + _ms(found["seconds"])
    increment = _ms(found["increment"] or "0")
    if base == 0 and increment == 0:
        raise BadOption(f"{quoted(tc)} leaves no time to think; give at least 0.001 seconds")
    if found["moves"] is None:
        return base, increment, UNSET
    moves = int(found["moves"])
    if moves == 0 or base == 0:
        raise BadOption(f"{quoted(tc)} has no moves or no time; write moves/seconds as in 40/60")
    return base, increment, moves


def _main_and_byoyomi(tc: str, found: re.Match[str]) -> tuple[int, Byoyomi]:
    """Return main time in milliseconds and what follows it. Raises BadOption."""
    main, period = (
        int(found[f"{which}_minutes"] or 0) * 60_000 + _ms(found[f"{which}_seconds"]) for which in ("main", "period")
    )
    count, canadian = int(found["count"]), found["kind"] == "/"
    most = MOST_STONES if canadian else MOST_PERIODS
    if not 1 <= count <= most or period == 0:
        raise BadOption(
            f"{quoted(tc)}: byo-yomi is 1 to {MOST_PERIODS} periods of some seconds as in 600+5x30, "
            f"or 1 to {MOST_STONES} moves in some seconds as in 600+25/300"
        )
    if main + period * (1 if canadian else count) > DAY_MS:
        raise BadOption(f"{quoted(tc)} is longer than a day; give at most {DAY_MS // 1000} seconds in all")
    return main, Byoyomi(period, stones=count) if canadian else Byoyomi(period, count)


def _ms(seconds: str) -> int:
    return round(float(seconds) * 1000)


def _seconds(ms: int) -> str:
    whole, rest = divmod(ms, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)
