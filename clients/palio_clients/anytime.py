"""For anytime races: write how a solution is improved, and leave to this class when one is handed in.

    class Mine(AnytimeBot):
        games = ("tsp",)

        def improve(self, state, stop):
            while not stop(self.cost):
                ...
            return self.tour

In an anytime race the turn stays with its bot until the bell, each move is a whole solution, and the best one counts.
Better ones are worth handing in as they are found, for viewers and in case of a crash; but all of them would fill the
record.
"""

import time
from abc import abstractmethod
from collections.abc import Callable
from math import inf
from typing import Any

from palio_clients.bot import Bot
from palio_clients.clock import Clock
from palio_clients.failures import Resign
from palio_rules.game import Game

PAUSE_S = 0.25  # between two answers
LAST_CALL_S = 0.1  # before the bell, when what is at hand is handed in
BELL_S = 2.0  # after the bell, for it to be heard
PATIENCE_S = 3.0  # without an improvement, where neither a setting nor a clock ends the race

Stop = Callable[[float], bool]


class AnytimeBot(Bot):
    """A bot for anytime races. Only `improve` must be written."""

    def __init__(self, seconds: float = 0.0) -> None:
        """`seconds`: how long it goes on without an improvement. 0: until the bell; 3 s where there is none."""
        if not 0 <= seconds < inf:
            raise ValueError(f"seconds cannot be negative, and must be finite, got seconds={seconds:g}")
        self.seconds = seconds
        self._best = inf  # the least cost that `improve` has told
        self._since: float | None = None  # when that was

    @abstractmethod
    def improve(self, state: Any, stop: Stop) -> Any:
        """Look for a better solution until `stop` says so, and give the best one so far.

        Call `stop(cost)` with the cost of the best one so far, many times a second. It is called again with the next
        turn: remember in `self` where to go on. `state` has the best solution handed in. To come back before `stop`
        says so, with nothing better than that or None, means that there is no more to give.
        """

    def choose(self, state: Any, clock: Clock) -> Any:
        """A solution better than the last one. Raises Resign, "no more to give", where none is found."""
        handed_in = _cost(self.game, state)
        found = self.improve(state, self._stop(handed_in, clock))
        if found is not None and _cost(self.game, state.play(found)) < handed_in:
            return found
        if clock.expired():
            clock.wait(BELL_S)
        raise Resign

    def _stop(self, handed_in: float, clock: Clock) -> Stop:
        """Says so at the bell, when patience is at its end, or when it is time to hand in something better.

        That is at once for the first solution, then after a pause each, and once more just before the bell.
        """
        began = time.monotonic()
        self._since = self._since or began
        last_call = clock.deadline - LAST_CALL_S
        due = began if handed_in == inf else min(began + PAUSE_S, last_call) if began < last_call else inf
        patience = self.seconds or (PATIENCE_S if clock.deadline == inf else inf)

        def stop(cost: float) -> bool:
            now = time.monotonic()
            if cost < self._best:
                self._best, self._since = cost, now
            assert self._since is not None
            return (cost < handed_in and now >= due) or now - self._since >= patience or clock.expired()

        return stop


def _cost(game: Game[Any, Any], state: Any) -> float:
    cost = game.cost(state)
    return inf if cost is None else cost
