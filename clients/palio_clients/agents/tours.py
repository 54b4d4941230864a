"""Bots for the travelling salesman: each improves one tour from turn to turn."""

from abc import abstractmethod
from dataclasses import replace
from math import inf
from types import ModuleType
from typing import Any

from palio_clients.agents.random import generator
from palio_clients.agents.thinking_time import kernels_for
from palio_clients.games.tsp.landscape import TourLandscape, distances
from palio_clients.kernels import missing
from palio_clients.sdk.anytime import AnytimeBot, Stop
from palio_clients.sdk.bot import Told
from palio_clients.search.local_search import random_restarts
from palio_clients.search.tours import Improved, Steps, Tours, iterated_local_search, near_cities, nearest_neighbour
from palio_rules.boards.cities import Instance, Tour
from palio_rules.game import Game, Options
from palio_rules.games.tsp import Position, TspOptions

NEAR = 8  # cities beside which a city may be put; with more, a step costs more time than it gains


class TourBot(AnytimeBot[Position, Tour]):
    """The base of both bots: the instance as tables, and the current tour.

    It submits tours that are better than all before, a few a second. After `seconds` without a better one it resigns.
    With 0 it continues until time is up, or for 3 s if no clock ends the race, or until the search has taken nine times
    as long as it took to find its best tour, and at least 3 s, without a better one. The same `seed` takes the same
    steps, -1 different ones each time.
    """

    games = ("tsp",)
    enough = 9.0

    def __init__(self, seconds: float = 0.0, seed: int = -1) -> None:
        super().__init__(seconds)
        self.random = generator(seed)
        self.tours: Tours | None = None
        self.tour: Tour | None = None
        self.steps = 0

    @abstractmethod
    def first(self, tours: Tours) -> Tour:
        """Return the tour to begin with."""

    @abstractmethod
    def search(self, start: Tour, tours: Tours, stop: Stop) -> Improved[Tour]:
        """Return the best tour that is found from `start` until `stop`; `start` is the best one so far."""

    def prepare(self, game: Game[Position, Tour], options: Options, seat: int) -> None:
        if _has_instance(options):  # else the instance is random, and comes with the first turn
            self.tours = tours_of(game.start(options).instance)

    def improve(self, state: Position, stop: Stop) -> Tour:
        self.tours = self.tours or tours_of(state.instance)
        start = self.tour or state.best or self.first(self.tours)  # `best`: this bot has crashed and returned
        return self.note(self.search(start, self.tours, stop))

    def note(self, found: Improved[Tour]) -> Tour:
        """Store the result, and report it to viewers."""
        self.tour, self.steps = found.state, self.steps + found.steps
        self.tell(nodes=self.steps, score=-float(found.cost), text=f"{found.cost:.10g} after {self.steps} steps")
        return found.state


class HillClimbingBot(TourBot):
    """A bot that climbs from random tours repeatedly, as taught by CS2109S (National University of Singapore).

    Hill climbing with random restarts; the small changes are 2-opt between cities that are near.
    """

    def first(self, tours: Tours) -> Tour:
        return TourLandscape(tours).somewhere(self.random)

    def search(self, start: Tour, tours: Tours, stop: Stop) -> Improved[Tour]:
        return random_restarts(start, TourLandscape(tours), self.random, stop=stop)


class OrOptBot(TourBot):
    """A bot with iterated local search: compiled, with 3-opt, or else readable, with 2-opt and Or-opt, with a remark.

    `kicks` counts double bridges instead of time: after so many it submits a better tour, or resigns if there is none.
    Then the same `seed` submits the same tours.
    """

    def __init__(self, seconds: float = 0.0, kicks: int = 0, seed: int = -1) -> None:
        super().__init__(seconds, seed)
        if kicks < 0:
            raise ValueError(f"kicks cannot be negative, got kicks={kicks}")
        self.kicks = kicks
        self._kernels: ModuleType | None = None
        self._improver: Any = None  # of `games.tsp.kernels`

    @classmethod
    def warm_up(cls, game: Game[Any, Any]) -> None:
        kernels_for(game.name, "or_opt")

    def prepare(self, game: Game[Position, Tour], options: Options, seat: int) -> None:
        self._kernels = kernels_for(game.name, "or_opt")
        if self._kernels is None:
            super().prepare(game, options, seat)
        elif _has_instance(options):  # as in `TourBot.prepare`
            self._begin(game.start(options).instance, None)

    def improve(self, state: Position, stop: Stop) -> Tour:
        if self._kernels is None:
            return super().improve(state, stop)
        if self._improver is None or (self.tour is None and state.best is not None):  # this bot crashed and returned
            self._begin(state.instance, state.best)
        if self.kicks:
            found = self._improver.improve(kicks=self.kicks, stop=lambda _cost: stop(inf))
            stop(found.cost)
        else:
            found = self._improver.improve(stop=stop)
        return self.note(found)

    def _begin(self, instance: Instance, start: Tour | None) -> None:
        assert self._kernels is not None
        self._improver = self._kernels.Improver(instance, start, self.random.getrandbits(62))

    # --- the readable search ---------------------------------------------------------------------------------------

    def first(self, tours: Tours) -> Tour:
        return nearest_neighbour(tours.distance, int(self.random.random() * len(tours.distance)))

    def search(self, start: Tour, tours: Tours, stop: Stop) -> Improved[Tour]:
        if not self.kicks:
            return iterated_local_search(start, tours, self.random, stop=stop)
        enough = Steps(len(start) + self.kicks)  # the first visit of each city is a step, too
        found = iterated_local_search(start, tours, self.random, stop=lambda cost: enough(cost) or stop(inf))
        stop(found.cost)
        return found

    def told(self) -> Told | None:
        told = super().told()
        return told if told is None or self._kernels else replace(told, text=f"{told.text}; {missing()}")


def _has_instance(options: Options) -> bool:
    """Return whether the settings of the match contain the cities."""
    assert isinstance(options, TspOptions)
    return bool(options.cities or options.distances)


def tours_of(instance: Instance) -> Tours:
    """Return the instance in the form of the searches."""
    distance = distances(instance)
    return Tours(distance, near_cities(distance, NEAR))
