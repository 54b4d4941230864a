"""The time of each seat. Pure arithmetic: the caller knows when a turn began and how long it took.

Each seat may have a time control of its own. A clock starts at `base_ms`, loses the time of each turn, never falls
below zero, and gains `increment_ms` for every accepted move, and `base_ms` again after each `moves` of them. If there
is also a limit for one move, the earlier of the two limits counts. The network margin moves every deadline, but never a
clock. Where a move gains nothing, margin that was used is gone, because otherwise an empty clock would never end a
match. With byo-yomi a clock has main time and all periods together at the start: it is the time until it flags, and
`palio_rules.byoyomi` says what a move leaves of it. Used time is kept in whole milliseconds, so that clocks can be
rebuilt exactly from a journal.
"""

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from palio_rules.records.record import Ply
from palio_rules.time_control import TimeControl


class SeatClocks:
    """The clocks of one match. `left_ms` has one entry for each seat; None means that the seat has no clock."""

    def __init__(self, times: Sequence[TimeControl]) -> None:
        """Start the clocks of the seats with these time controls."""
        self.times = times
        self.left_ms: list[int | None] = [time.first_ms for time in times]
        self._margins_ms = [time.margin_ms for time in times]  # the margin that is left
        self._moves = [0] * len(times)  # accepted moves of each seat
        self._stones = [0 if time.byoyomi is UNSET else time.byoyomi.first_stones for time in times]

    def limit_ms(self, seat: int) -> int | None:
        """Return the time that `seat` may use for its next move, without the margin; None if it has no limit."""
        left, move = self.left_ms[seat], self.times[seat].move_ms
        if left is None:
            return move
        return left if move is None or left <= move else move

    def deadline(self, seat: int, posted_at: float) -> float | None:
        """Return the last moment (seconds) at which an answer to a turn posted at `posted_at` is in time; None for no
        deadline.
        """
        allowed_s = self.allowed_s(seat)
        return None if allowed_s is None else posted_at + allowed_s

    def allowed_s(self, seat: int) -> float | None:
        """Return the seconds that the next move of `seat` may take, with the margin; None if it has no limit."""
        limit = self.limit_ms(seat)
        return None if limit is None else (limit + self._margins_ms[seat]) / 1000

    def overstepped(self, seat: int) -> str:
        """Return the limit that `seat` misses first: "flag-fell" for its clock, "move-limit" for the
        time of one move.
        """
        left, move = self.left_ms[seat], self.times[seat].move_ms
        return "flag-fell" if left is not None and (move is None or left <= move) else "move-limit"

    def spend(self, seat: int, elapsed: float) -> int:
        """Charge `seat` for a move that took `elapsed` seconds; return the whole milliseconds charged to its clock."""
        used = max(0, round(elapsed * 1000))
        self.charge(seat, used)
        return used

    def charge(self, seat: int, used_ms: int) -> None:
        """Take `used_ms` from the clock of `seat` for an accepted move, then add what it gains."""
        self._moves[seat] += 1
        left, byoyomi = self.left_ms[seat], self.times[seat].byoyomi
        if left is None:
            return
        if byoyomi is UNSET:
            gain = self.times[seat].gain_ms(self._moves[seat])
            after = max(0, left - used_ms) + gain
        else:
            after, self._stones[seat] = byoyomi.after(left, used_ms, self._stones[seat])
            gain = after  # a move that leaves 0 gained nothing
        self.left_ms[seat] = after
        if used_ms > left and not gain:
            self._margins_ms[seat] = max(0, self._margins_ms[seat] - (used_ms - left))

    def moves_to_go(self, seat: int) -> int | None:
        """Return how many moves `seat` has until its clock gains its time again, the next one included; None: never.

        In Canadian byo-yomi these are the moves to play in the period; in main time None.
        """
        left, byoyomi = self.left_ms[seat], self.times[seat].byoyomi
        if left is not None and byoyomi is not UNSET:
            return None if byoyomi.stones is UNSET or left > byoyomi.reserve_ms else self._stones[seat]
        return self.times[seat].moves_to_go(self._moves[seat] + 1)

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
