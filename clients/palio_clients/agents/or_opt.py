"""Makes a tour better and better: improved at every city first, and then anew after each double bridge."""

from dataclasses import replace
from math import inf
from types import ModuleType
from typing import Any

from palio_clients.agents.compiled import kernels_for
from palio_clients.agents.tour_bot import TourBot
from palio_clients.anytime import Stop
from palio_clients.bot import Told
from palio_clients.kernels import missing
from palio_clients.search.double_bridge import iterated
from palio_clients.search.improved import Improved, Steps
from palio_clients.search.tour_descent import Tours
from palio_clients.search.tours import nearest_neighbour
from palio_rules.game import Game
from palio_rules.games.tsp import Position
from palio_rules.games.tsp_instance import Instance, Tour


class OrOptBot(TourBot):
    """Iterated local search: compiled, with steps of 3-opt, or else readable, with 2-opt and Or-opt, saying so.

    `kicks` counts double bridges instead of looking at the time: after so many a better tour is handed in, and if there
    is none, it has no more to give. Then the same `seed` hands in the same tours.
    """

    def __init__(self, seconds: float = 0.0, kicks: int = 0, seed: int = -1) -> None:
        super().__init__(seconds, seed)
        if kicks < 0:
            raise ValueError(f"kicks cannot be negative, got kicks={kicks}")
        self.kicks = kicks
        self._kernels: ModuleType | None = None
        self._improver: Any = None  # of `kernels.tsp`

    def prepare(self, game: Game[Any, Any], options: Any, seat: int) -> None:
        self._kernels = kernels_for(game.name, "or_opt")
        if self._kernels is None:
            super().prepare(game, options, seat)
        elif options.cities or options.distances:  # as there
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
            return iterated(start, tours, self.random, stop=stop)
        enough = Steps(len(start) + self.kicks)  # the first look at each city is a step, too
        found = iterated(start, tours, self.random, stop=lambda cost: enough(cost) or stop(inf))
        stop(found.cost)
        return found

    def told(self) -> Told | None:
        told = super().told()
        return told if told is None or self._kernels else replace(told, text=f"{told.text}; {missing()}")
