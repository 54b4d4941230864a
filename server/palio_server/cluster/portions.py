"""How many games one task of Dask carries. A task costs a millisecond of the coordinator, whatever it carries.

Quick games go by the dozen, so that a task takes about a second; long ones go one by one, so that a result is known
when its game is over, and little is lost with a worker.
"""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

TASK_S = 1.0  # how long a task should take
MOST = 64  # games in one
AHEAD = 2  # tasks for each free place of a worker: one is played, the next one is there already
SLOW_S = 5.0  # of longer games none waits at a worker: another one may be free sooner
WEIGHT = 0.2  # of the newest task in what is thought of the time for a game


class Portions:
    """Sizes of tasks, by what games have taken so far."""

    def __init__(self) -> None:
        self.game_s: float | None = None  # on average; None: nobody knows yet

    def note(self, games: int, seconds: float) -> None:
        """A task with so many games took so long at its worker."""
        if games < 1:
            return
        each = max(seconds, 0.0) / games
        self.game_s = each if self.game_s is None else (1 - WEIGHT) * self.game_s + WEIGHT * each

    @property
    def size(self) -> int:
        """Games in the next task."""
        if self.game_s is None:
            return 1
        return max(1, min(MOST, int(TASK_S / max(self.game_s, 1e-6))))

    def room(self, places: int, games: int) -> int:
        """How many more games may be handed out, where workers have `places` and `games` are with them."""
        ahead = 1 if self.game_s is not None and self.game_s > SLOW_S else AHEAD
        return max(0, places * ahead * self.size - games)

    def cut(self, waiting: Sequence[T], places: int, games: int) -> list[Sequence[T]]:
        """Those that wait, in portions: as large as may be, but so that all places get something to do.

        `games` are with the workers already.
        """
        share = -(-(len(waiting) + games) // (AHEAD * max(1, places)))
        size = max(1, min(self.size, share))
        return [waiting[begin : begin + size] for begin in range(0, len(waiting), size)]
