"""2-opt: where two legs of a tour cross, uncross them.

Croes, "A method for solving traveling-salesman problems", Operations Research 6 (1958). With lists of near cities and
don't-look bits: Bentley, "Fast algorithms for geometric traveling salesman problems", ORSA Journal on Computing 4
(1992).
"""

from collections.abc import Sequence

from palio_clients.search.improved import Improved, Stop, never
from palio_clients.search.tour_descent import LEAST_GAIN, Gain, Tours, descend
from palio_clients.search.tours import Cycle, Distance, Near


def two_opt(
    start: Sequence[int], distance: Distance, *, near: Near | None = None, stop: Stop = never
) -> Improved[tuple[int, ...]]:
    """Make a tour shorter by reversing stretches of it, until none gives any gain.

    `start` has each city's index once; `distance[a][b]` is symmetric, in any unit. The result is 2-optimal: no two legs
    can be replaced by two others that together are shorter. With `near`, for each city some others, this holds only
    for new legs of which one joins a city to one of its near ones. `stop(length)` is asked at each city; True ends it.

    Returns an Improved: the tour, its length, and the steps; a step is a look at one city.
    """
    return descend(start, Tours(distance, near), [two_opt_at], stop)


def two_opt_at(cycle: Cycle, tours: Tours, city: int) -> Gain | None:
    """Turn one stretch that ends beside `city`, if that makes the tour shorter; the first such stretch.

    Of two new legs that are shorter than two old ones, one is shorter than an old one with which it shares a city.
    So it is enough to look at those cities that are nearer than the neighbour whose leg is given up.
    """
    distance, order, at, size = tours.distance, cycle.order, cycle.at, len(cycle.order)
    from_city, place = distance[city], at[city]
    for way in (1, -1):
        neighbour = order[(place + way) % size]
        old = from_city[neighbour]
        for near in tours.near[city]:
            if from_city[near] >= old:
                break
            beyond = order[(at[near] + way) % size]
            gain = old + distance[near][beyond] - from_city[near] - distance[neighbour][beyond]
            if gain > LEAST_GAIN:
                cycle.turn(city, neighbour, near)
                return Gain(gain, (city, neighbour, near, beyond))
    return None
