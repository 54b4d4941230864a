"""Each seat's time. Pure arithmetic: when a turn began and how long it took is the caller's knowledge.

A clock starts at `base_ms`, loses what a turn took, never falls below zero, and gains `increment_ms` for every accepted
move. Where a limit a move holds as well, the nearer of the two counts. The margin for the network moves every deadline,
but never a clock; where a clock gains nothing, what was taken of the margin is gone, or an empty clock would never end
a match. Time used is kept in whole milliseconds, so that clocks can be rebuilt exactly from a journal.
"""

from collections.abc import Iterable

from palio_rules.records.record import Ply
from palio_rules.time_control import TimeControl


class SeatClocks:
    """The clocks of one match. `left_ms` has one entry a seat; None: this seat has no clock."""

    def __init__(self, time: TimeControl, seats: int) -> None:
        self.left_ms: list[int | None] = [time.base_ms] * seats
        self._increment = time.increment_ms
        self._move_ms = time.move_ms
        self._margins_ms = [time.margin_ms] * seats  # what is left of them

    def limit_ms(self, seat: int) -> int | None:
        """What `seat` may use for its next move, the margin not counted; None: no limit."""
        left, move = self.left_ms[seat], self._move_ms
        if left is None:
            return move
        return left if move is None or left <= move else move

    def deadline(self, seat: int, posted_at: float) -> float | None:
        """The last moment (seconds) at which the answer to a turn posted at `posted_at` is in time; None: any time."""
        limit = self.limit_ms(seat)
        return None if limit is None else posted_at + (limit + self._margins_ms[seat]) / 1000

    def overstepped(self, seat: int) -> str:
        """The limit that `seat` misses first: "flag-fell" for its clock, "move-limit" for the time of one move."""
        left, move = self.left_ms[seat], self._move_ms
        return "flag-fell" if left is not None and (move is None or left <= move) else "move-limit"

    def spend(self, seat: int, elapsed: float) -> int:
        """`seat` has moved after `elapsed` seconds. Returns the whole milliseconds that its clock was charged."""
        used = max(0, round(elapsed * 1000))
        self.charge(seat, used)
        return used

    def charge(self, seat: int, used_ms: int) -> None:
        """Take `used_ms` from the clock of `seat` for an accepted move, then add the increment."""
        left = self.left_ms[seat]
        if left is not None:
            self.left_ms[seat] = max(0, left - used_ms) + self._increment
            if used_ms > left and not self._increment:
                self._margins_ms[seat] = max(0, self._margins_ms[seat] - (used_ms - left))

    def rebuild(self, plies: Iterable[Ply]) -> None:
        """Charge every move of a journal, in order; to forfeit is no move and earns nothing."""
        for ply in plies:
            if ply.out is None:
                self.charge(ply.seat, ply.ms)

    def shown(self, seat: int, elapsed: float) -> list[int | None]:
        """What the clocks show while `seat` has been thinking for `elapsed` seconds. Changes nothing."""
        shown = self.left_ms.copy()
        left = shown[seat]
        if left is not None:
            shown[seat] = max(0, left - max(0, round(elapsed * 1000)))
        return shown
