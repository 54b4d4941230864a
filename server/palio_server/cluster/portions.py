"""How many games one task of Dask carries. A task costs a millisecond of the coordinator, whatever it carries.

Quick games go by the dozen, so that a task takes about a second; long ones go one by one, so that a result is known
when its game is over, and little is lost with a worker.
"""

from collections.abc import Sequence
from itertools import pairwise
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

    @property
    def _ahead(self) -> int:
        return 1 if self.game_s is not None and self.game_s > SLOW_S else AHEAD

    def room(self, places: int, games: int) -> int:
        """How many more games may be handed out, where workers have `places` and `games` are with them."""
        return max(0, places * self._ahead * self.size - games)

    def worth(self, waiting: int, places: int, tasks: int) -> int:
        """How many of those that wait, and for which there is room, are sent now; `tasks` are out.

        While all places have something to do, only whole tasks are: else tasks would stay as small as they were when
        nobody knew yet how long a game takes, each new one as large as the one that has just ended.
        """
        return waiting - waiting % self.size if tasks >= places * self._ahead else waiting

    def cut(self, waiting: Sequence[T], places: int, games: int) -> list[Sequence[T]]:
        """Those that wait, in portions: as large and as equal as may be, but so that all places get something to do.

        `games` are with the workers already.
        """
        count = len(waiting)
        if not count:
            return []
        share = -(-places * count // (count + games))  # of the places
        portions = max(-(-count // self.size), min(count, share))
        ends = [count * number // portions for number in range(portions + 1)]
        return [waiting[begin:end] for begin, end in pairwise(ends)]
