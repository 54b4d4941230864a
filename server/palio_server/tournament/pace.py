"""How fast the games of an event end, and when the last one will. Pure: whoever asks says what time it is."""

from collections import deque

WINDOW_S = 180.0  # the last minutes say more than the first: other bots play, the machine does other things
FEW = 10  # games: fewer in the window say little, and all of them are asked


class Pace:
    """Games over time. Times are in seconds, on any clock that never goes back."""

    def __init__(self, began: float, window_s: float = WINDOW_S) -> None:
        self._began = began
        self._window = window_s
        self._games = 0  # in all
        self._recent: deque[tuple[int, int]] = deque()  # whole seconds, and how many games were over in each
        self._in_window = 0

    def note(self, now: float, games: int = 1) -> None:
        """So many more games are over."""
        self._games += games
        self._in_window += games
        if self._recent and self._recent[-1][0] == int(now):
            games += self._recent.pop()[1]
        self._recent.append((int(now), games))
        self._forget(now)

    def per_s(self, now: float) -> float | None:
        """Games a second, over the last minutes; None before the first one is over."""
        self._forget(now)
        if not self._games or now <= self._began:
            return None
        if self._in_window < FEW:
            return self._games / (now - self._began)
        return self._in_window / min(self._window, now - self._began)

    def seconds_left(self, now: float, games: int) -> float | None:
        """How long so many games more will take; None before the first one is over."""
        pace = self.per_s(now)
        return None if pace is None else games / pace

    def _forget(self, now: float) -> None:
        while self._recent and self._recent[0][0] < now - self._window:
            self._in_window -= self._recent.popleft()[1]
