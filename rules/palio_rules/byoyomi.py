"""Byo-yomi: what a clock has after its main time, by periods (Japanese) or by moves in a time (Canadian).

Japanese, `5x30`: each of 5 periods has 30 s. A move within the period leaves it whole; each that is used up is lost.
Canadian, `25/300`: 300 s for 25 moves ("stones"); after the last of them the next 25 have 300 s of their own.

A clock is one number of milliseconds, the time until it flags: main time and what is left of byo-yomi together. With
the moves that are left of a Canadian period it is the whole state, and both follow from the times of the moves alone.
"""

from typing import Annotated, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from palio_rules.errors import BadOption

LONGEST_MS = 24 * 3600 * 1000  # of a time control
MOST_PERIODS = 99
MOST_STONES = 999


class Stage(NamedTuple):
    """The face of a clock. In main time `main_ms` is above 0, and the period is still whole."""

    main_ms: int
    period_ms: int  # left of the period that runs, or comes next
    number: int  # periods that are left, this one included; Canadian: moves to play in this one


class Byoyomi(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The time after main time: periods of `period_ms` each, or one period for each so many `stones` (moves)."""

    period_ms: Annotated[int, msgspec.Meta(ge=1, le=LONGEST_MS)]
    periods: Annotated[int, msgspec.Meta(ge=1, le=MOST_PERIODS)] | UnsetType = UNSET  # Japanese
    stones: Annotated[int, msgspec.Meta(ge=1, le=MOST_STONES)] | UnsetType = UNSET  # Canadian

    def __post_init__(self) -> None:
        """Refuse what is neither Japanese nor Canadian. Raises BadOption."""
        if type(self.period_ms) is not int or not 1 <= self.period_ms <= LONGEST_MS:
            raise BadOption(f"byoyomi period_ms={self.period_ms!r}: give 1 to {LONGEST_MS} whole milliseconds")
        if (self.periods is UNSET) == (self.stones is UNSET):
            raise BadOption("byoyomi has either periods (Japanese, as in 600+5x30) or stones (Canadian, 600+25/300)")
        for name, most in (("periods", MOST_PERIODS), ("stones", MOST_STONES)):
            value = getattr(self, name)
            if value is not UNSET and (type(value) is not int or not 1 <= value <= most):
                raise BadOption(f"byoyomi {name}={value!r}: give 1 to {most}")

    @property
    def reserve_ms(self) -> int:
        """The time of all periods together, which is left when main time has run out."""
        return self.period_ms if self.periods is UNSET else self.period_ms * self.periods

    @property
    def first_stones(self) -> int:
        """The moves of a new Canadian period; 0 for Japanese byo-yomi, which counts none."""
        return 0 if self.stones is UNSET else self.stones

    @property
    def most(self) -> int:
        """The count of a clock in main time: all periods, or the moves of one."""
        return self.first_stones if self.periods is UNSET else self.periods

    def stage(self, left_ms: int, stones: int = 0) -> Stage:
        """Return what a clock with `left_ms` until it flags shows, and `stones` moves to play in a Canadian period."""
        main = max(0, left_ms - self.reserve_ms)
        if self.periods is UNSET:
            return Stage(main, left_ms - main, stones or self.first_stones)
        count = max(1, -(-(left_ms - main) // self.period_ms))
        return Stage(main, left_ms - main - (count - 1) * self.period_ms, count)

    def left_of(self, stage: Stage) -> tuple[int, int]:
        """Return `left_ms` and `stones` of a clock that shows `stage`: the reverse of `stage`."""
        if self.periods is UNSET:
            return stage.main_ms + stage.period_ms, stage.number
        return stage.main_ms + stage.period_ms + (stage.number - 1) * self.period_ms, 0

    def after(self, left_ms: int, used_ms: int, stones: int = 0) -> tuple[int, int]:
        """Return `left_ms` and `stones` after a move that took `used_ms`.

        A period is lost when more than its time is used. A move that begins in main time and ends in a Canadian period
        is one of that period's.
        """
        left = max(0, left_ms - used_ms)
        if left >= self.reserve_ms and left_ms > self.reserve_ms:
            return left, stones
        if self.periods is not UNSET:
            before = self.stage(left_ms).number
            return self.period_ms * min(before, left // self.period_ms + 1), 0
        return (left, stones - 1) if stones > 1 else (self.reserve_ms, self.first_stones)

    def even_ms(self, left_ms: int, stones: int, moves: int) -> float:
        """Return the time for one move if the next `moves` all take the same, and no period is lost."""
        main, period, number = self.stage(left_ms, stones)
        for_move = period if self.stones is UNSET else period / number
        return max(main / moves, for_move)

    def until_gain(self, left_ms: int, stones: int) -> tuple[int, int | None]:
        """Return the clock for programs that know no byo-yomi: a time, and the moves to play in it (None: the rest)."""
        main, period, number = self.stage(left_ms, stones)
        if main:
            return main + period, None
        return period, number if self.periods is UNSET else 1

    def longest_ms(self, moves: int) -> int:
        """Return the most time that so many moves can take after main time."""
        if self.stones is UNSET:
            return self.reserve_ms + self.period_ms * moves
        return self.period_ms * (1 + moves // self.stones)
