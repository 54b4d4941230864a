"""The travelling salesman's workspace: an instance in numbers, a tour that is changed in place, and the search's state.

It has room for as many cities as an instance can have; only the matrix of distances is a separate array of the needed
size.
"""

from collections.abc import Sequence
from math import frexp, sqrt
from typing import NamedTuple

import numpy as np

from palio_clients.kernels.jit import Array, Int, Real, Record, Truth, kernel
from palio_rules.boards.cities import MAX_CITIES, Instance

# Cities: their distances, their near cities, and a first tour.

EACH_WAY = 2  # near cities in each of the four directions, if there are so many
CANDIDATES = 100  # among which these are searched


@kernel
def measure(points: Array, distance: Array) -> Array:
    """Compute the distances of the race: Euclid's, rounded."""
    size = len(points)
    for a in range(size):
        for b in range(a):
            x, y = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1]
            distance[a, b] = distance[b, a] = np.int64(sqrt(x * x + y * y) + 0.5)
        distance[a, a] = 0
    return distance


@kernel
def nearest_neighbour(distance: Array, start: Int, left: Array, tour: Array) -> Array:
    """Compute a tour: from `start` to the nearest city, then the nearest of the others; `left` has them all."""
    size, here = len(distance), start
    for number in range(size):
        tour[number] = here
        count = size - number - 1  # `left` holds the others in its first places
        at = 0
        while left[at] != here:
            at += 1
        left[at] = left[count]
        for i in range(count):
            if i == 0 or distance[tour[number], left[i]] < distance[tour[number], here]:
                here = left[i]
    return tour


def near_cities(distance: Array, points: Array, most: int) -> Array:
    """Return for each city its near ones, nearest first: the two nearest in each direction, then the nearest of all.

    If cities lie in clusters or along lines, the nearest alone would not lead from one to the next: Johnson and
    McGeoch, "The traveling salesman problem: a case study", in: Local Search in Combinatorial Optimization (1997), who
    call these quadrant neighbours. Here only the nearest hundred cities are searched.
    """
    size = len(distance)
    others = distance + np.diag(np.full(size, np.iinfo(np.int32).max, np.int32) - distance.diagonal())
    count = min(CANDIDATES, size - 1)
    found = np.sort(np.argpartition(others, count - 1, axis=1)[:, :count], axis=1)
    order = np.argsort(np.take_along_axis(others, found, 1), axis=1, kind="stable")
    nearest, taken = np.take_along_axis(found, order, 1), np.zeros(count, np.uint8)
    return choose(points, nearest, taken, np.empty((size, most), np.int32))


@kernel
def choose(points: Array, nearest: Array, taken: Array, near: Array) -> Array:
    """Fill `near` from the rows of `nearest`, in the same order. `taken` is scratch memory, a byte a candidate."""
    size, wanted = near.shape
    for city in range(size):
        taken[:] = 0
        left, ways = wanted, 0  # `ways`: how many there are in each direction, two bits a direction
        for number in range(len(taken)):
            other = nearest[city, number]
            way = 2 * quadrant(points[other, 0] - points[city, 0], points[other, 1] - points[city, 1])
            if left and (ways >> way) & 3 < EACH_WAY:
                ways += 1 << way
                taken[number] = 1
                left -= 1
        at = 0
        for number in range(len(taken)):
            if left and not taken[number]:
                taken[number] = 1
                left -= 1
            if taken[number]:
                near[city, at] = nearest[city, number]
                at += 1
    return near


@kernel
def quadrant(x: Real, y: Real) -> Int:
    """Return the quadrant, 0 to 3; the origin belongs to the first."""
    if x >= 0:
        return 0 if y >= 0 else 3
    return 1 if y > 0 else 2


NEAR = 8  # cities beside which a city may be put
TURNS = 16  # of one attempt to shorten a tour, at most: three rounds of three, and some more
LARGEST = 30  # bits of a distance in the workspace

WORKSPACE = np.dtype(
    [
        ("size", np.int64),
        ("beside", np.int64),  # cities in each list of near ones
        ("random", np.uint64),
        ("length", np.int64),  # of `order`
        ("kept", np.int64),  # of `kept_order`
        ("best", np.int64),  # of `best_order`
        ("limit", np.int64),  # up to which a tour is accepted
        ("kicks", np.int64),
        ("first", np.int64),  # the place of the next city in the queue
        ("waiting", np.int64),  # cities in the queue
        ("turns", np.int64),  # in `turned`
        ("gain", np.int64),  # of the exchange that was found, if it is closed
        ("open", np.int64),  # its gain before it is closed
        ("kind", np.int64),
        ("cities", np.int64, (4,)),  # t3 to t6 of it
        ("turned", np.int64, (TURNS, 4)),  # legs given up, a-b and c-d, for a-c and b-d
        ("order", np.int32, (MAX_CITIES,)),
        ("place", np.int32, (MAX_CITIES,)),  # of each city in `order`
        ("kept_order", np.int32, (MAX_CITIES,)),  # the tour to restore
        ("kept_place", np.int32, (MAX_CITIES,)),
        ("best_order", np.int32, (MAX_CITIES,)),
        ("queue", np.int32, (MAX_CITIES,)),  # a ring of `size`
        ("queued", np.uint8, (MAX_CITIES,)),
        ("near", np.int32, (MAX_CITIES, NEAR)),  # of each city, nearest first
        ("legs", np.int32, (MAX_CITIES, NEAR)),  # the distances of these
    ],
    align=True,
)


class Scale(NamedTuple):
    """A conversion of lengths in the workspace to true ones: times `unit`, and at most `slack` too short."""

    unit: float
    slack: float


def distances(instance: Instance) -> tuple[Array, Array, Scale]:
    """Return the matrix, the points (all in one place if there are none), and the scale.

    Distances are integers in the workspace, so that gains add up exactly, in any order. If the instance has decimals,
    or numbers that do not fit, they are rounded to 30 bits.
    """
    size = instance.size
    if instance.points is not None:
        points = np.array(instance.points, np.float64)
        exact = measure(points, np.empty((size, size)))
    else:
        assert instance.rows is not None
        points, exact = np.zeros((size, 2)), np.zeros((size, size))
        for a, row in enumerate(instance.rows):
            exact[a, a + 1 :] = exact[a + 1 :, a] = row
    longest = float(exact.max())
    if longest < 1 << LARGEST and (exact == np.rint(exact)).all():
        return exact.astype(np.int32), points, Scale(1.0, 0.0)
    unit = 2.0 ** (frexp(longest)[1] - LARGEST)
    return np.rint(exact / unit).astype(np.int32), points, Scale(unit, size * unit)


def workspace(distance: Array, points: Array, tour: Sequence[int], seed: int) -> tuple[Array, Array]:
    """Return an array of one record, ready to begin with `tour`, each city in the queue; and its distances.

    Cities are numbered along the first tour, so that near cities are near in memory, too.
    """
    size, names = len(tour), np.array(tour, np.int64)
    distance = np.ascontiguousarray(distance[np.ix_(names, names)])
    made = np.zeros(1, WORKSPACE)
    space, beside = made[0], min(NEAR, size - 1)
    space["size"], space["beside"], space["random"] = size, beside, seed
    near = near_cities(distance, points[names], beside)
    space["near"][:size, :beside] = near
    space["legs"][:size, :beside] = np.take_along_axis(distance, near.astype(np.int64), 1)
    for each in ("order", "place", "kept_order", "kept_place", "best_order", "queue"):
        space[each][:size] = range(size)
    space["queued"], space["waiting"] = 1, size
    length = distance[np.arange(size), np.arange(1, size + 1) % size].sum(dtype=np.int64)
    for each in ("length", "kept", "best", "limit"):
        space[each] = length
    return made, distance


# A tour in place: neighbours, reversing a stretch, and undoing that.
#
# Bentley, "Fast algorithms for geometric traveling salesman problems", ORSA Journal on Computing 4 (1992): an array of
# the order with the place of each city in it. As the shorter part is reversed, the whole tour may change its direction.


@kernel
def beside(space: Record, city: Int, onwards: Truth) -> Int:
    """Return the city after this one, or the one before it."""
    place = space.place[city]
    if onwards:
        return np.int64(space.order[place + 1 if place + 1 < space.size else 0])
    return np.int64(space.order[place - 1 if place > 0 else space.size - 1])


@kernel
def steps(space: Record, start: Int, city: Int, onwards: Truth) -> Int:
    """Return how many legs there are from `start` to `city`, onwards or backwards."""
    found = np.int64(space.place[city]) - space.place[start]
    if not onwards:
        found = -found
    return found if found >= 0 else found + space.size


@kernel
def exchange(space: Record, a: Int, b: Int, c: Int, d: Int) -> None:
    """Replace the legs a-b and c-d by a-c and b-d; in one of both directions, b comes after a, and d after c."""
    if beside(space, a, True) == b:
        turn(space, space.place[b], space.place[c])
    else:
        turn(space, space.place[c], space.place[b])
    row = space.turned[space.turns]
    row[0], row[1], row[2], row[3] = a, b, c, d
    space.turns += 1


@kernel
def take_back(space: Record) -> None:
    """Undo every exchange in `turned`."""
    while space.turns > 0:
        space.turns -= 1
        row = space.turned[space.turns]
        a, b, c = row[0], row[1], row[2]
        if beside(space, a, True) == c:
            turn(space, space.place[c], space.place[b])
        else:
            turn(space, space.place[b], space.place[c])


@kernel
def turn(space: Record, first: Int, last: Int) -> None:
    """Reverse the places from `first` to `last`, or all others if these are fewer."""
    order, place, size = space.order, space.place, space.size
    count = last - first + 1
    if count <= 0:
        count += size
    if 2 * count > size:
        first, last, count = last + 1 if last + 1 < size else 0, first - 1 if first > 0 else size - 1, size - count
    for _ in range(count // 2):
        a, b = order[first], order[last]
        order[first], order[last] = b, a
        place[b], place[a] = first, last
        first = first + 1 if first + 1 < size else 0
        last = last - 1 if last > 0 else size - 1
