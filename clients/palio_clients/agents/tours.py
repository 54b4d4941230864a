"""Bots for the travelling salesman: each improves one tour from turn to turn."""

from abc import abstractmethod
from dataclasses import replace
from math import inf
from types import ModuleType
from typing import Any

from palio_clients.agents.pace import kernels_for
from palio_clients.agents.random import generator
from palio_clients.games.tsp.landscape import TourLandscape, distances
from palio_clients.kernels import missing
from palio_clients.sdk.anytime import AnytimeBot, Stop
from palio_clients.sdk.bot import Told
from palio_clients.search.local_search import random_restarts
from palio_clients.search.tours import Improved, Steps, Tours, iterated_local_search, near_cities, nearest_neighbour
from palio_rules.boards.cities import Instance, Tour
from palio_rules.game import Game, Options
from palio_rules.games.tsp import Position, TspOptions

NEAR = 8  # cities beside which a city may be put; with more of them each step costs more than it brings


class TourBot(AnytimeBot[Position, Tour]):
    """What both have in common: the instance as tables, and the tour from which they go on.

    It submits tours that are better than all before, a few a second. After `seconds` without a better one it resigns; 0
    goes on until time is up, for 3 s where no clock ends the race, or until it has looked nine times as long as it took
    to find its best tour, and for 3 s at least, without finding a better one. The same `seed` takes the same steps, -1
    different ones each time.
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
        """The tour to begin with."""

    @abstractmethod
    def search(self, start: Tour, tours: Tours, stop: Stop) -> Improved[Tour]:
        """The best tour that can be found from `start` until `stop`; `start` is the best one so far."""

    def prepare(self, game: Game[Position, Tour], options: Options, seat: int) -> None:
        if _has_instance(options):  # else it is drawn at random, and the first turn brings it
            self.tours = tours_of(game.start(options).instance)

    def improve(self, state: Position, stop: Stop) -> Tour:
        self.tours = self.tours or tours_of(state.instance)
        start = self.tour or state.best or self.first(self.tours)  # `best`: this bot has crashed and is back
        return self.note(self.search(start, self.tours, stop))

    def note(self, found: Improved[Tour]) -> Tour:
        """Remember what was found, and tell the viewers."""
        self.tour, self.steps = found.state, self.steps + found.steps
        self.tell(nodes=self.steps, score=-float(found.cost), text=f"{found.cost:.10g} after {self.steps} steps")
        return found.state


class HillClimbingBot(TourBot):
    """Climbs from random tours, over and over: local search as CS2109S (National University of Singapore) teaches it.

    Hill climbing with random restarts; the small changes are those of 2-opt between cities that are near.
    """

    def first(self, tours: Tours) -> Tour:
        return TourLandscape(tours).somewhere(self.random)

    def search(self, start: Tour, tours: Tours, stop: Stop) -> Improved[Tour]:
        return random_restarts(start, TourLandscape(tours), self.random, stop=stop)


class OrOptBot(TourBot):
    """Iterated local search: compiled, with steps of 3-opt, or else readable, with 2-opt and Or-opt, which it says.

    `kicks` counts double bridges instead of looking at the time: after so many it submits a better tour, or resigns if
    there is none. Then the same `seed` submits the same tours.
    """

    def __init__(self, seconds: float = 0.0, kicks: int = 0, seed: int = -1) -> None:
        super().__init__(seconds, seed)
        if kicks < 0:
            raise ValueError(f"kicks cannot be negative, got kicks={kicks}")
        self.kicks = kicks
        self._kernels: ModuleType | None = None
        self._improver: Any = None  # of `games.tsp.kernels`

    def prepare(self, game: Game[Position, Tour], options: Options, seat: int) -> None:
        self._kernels = kernels_for(game.name, "or_opt")
        if self._kernels is None:
            super().prepare(game, options, seat)
        elif _has_instance(options):  # as there
            self._begin(game.start(options).instance, None)

    def improve(self, state: Position, stop: Stop) -> Tour:
        if self._kernels is None:
            return super().improve(state, stop)
        if self._improver is None or (self.tour is None and state.best is not None):  # this bot has crashed and is back
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
        enough = Steps(len(start) + self.kicks)  # the first look at each city is a step, too
        found = iterated_local_search(start, tours, self.random, stop=lambda cost: enough(cost) or stop(inf))
        stop(found.cost)
        return found

    def told(self) -> Told | None:
        told = super().told()
        return told if told is None or self._kernels else replace(told, text=f"{told.text}; {missing()}")


def _has_instance(options: Options) -> bool:
    """Whether the settings of the match say which cities there are."""
    assert isinstance(options, TspOptions)
    return bool(options.cities or options.distances)


def tours_of(instance: Instance) -> Tours:
    """The instance as the searches want it."""
    distance = distances(instance)
    return Tours(distance, near_cities(distance, NEAR))
