"""When the others hear that a seat is absent or back: the first times at once, then once in a while.

A bot may lose its connection again and again, and whoever plays it shall not be told a hundred times a minute. The last
state always arrives. Nothing else depends on it: clocks and the grace go by what really happened (`attendance.py`).
"""

from math import inf

AT_ONCE = 6  # announcements about one seat: three absences
PAUSE_S = 5.0  # later on, between two of them


class Announcements:
    """What the others have been told about each seat; times are the event loop's seconds."""

    def __init__(self, seats: int) -> None:
        self.due = inf  # when something that waits is to be announced
        self._told = [True] * seats  # present, as far as the others know
        self._full_at = [-inf] * seats  # when so many may be made at once again
        self._waiting: dict[int, float] = {}  # until when, by seat

    def now(self, seat: int, at: float, *, present: bool) -> bool:
        """Whether it is announced at once that `seat` is present since `at`, or absent; if not, it waits."""
        self._waiting.pop(seat, None)
        announced = False
        if present is not self._told[seat]:
            full_at = max(self._full_at[seat], at)
            earliest = full_at - (AT_ONCE - 1) * PAUSE_S
            if announced := earliest <= at:
                self._note(seat, full_at)
            else:
                self._waiting[seat] = earliest
        self._set_due()
        return announced

    def take_due(self, at: float) -> list[int]:
        """Seats about which the others are told now what has waited."""
        seats = [seat for seat, due in self._waiting.items() if due <= at]
        for seat in seats:
            del self._waiting[seat]
            self._note(seat, max(self._full_at[seat], at))
        self._set_due()
        return seats

    def forget(self, seat: int) -> None:
        """`seat` is out."""
        self._waiting.pop(seat, None)
        self._set_due()

    def _note(self, seat: int, full_at: float) -> None:
        self._full_at[seat] = full_at + PAUSE_S
        self._told[seat] = not self._told[seat]

    def _set_due(self) -> None:
        self.due = min(self._waiting.values(), default=inf)
