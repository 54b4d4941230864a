"""The time of each seat. Pure arithmetic: the caller knows when a turn began and how long it took.

A clock starts at `base_ms`, loses the time of each turn, never falls below zero, and gains `increment_ms` for every
accepted move. If there is also a limit for one move, the earlier of the two limits counts. The network margin moves
every deadline, but never a clock. Where a clock has no increment, margin that was used is gone, because otherwise an
empty clock would never end a match. Used time is kept in whole milliseconds, so that clocks can be rebuilt exactly from
a journal.
"""

from collections.abc import Iterable

from palio_rules.records.record import Ply
from palio_rules.time_control import TimeControl


class SeatClocks:
    """The clocks of one match. `left_ms` has one entry for each seat; None means that the seat has no clock."""

    def __init__(self, time: TimeControl, seats: int) -> None:
        self.left_ms: list[int | None] = [time.base_ms] * seats
        self._increment = time.increment_ms
        self._move_ms = time.move_ms
        self._margins_ms = [time.margin_ms] * seats  # the margin that is left

    def limit_ms(self, seat: int) -> int | None:
        """Return the time that `seat` may use for its next move, without the margin; None if it has no limit."""
        left, move = self.left_ms[seat], self._move_ms
        if left is None:
            return move
        return left if move is None or left <= move else move

    def deadline(self, seat: int, posted_at: float) -> float | None:
        """Return the last moment (seconds) at which an answer to a turn posted at `posted_at` is in time; None for no
        deadline.
        """
        limit = self.limit_ms(seat)
        return None if limit is None else posted_at + (limit + self._margins_ms[seat]) / 1000

    def overstepped(self, seat: int) -> str:
        """Return the limit that `seat` misses first: "flag-fell" for its clock, "move-limit" for the
        time of one move.
        """
        left, move = self.left_ms[seat], self._move_ms
        return "flag-fell" if left is not None and (move is None or left <= move) else "move-limit"

    def spend(self, seat: int, elapsed: float) -> int:
        """Charge `seat` for a move that took `elapsed` seconds; return the whole milliseconds charged to its clock."""
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
        """Charge every move of a journal, in order; a forfeit is not a move and earns no increment."""
        for ply in plies:
            if ply.out is None:
                self.charge(ply.seat, ply.ms)

    def shown(self, seat: int, elapsed: float) -> list[int | None]:
        """Return the clocks as they stand while `seat` has been thinking for `elapsed` seconds, without a change to
        them.
        """
        shown = self.left_ms.copy()
        left = shown[seat]
        if left is not None:
            shown[seat] = max(0, left - max(0, round(elapsed * 1000)))
        return shown
