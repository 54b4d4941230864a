"""Which bots have lost their connection, and until when each may come back."""

from math import inf


class Attendance:
    """The absences of one match. All absences of a seat share one grace; times are the event loop's seconds."""

    def __init__(self, seats: int, grace_ms: int) -> None:
        self._grace = grace_ms / 1000
        self._away = [0.0] * seats  # how long each was away in absences that are over
        self._since: dict[int, float] = {}  # absent seats, in the order in which they left

    def __contains__(self, seat: int) -> bool:
        """True while the bot in `seat` is connected."""
        return seat not in self._since

    def leave(self, seat: int, at: float) -> bool:
        """The bot in `seat` lost its connection at `at`. False if it was absent already."""
        if seat in self._since:
            return False
        self._since[seat] = at
        return True

    def come_back(self, seat: int, at: float) -> bool:
        """The bot in `seat` is back at `at`. False if it was not absent."""
        if (since := self._since.pop(seat, None)) is None:
            return False
        self._away[seat] = min(self._grace, self._away[seat] + max(0.0, at - since))
        return True

    def away(self, seat: int) -> float:
        """How long `seat` was away in absences that are over, in seconds."""
        return self._away[seat]

    def forget(self, seat: int) -> None:
        """`seat` is out of the match, its absence matters no more."""
        self._since.pop(seat, None)

    def grace_ms(self, seat: int, at: float) -> int:
        """What `seat` has left at `at`, of this absence or for the next."""
        absent = max(0.0, at - self._since.get(seat, at))
        return max(0, round((self._grace - self._away[seat] - absent) * 1000))

    def next_loss(self) -> tuple[float, int]:
        """When a grace is over, and whose; of two at once the lower seat's. (infinity, -1) if nobody is absent."""
        if not self._since:  # nearly always, and asked at every turn
            return inf, -1
        ends = ((since + self._grace - self._away[seat], seat) for seat, since in self._since.items())
        return min(ends)
