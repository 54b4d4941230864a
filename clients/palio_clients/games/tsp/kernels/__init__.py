"""The travelling salesman compiled: iterated local search with steps of 3-opt, some thousand kicks a second.

Not a twin of the readable `search.double_bridge`, which uses 2-opt and Or-opt: it only obeys the same laws.
"""

import numpy as np

from palio_clients.games.tsp.kernels.iterated import iterate
from palio_clients.games.tsp.kernels.workspace import distances, nearest_neighbour, workspace
from palio_clients.kernels.jit import stop_flag
from palio_clients.search.tours import Improved, Stop, never
from palio_rules.boards.cities import Instance, Tour

__all__ = ["Improver", "warm_up"]

FOREVER = 1 << 62


class Improver:
    """Iterated local search for one instance, from `start` or else from a nearest-neighbour tour.

    The result is never longer than the first tour. The same seed and number of kicks find the same tour, in one call of
    `improve` or in several.
    """

    def __init__(self, instance: Instance, start: Tour | None = None, seed: int = 0) -> None:
        self.instance = instance
        distance, points, self._scale = distances(instance)
        size = instance.size
        if start is None:
            tour = nearest_neighbour(distance, np.int64(seed % size), np.arange(size), np.empty(size, np.int64))
            start = tuple(tour.tolist())
        self._names = start
        self._spaces, self._distance = workspace(distance, points, start, seed % (1 << 64))
        self._found, self._cost = start, instance.length(start)

    @property
    def cost(self) -> float:
        """Return an upper bound of the best tour's length; callable at any time, from any thread."""
        best = int(self._spaces[0]["best"])
        return min(self._cost, best * self._scale.unit + self._scale.slack)

    def improve(self, *, kicks: int = FOREVER, stop: Stop = never) -> Improved[Tour]:
        """Improve for so many kicks, or until `stop`, which is called every millisecond. A kick is a step."""
        space = self._spaces[0]
        before = int(space["kicks"])
        with stop_flag(lambda: stop(self.cost)) as flag:
            iterate(self._spaces, self._distance, flag, kicks)
        tour = tuple(self._names[city] for city in space["best_order"][: self.instance.size].tolist())
        length = self.instance.length(tour)
        if length < self._cost:
            self._found, self._cost = tour, length
        return Improved(self._found, self._cost, int(space["kicks"]) - before)


def warm_up() -> None:
    instance = Instance.of_points([(0, 0), (9, 1), (5, 7), (2, 8), (7, 3), (1, 4)])
    Improver(instance).improve(kicks=10)
