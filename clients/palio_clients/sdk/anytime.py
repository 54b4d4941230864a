"""The base class for anytime races: a bot improves a solution, and this class decides when to submit one.

    class Mine(AnytimeBot):
        games = ("tsp",)

        def improve(self, state, stop):
            while not stop(self.cost):
                ...
            return self.tour

In an anytime race the turn stays with its bot until time is up, each move is a whole solution, and the best one counts.
So a bot submits better ones as it finds them: viewers see them, and a crash does not lose them. It pauses in between,
because all of them would fill the record.
"""

import time
from abc import abstractmethod
from collections.abc import Callable
from math import inf
from typing import ClassVar

from palio_clients.sdk.bot import Bot, MoveT, StateT
from palio_clients.sdk.clock import Clock
from palio_clients.sdk.failures import Resign
from palio_rules.game import Game

PAUSE_S = 0.25  # between two answers
LAST_CALL_S = 0.1  # before time is up: the last submission of the best solution
OVER_S = 2.0  # after time is up, for the referee to end the race
PATIENCE_S = 3.0  # without an improvement, if neither a setting nor a clock ends the race

Stop = Callable[[float], bool]


class AnytimeBot(Bot[StateT, MoveT]):
    """A bot for anytime races. Only `improve` must be written.

    `enough`: a bot that finds nothing better for so many times as long as the best solution took, and for 3 s at least,
    resigns, so that viewers do not watch an unchanged board: the best solution counts. Infinite: it never resigns
    early.
    """

    enough: ClassVar[float] = inf

    def __init__(self, seconds: float = 0.0) -> None:
        """Set `seconds`: how long it goes on without an improvement. 0: until time is up; 3 s without a clock."""
        if not 0 <= seconds < inf:
            raise ValueError(f"seconds cannot be negative, and must be finite, got seconds={seconds:g}")
        self.seconds = seconds
        self._best = inf  # the least cost that `improve` has reported
        self._since: float | None = None  # the time of that
        self._first: float | None = None  # the start of the search

    @abstractmethod
    def improve(self, state: StateT, stop: Stop) -> MoveT | None:
        """Search for a better solution until `stop` returns True, and return the best one so far.

        Call `stop(cost)` with the cost of the best one so far, many times a second. `improve` is called again with the
        next turn: keep in `self` where to go on. `state` has the best solution that was submitted. If it returns before
        `stop`, with nothing better than that or with None, the bot has nothing more to submit.
        """

    def choose(self, state: StateT, clock: Clock) -> MoveT:
        """Return a solution better than the last one. Raises Resign ("nothing more to submit") if none is found."""
        submitted = _cost(self.game, state)
        found = self.improve(state, self._stop(submitted, clock))
        if found is not None and _cost(self.game, state.play(found)) < submitted:
            return found
        if clock.expired():
            clock.wait(OVER_S)
        raise Resign

    def _stop(self, submitted: float, clock: Clock) -> Stop:
        """Return a function that is True when time or patience is up, or when it is time to submit something better.

        That is at once for the first solution, then after a pause each, and once more just before time is up.
        """
        began = time.monotonic()
        self._since = self._since or began
        first = self._first = self._first or began
        last_call = clock.deadline - LAST_CALL_S
        due = began if submitted == inf else min(began + PAUSE_S, last_call) if began < last_call else inf
        patience = self.seconds or (PATIENCE_S if clock.deadline == inf else inf)

        def stop(cost: float) -> bool:
            now = time.monotonic()
            if cost < self._best:
                self._best, self._since = cost, now
            assert self._since is not None
            quiet = now - self._since
            settled = self.enough < inf and not self.seconds and quiet >= self._long_enough(first)
            return (cost < submitted and now >= due) or quiet >= patience or settled or clock.expired()

        return stop

    def _long_enough(self, first: float) -> float:
        """Return after how many seconds without a better solution the bot assumes that there is none."""
        assert self._since is not None
        return max(PATIENCE_S, self.enough * (self._since - first))


def _cost(game: Game[StateT, MoveT], state: StateT) -> float:
    cost = game.cost(state)
    return inf if cost is None else cost
