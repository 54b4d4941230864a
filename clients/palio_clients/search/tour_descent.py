"""Making a tour shorter city by city until no city gives any gain.

The queue of cities that are worth a look holds what others call don't-look bits: Bentley, "Fast algorithms for
geometric traveling salesman problems", ORSA Journal on Computing 4 (1992).
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from palio_clients.search.improved import Improved, Stop
from palio_clients.search.tours import Cycle, Distance, Near, length_of, near_cities

LEAST_GAIN = 1e-6  # less may be what rounding leaves of nothing, and would go round in circles


class Tours:
    """An instance for searches of tours: all distances, and for each city those to which better legs may lead."""

    def __init__(self, distance: Distance, near: Near | None = None) -> None:
        """`distance[a][b]` is symmetric, in any unit; without `near` each city's list has all others."""
        self.distance = distance
        self.near = near_cities(distance) if near is None else near


class Gain(NamedTuple):
    """A change that was made: by how much it shortened the tour, and the cities where legs are new."""

    length: float
    cities: tuple[int, ...]


class Settled(NamedTuple):
    length: float
    steps: int
    stopped: bool  # before all was settled


Change = Callable[[Cycle, Tours, int], Gain | None]  # shortens the tour at a city, if it can


def descend(start: Sequence[int], tours: Tours, changes: Collection[Change], stop: Stop) -> Improved[tuple[int, ...]]:
    """Shorten a tour by `changes` until no city gives any gain, or `stop` says so.

    A gain may open up another one at a city that was not in the queue any more; so all are asked again until a whole
    round gives nothing.
    """
    cycle, steps = Cycle(start), 0
    length = length_of(start, tours.distance)
    while True:
        found = settle(cycle, tours, changes, start, length, stop)
        steps += found.steps
        cycle.keep()
        if found.stopped or found.length == length:
            tour = tuple(cycle.order)
            return Improved(tour, length_of(tour, tours.distance), steps)
        length = found.length


def settle(
    cycle: Cycle, tours: Tours, changes: Collection[Change], cities: Iterable[int], length: float, stop: Stop
) -> Settled:
    """Shorten the tour, whose length is `length`, at `cities` and then wherever its legs are new."""
    queue = deque(dict.fromkeys(cities))
    queued, steps = set(queue), 0
    while queue:
        if stop(length):
            return Settled(length, steps, stopped=True)
        steps += 1
        city = queue.popleft()
        queued.remove(city)
        for change in changes:
            while (gain := change(cycle, tours, city)) is not None:
                length -= gain.length
                fresh = [each for each in dict.fromkeys(gain.cities) if each not in queued and each != city]
                queue.extend(fresh)
                queued.update(fresh)
    return Settled(length, steps, stopped=False)
