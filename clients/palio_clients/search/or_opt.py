"""Or-opt: take up to three cities in a row out of a tour and put them in somewhere else, as they are or turned round.

Or, "Traveling salesman-type combinatorial problems and their relation to the logistics of regional blood banking",
dissertation, Northwestern University (1976).
"""

from collections.abc import Iterator, Sequence

from palio_clients.search.improved import Improved, Stop, never
from palio_clients.search.tour_descent import LEAST_GAIN, Gain, Tours, descend
from palio_clients.search.tours import Cycle, Distance, Near

LONGEST = 3  # cities that are moved at once


def or_opt(
    start: Sequence[int], distance: Distance, *, near: Near | None = None, stop: Stop = never
) -> Improved[tuple[int, ...]]:
    """Make a tour shorter by moving rows of up to three cities, until none gives any gain.

    `start` has each city's index once; `distance[a][b]` is symmetric, in any unit. The result is Or-optimal: no such
    row can be put between two other neighbours, either way round, so that the tour becomes shorter. With `near`, for
    each city some others, that is not promised: only cities in these lists are brought together. `stop(length)` is
    asked at each city; True ends it.

    Returns an Improved: the tour, its length, and the steps; a step is a look at one city.
    """
    return descend(start, Tours(distance, near), [or_opt_from, or_opt_beside], stop)


def or_opt_from(cycle: Cycle, tours: Tours, city: int) -> Gain | None:
    """Move a row that ends in `city` if that makes the tour shorter; the first such row, to the first such place.

    A move gives up three legs and makes three new ones. Where it gains, one can go along all of them in turn, old, new,
    old, new, so that one has gained at every point on the way: Lin and Kernighan, "An effective heuristic algorithm for
    the traveling-salesman problem", Operations Research 21 (1973). Hence a new leg of the row is shorter than its old
    one or than what it gains to take the row out, and that is looked at here; or it is shorter than the leg into which
    the row goes, which is for `or_opt_beside`.
    """
    distance = tours.distance
    from_city = distance[city]
    for row, before, after in _rows(cycle, city):
        taken = from_city[before] + distance[row[-1]][after] - distance[before][after]
        enough = max(taken, from_city[before])
        for near in tours.near[city]:
            if from_city[near] >= enough:
                break
            for beyond in cycle.beside(near):
                gain = taken + distance[near][beyond] - from_city[near] - distance[row[-1]][beyond]
                if gain > LEAST_GAIN and near not in row and beyond not in row:
                    return _move(cycle, row, before, after, near, beyond, gain)
    return None


def or_opt_beside(cycle: Cycle, tours: Tours, city: int) -> Gain | None:
    """Put a row into one of the two legs of `city` if that makes the tour shorter; the first such row."""
    distance = tours.distance
    from_city = distance[city]
    for beyond in cycle.beside(city):
        for near in tours.near[city]:
            if from_city[near] >= from_city[beyond]:
                break
            for row, before, after in _rows(cycle, near):
                taken = distance[near][before] + distance[row[-1]][after] - distance[before][after]
                gain = taken + from_city[beyond] - from_city[near] - distance[row[-1]][beyond]
                if gain > LEAST_GAIN and city not in row and beyond not in row:
                    return _move(cycle, row, before, after, city, beyond, gain)
    return None


def _rows(cycle: Cycle, city: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """The rows that begin with `city`, in either direction: with the city before it and the one after its last."""
    order, size = cycle.order, len(cycle.order)
    place = cycle.at[city]
    for way in (1, -1):
        row: tuple[int, ...] = ()
        before = order[(place - way) % size]
        for length in range(min(LONGEST, size - 3)):
            row = (*row, order[(place + way * length) % size])
            yield row, before, order[(place + way * (length + 1)) % size]


def _move(cycle: Cycle, row: tuple[int, ...], before: int, after: int, near: int, beyond: int, gain: float) -> Gain:
    """Put the row between `near` and `beyond`, its first city beside `near`; all other stretches stay as they are.

    before [row] after ... near beyond    becomes    before after ... near [row] beyond,
    before [row] after ... beyond near    becomes    before after ... beyond [row turned round] near.
    """
    first, last = row[0], row[-1]
    onwards = (cycle.beside(before)[1] == first) == (cycle.beside(near)[1] == beyond)
    end = near if onwards else beyond  # of what changes places with the row
    cycle.turn(before, first, end)
    cycle.turn(before, end, after)
    if onwards:
        cycle.turn(near, last, first)
    return Gain(gain, (first, last, before, after, near, beyond))
