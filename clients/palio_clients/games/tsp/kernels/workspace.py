"""The travelling salesman's workspace: an instance in numbers, a tour that is changed in place, how far one has come.

It has room for as many cities as an instance can have; only the matrix of distances is an array by itself, just as
large as need be.
"""

from collections.abc import Sequence
from math import frexp
from typing import NamedTuple

import numpy as np

from palio_clients.games.tsp.kernels.cities import measure, near_cities
from palio_clients.kernels.jit import Array
from palio_rules.boards.cities import MAX_CITIES, Instance

NEAR = 8  # cities beside which a city may be put
TURNS = 16  # that one attempt to shorten a tour can make: three rounds of three, and then some
LARGEST = 30  # bits of a distance, as it stands in the workspace

WORKSPACE = np.dtype(
    [
        ("size", np.int64),
        ("beside", np.int64),  # cities in each list of near ones
        ("random", np.uint64),
        ("length", np.int64),  # of `order`
        ("kept", np.int64),  # of `kept_order`
        ("best", np.int64),  # of `best_order`
        ("limit", np.int64),  # up to which a tour is kept
        ("kicks", np.int64),
        ("first", np.int64),  # the place in the queue where the next city is
        ("waiting", np.int64),  # cities in the queue
        ("turns", np.int64),  # in `turned`
        ("gain", np.int64),  # of the exchange that was found, if it is closed
        ("open", np.int64),  # what it wins before it is closed
        ("kind", np.int64),
        ("cities", np.int64, (4,)),  # t3 to t6 of it
        ("turned", np.int64, (TURNS, 4)),  # legs given up, a-b and c-d, for a-c and b-d
        ("order", np.int32, (MAX_CITIES,)),
        ("place", np.int32, (MAX_CITIES,)),  # of each city in `order`
        ("kept_order", np.int32, (MAX_CITIES,)),  # the tour to which one goes back
        ("kept_place", np.int32, (MAX_CITIES,)),
        ("best_order", np.int32, (MAX_CITIES,)),
        ("queue", np.int32, (MAX_CITIES,)),  # a ring of `size`
        ("queued", np.uint8, (MAX_CITIES,)),
        ("near", np.int32, (MAX_CITIES, NEAR)),  # of each city, nearest first
        ("legs", np.int32, (MAX_CITIES, NEAR)),  # how far these are
    ],
    align=True,
)


class Scale(NamedTuple):
    """How a length in the workspace becomes a true one: times `unit`, and at most `slack` too short."""

    unit: float
    slack: float


def distances(instance: Instance) -> tuple[Array, Array, Scale]:
    """The matrix, the points (all in one place if there are none), and the scale.

    Distances are integers in the workspace, so that gains add up exactly, whatever their order. Where the instance has
    decimals, or more than fits, they are rounded to 30 bits.
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
    """An array of one record, ready to begin with `tour`, each city in the queue; and the distances that belong to it.

    Cities are numbered along the tour that one begins with: what is near on the map is so in memory, too.
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
