"""Cities: how far apart they are, which are near, and a tour to begin with."""

from math import sqrt

import numpy as np

from palio_clients.kernels.jit import Array, Int, Real, kernel

EACH_WAY = 2  # near cities in each of the four directions, if there are so many
CANDIDATES = 100  # among which these are looked for


@kernel
def measure(points: Array, distance: Array) -> Array:
    """Fill in the distances of the race: Euclid's, rounded."""
    size = len(points)
    for a in range(size):
        for b in range(a):
            x, y = points[a, 0] - points[b, 0], points[a, 1] - points[b, 1]
            distance[a, b] = distance[b, a] = np.int64(sqrt(x * x + y * y) + 0.5)
        distance[a, a] = 0
    return distance


@kernel
def nearest_neighbour(distance: Array, start: Int, left: Array, tour: Array) -> Array:
    """Fill in a tour: from `start` to the nearest city, then the nearest of the others; `left` has them all."""
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
    """For each city so many others, nearest first: the two nearest ones in each direction, then the nearest of all.

    Where cities lie in clusters or along lines, the nearest alone would not lead from one to the next: Johnson and
    McGeoch, "The traveling salesman problem: a case study", in: Local Search in Combinatorial Optimization (1997), who
    call these quadrant neighbours. Here no city is looked for further away than the nearest hundred.
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
    """Fill in `near` out of the rows of `nearest`, in the same order. `taken` is scratch paper, a byte a candidate."""
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
    """0 to 3; the spot itself belongs to the first."""
    if x >= 0:
        return 0 if y >= 0 else 3
    return 1 if y > 0 else 2
