"""Tours for local search: near cities, first tours, and a tour that is changed in place.

Bentley, "Fast algorithms for geometric traveling salesman problems", ORSA Journal on Computing 4 (1992): lists of near
cities, and an array of the order with the place of each city in it.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from random import Random
from typing import Generic, NamedTuple, Protocol, TypeVar

Distance = Sequence[Sequence[float]]  # distance[a][b], from city a to city b, the same in either direction
Near = Sequence[Sequence[int]]  # for each city some others, the nearest first


def near_cities(distance: Distance, most: int | None = None) -> Near:
    """Sort the other cities by distance, for each city.

    Returns for each city the indexes of its `most` nearest ones, nearest first; of all others if `most` is None.
    """
    cities = range(len(distance))
    found = []
    for city, row in enumerate(distance):
        order = sorted(cities, key=row.__getitem__)
        order.remove(city)  # not simply the first: others may stand on the same spot
        found.append(order[:most])
    return found


def nearest_neighbour(distance: Distance, start: int = 0) -> tuple[int, ...]:
    """Go from `start` to the nearest city, from there to the nearest of the others, and so on.

    Returns a tour: each city's index once. It is some 25 % longer than the best one where cities are spread at random;
    Johnson and McGeoch, "The traveling salesman problem: a case study", in: Local Search in Combinatorial Optimization
    (1997).
    """
    left, tour = set(range(len(distance))) - {start}, [start]
    while left:
        tour.append(min(left, key=distance[tour[-1]].__getitem__))
        left.remove(tour[-1])
    return tuple(tour)


def length_of(tour: Sequence[int], distance: Distance) -> float:
    """Add up the legs of a tour.

    Returns its length, the leg back to the first city included, in the unit of `distance`.
    """
    return sum(distance[a][b] for a, b in zip(tour, (*tour[1:], tour[0]), strict=True))


class Cycle:
    """A tour that is changed in place, by reversing stretches of it; every change can be undone.

    Its direction has no meaning, and may change.
    """

    def __init__(self, tour: Sequence[int]) -> None:
        self.order = list(tour)
        self.at = [0] * len(tour)  # the place of each city in `order`
        for place, city in enumerate(tour):
            self.at[city] = place
        self._turned: list[tuple[int, int]] = []  # places, since the last `keep`

    def beside(self, city: int) -> tuple[int, int]:
        """Return the city before it and the one after it."""
        place = self.at[city]
        return self.order[place - 1], self.order[place + 1 - len(self.order)]

    def turn(self, outside: int, first: int, last: int) -> None:
        """Reverse the stretch from `first` to `last`, so that `outside` is not beside `first` but beside `last`."""
        i, j = self.at[first], self.at[last]
        if self.order[i - 1] != outside:
            i, j = j, i
        self._turn(i, j)
        self._turned.append((i, j))

    def keep(self) -> None:
        """Accept the changes: they can no longer be undone."""
        self._turned.clear()

    def take_back(self) -> None:
        """Undo the changes since the last `keep`."""
        while self._turned:
            self._turn(*self._turned.pop())

    def _turn(self, i: int, j: int) -> None:
        """Reverse the places from i to j, which may pass the end of the list, or all others if these are fewer."""
        order, at, size = self.order, self.at, len(self.order)
        if 2 * ((j - i) % size + 1) > size:
            i, j = (j + 1) % size, (i - 1) % size
        if i <= j:
            order[i : j + 1] = order[i : j + 1][::-1]
            for place in range(i, j + 1):
                at[order[place]] = place
            return
        for _ in range(((j - i) % size + 1) // 2):
            a, b = order[i], order[j]
            order[i], order[j] = b, a
            at[b], at[a] = i, j
            i, j = (i + 1) % size, (j - 1) % size


# The interface of local search: a landscape, a stopping criterion, and the best result.
#
# Stopping criteria as small callables: Wouda, Lan and Kool, "PyVRP: a high-performance VRP solver package", INFORMS
# Journal on Computing 36 (2024).

S = TypeVar("S")
C = TypeVar("C")
Stop = Callable[[float], bool]  # called before each step with the cost of the best so far; True ends the search


class Landscape(Protocol[S, C]):
    """The space of a local search: states, each a complete solution, and the small changes between them.

    Its methods return values and change nothing.
    """

    def cost(self, state: S) -> float:
        """Return the cost of the state; lower is better."""

    def somewhere(self, random: Random) -> S:
        """Return a random state."""

    def changes(self, state: S) -> Iterator[tuple[float, C]]:
        """Yield all small changes, each with the cost that it adds; negative for an improvement."""

    def change(self, state: S, random: Random) -> tuple[float, C]:
        """Return one random change, with the cost that it adds."""

    def changed(self, state: S, change: C) -> S:
        """Return the state after `change`."""


class Improved(NamedTuple, Generic[S]):
    """The result of a local search: the best state, which costs no more than the first one, and the number of steps."""

    state: S
    cost: float
    steps: int


def never(_best_cost: float) -> bool:
    return False


class Steps:
    """A `stop` that returns True after `most` calls; several searches that share it share the count."""

    def __init__(self, most: int) -> None:
        self.left = most

    def __call__(self, best_cost: float) -> bool:
        self.left -= 1
        return self.left < 0


class Patience:
    """A `stop` that returns True when the best cost has not improved for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._best: float | None = None
        self._since = time.monotonic()

    def __call__(self, best_cost: float) -> bool:
        now = time.monotonic()
        if self._best is None or best_cost < self._best:
            self._best, self._since = best_cost, now
        return now - self._since >= self._seconds


# Shortening of a tour city by city until no city gives any gain.
#
# The queue of cities to visit has the role of don't-look bits: Bentley, "Fast algorithms for geometric traveling
# salesman problems", ORSA Journal on Computing 4 (1992).

LEAST_GAIN = 1e-6  # a smaller gain may be a rounding error, and would cause an endless loop


class Tours:
    """An instance for searches of tours: all distances, and for each city the candidates for better legs."""

    def __init__(self, distance: Distance, near: Near | None = None) -> None:
        """Set the distances, symmetric, in any unit; without `near` each city's list has all others."""
        self.distance = distance
        self.near = near_cities(distance) if near is None else near


class Gain(NamedTuple):
    """A change that was made: by how much it shortened the tour, and the cities with new legs."""

    length: float
    cities: tuple[int, ...]


class Settled(NamedTuple):
    length: float
    steps: int
    stopped: bool  # before the end


Change = Callable[[Cycle, Tours, int], Gain | None]  # shortens the tour at a city, if it can


def descend(start: Sequence[int], tours: Tours, changes: Collection[Change], stop: Stop) -> Improved[tuple[int, ...]]:
    """Shorten a tour by `changes` until no city gives any gain, or `stop` says so.

    A gain may enable another one at a city that is no longer in the queue; so all cities are visited again until a
    whole round gives nothing.
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
    """Shorten the tour, whose length is `length`, at `cities` and then at all cities with new legs."""
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


# Or-opt: take up to three cities in a row out of a tour and insert them elsewhere, unchanged or reversed.
#
# Or, "Traveling salesman-type combinatorial problems and their relation to the logistics of regional blood banking",
# dissertation, Northwestern University (1976).

LONGEST = 3  # cities that are moved at once


def or_opt(
    start: Sequence[int], distance: Distance, *, near: Near | None = None, stop: Stop = never
) -> Improved[tuple[int, ...]]:
    """Shorten a tour by moving rows of up to three cities, until none gives any gain.

    `start` has each city's index once; `distance[a][b]` is symmetric, in any unit. The result is Or-optimal: no such
    row can be put between two other neighbours, in either direction, so that the tour becomes shorter. With `near`, for
    each city some others, that is not guaranteed: only cities in these lists are brought together. `stop(length)` is
    called at each city; True ends it.

    Returns an Improved: the tour, its length, and the steps; a step is a visit of one city.
    """
    return descend(start, Tours(distance, near), [or_opt_from, or_opt_beside], stop)


def or_opt_from(cycle: Cycle, tours: Tours, city: int) -> Gain | None:
    """Move a row that ends in `city` if that shortens the tour; the first such row, to the first such place.

    A move removes three legs and adds three new ones. If it gains, there is a sequence of all of them, old, new, old,
    new, with a positive gain at every point: Lin and Kernighan, "An effective heuristic algorithm for the
    traveling-salesman problem", Operations Research 21 (1973). Hence a new leg of the row is shorter than its old one
    or than the gain of taking the row out, which is searched here; or it is shorter than the leg into which the row
    goes, which is for `or_opt_beside`.
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
    """Put a row into one of the two legs of `city` if that shortens the tour; the first such row."""
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
    """Yield the rows that begin with `city`, in either direction: with the cities before and after each."""
    order, size = cycle.order, len(cycle.order)
    place = cycle.at[city]
    for way in (1, -1):
        row: tuple[int, ...] = ()
        before = order[(place - way) % size]
        for length in range(min(LONGEST, size - 3)):
            row = (*row, order[(place + way * length) % size])
            yield row, before, order[(place + way * (length + 1)) % size]


def _move(cycle: Cycle, row: tuple[int, ...], before: int, after: int, near: int, beyond: int, gain: float) -> Gain:
    """Put the row between `near` and `beyond`, its first city beside `near`; all other stretches stay unchanged.

    before [row] after ... near beyond    becomes    before after ... near [row] beyond,
    before [row] after ... beyond near    becomes    before after ... beyond [row reversed] near.
    """
    first, last = row[0], row[-1]
    onwards = (cycle.beside(before)[1] == first) == (cycle.beside(near)[1] == beyond)
    end = near if onwards else beyond  # of the part that changes places with the row
    cycle.turn(before, first, end)
    cycle.turn(before, end, after)
    if onwards:
        cycle.turn(near, last, first)
    return Gain(gain, (first, last, before, after, near, beyond))


# 2-opt: where two legs of a tour cross, uncross them.
#
# Croes, "A method for solving traveling-salesman problems", Operations Research 6 (1958). With lists of near cities and
# don't-look bits: Bentley, "Fast algorithms for geometric traveling salesman problems", ORSA Journal on Computing 4
# (1992).


def two_opt(
    start: Sequence[int], distance: Distance, *, near: Near | None = None, stop: Stop = never
) -> Improved[tuple[int, ...]]:
    """Shorten a tour by reversing stretches of it, until none gives any gain.

    `start` has each city's index once; `distance[a][b]` is symmetric, in any unit. The result is 2-optimal: no two legs
    can be replaced by two others that together are shorter. With `near`, for each city some others, this holds only for
    new legs of which one joins a city to one of its near ones. `stop(length)` is called at each city; True ends it.

    Returns an Improved: the tour, its length, and the steps; a step is a visit of one city.
    """
    return descend(start, Tours(distance, near), [two_opt_at], stop)


def two_opt_at(cycle: Cycle, tours: Tours, city: int) -> Gain | None:
    """Reverse one stretch that ends beside `city`, if that shortens the tour; the first such stretch.

    Of two new legs that are shorter than two old ones, one is shorter than an old one with which it shares a city. So
    it is enough to try cities that are nearer than the neighbour whose leg is removed.
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


# Iterated local search for tours: change a good tour at random a little, improve it again, keep it if not longer.
#
# Martin, Otto and Felten, "Large-step Markov chains for the traveling salesman problem", Complex Systems 5 (1991),
# whose double bridge no single 2-opt or Or-opt move can undo; with all changes close together: Applegate, Cook and
# Rohe, "Chained Lin-Kernighan for large traveling salesman problems", INFORMS Journal on Computing 15 (2003).

CHANGES = (two_opt_at, or_opt_from)
FEWEST = 5  # cities of which a double bridge makes another tour
STRETCH = 50  # cities of each of the three stretches, at most


def iterated_local_search(
    start: Sequence[int], tours: Tours, random: Random, *, stop: Stop = never
) -> Improved[tuple[int, ...]]:
    """Improve a tour by 2-opt and Or-opt, and then again after each double bridge, until `stop(length)` returns True.

    `start` has each city's index once; `tours` is the instance. `stop` is called at each city at first, then before
    each bridge; either is a step. With fewer than five cities the first descent finds the best tour, and the search
    ends.

    Returns an Improved: the best tour, its length, and the steps.
    """
    found = descend(start, tours, CHANGES, stop)
    cycle, length, steps = Cycle(found.state), found.cost, found.steps
    while len(start) >= FEWEST and not stop(length):
        steps += 1
        spoilt, cities = double_bridge(cycle, tours, random)
        improved = settle(cycle, tours, CHANGES, cities, length + spoilt, never).length
        if improved <= length:
            length = improved
            cycle.keep()
        else:
            cycle.take_back()
    tour = tuple(cycle.order)
    return Improved(tour, length_of(tour, tours.distance), steps)


def double_bridge(cycle: Cycle, tours: Tours, random: Random) -> tuple[float, tuple[int, ...]]:
    """Exchange three adjacent stretches without reversing any.

    Returns by how much the tour is then longer, and the cities with new legs.

    before [a...b] [c...d] [e...f] after    becomes    before [e...f] [c...d] [a...b] after.
    """
    order, size, distance = cycle.order, len(cycle.order), tours.distance
    most = min(STRETCH, (size - 2) // 3)
    ends, place = [0], int(random.random() * size)
    for _ in range(3):
        ends += [ends[-1] + 1, ends[-1] + 1 + int(random.random() * most)]
    before, a, b, c, d, e, f, after = (order[(place + end) % size] for end in (*ends, ends[-1] + 1))
    cycle.turn(before, a, f)
    cycle.turn(before, f, e)
    cycle.turn(f, d, c)
    cycle.turn(d, b, a)
    old = distance[before][a] + distance[b][c] + distance[d][e] + distance[f][after]
    new = distance[before][e] + distance[f][c] + distance[d][a] + distance[b][after]
    return new - old, (before, a, b, c, d, e, f, after)
