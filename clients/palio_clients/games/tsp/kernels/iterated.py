"""Iterated local search: a double bridge, what that spoils made good again, and back to the tour before if it is worse.

Martin, Otto and Felten, "Large-step Markov chains for the traveling salesman problem", Complex Systems 5 (1991), whose
double bridge no move of 3-opt can simply take back, and who keep a tour that is a little longer now and then; with ends
that random walks from one city have come to: Applegate, Cook and Rohe, "Chained Lin-Kernighan for large traveling
salesman problems", INFORMS Journal on Computing 15 (2003).
"""

from math import log

import numpy as np

from palio_clients.games.tsp.kernels.order import exchange, steps
from palio_clients.games.tsp.kernels.three_opt import shorten
from palio_clients.kernels.bits import STEP, below, raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Real, Record, Truth, kernel

WALK = 25  # steps from near city to near city
FEWEST = 5  # cities of which a double bridge makes another tour
LENIENCE = 0.5  # of an average leg: by how much the tour that is kept may be longer than the best one, on average
FRACTION = 2.0**-53


@kernel
def iterate(spaces: Array, distance: Array, flag: Flag, kicks: Int) -> None:
    """Make the tour as short as it gets, then so many kicks; until the flag is up. May be called again, to go on."""
    space = spaces[0]
    last = space.kicks + kicks
    while settle(space, distance, flag):
        judge(space)
        if space.kicks == last or space.size < FEWEST:
            break
        kick(space, distance)
    remember(space)


@kernel
def settle(space: Record, distance: Array, flag: Flag) -> Truth:
    """Make the tour shorter at every city in the queue, and wherever legs are new; False if the flag came between."""
    queue = space.queue
    while space.waiting > 0:
        if raised(flag):
            return False
        city = np.int64(queue[space.first])
        space.first = space.first + 1 if space.first + 1 < space.size else 0
        space.waiting -= 1
        space.queued[city] = 0
        gain = shorten(space, distance, city)
        while gain > 0:
            space.length -= gain
            for number in range(space.turns):
                for end in range(4):
                    join(space, space.turned[number, end])
            gain = shorten(space, distance, city)
    return True


@kernel
def join(space: Record, city: Int) -> None:
    """Let a city into the queue, if it does not stand there."""
    if space.queued[city] == 0:
        space.queued[city] = 1
        last = space.first + space.waiting
        space.queue[last if last < space.size else last - space.size] = city
        space.waiting += 1


@kernel
def judge(space: Record) -> None:
    """Keep the tour, or go back to the one before."""
    remember(space)
    if space.length <= space.limit:
        copy(space, space.order, space.kept_order)
        copy(space, space.place, space.kept_place)
        space.kept = space.length
    else:
        copy(space, space.kept_order, space.order)
        copy(space, space.kept_place, space.place)
        space.length = space.kept


@kernel
def remember(space: Record) -> None:
    if space.length < space.best:
        space.best = space.length
        copy(space, space.order, space.best_order)


@kernel
def copy(space: Record, source: Array, target: Array) -> None:
    for at in range(space.size):
        target[at] = source[at]


@kernel
def kick(space: Record, distance: Array) -> None:
    """Put three stretches in a row, each left as it is, in the opposite order, and say how long the tour may get.

    before [a..b] [c..d] [e..f] after    becomes    before [e..f] [c..d] [a..b] after.
    """
    size = space.size
    lenience = LENIENCE * space.best / size * -log(chance(space))
    space.limit = max(space.kept, space.best + np.int64(lenience))
    space.kicks += 1
    start = below(word(space), size)
    x, y, z = wander(space, start), wander(space, start), wander(space, start)
    i, k = min(x, y, z), max(x, y, z)
    j = x + y + z - i - k
    if not 0 < i < j < k < size - 1:
        return  # fewer than four legs
    before, a = city_at(space, start, 0), city_at(space, start, 1)
    b, c = city_at(space, start, i), city_at(space, start, i + 1)
    d, e = city_at(space, start, j), city_at(space, start, j + 1)
    f, after = city_at(space, start, k), city_at(space, start, k + 1)
    old = np.int64(distance[before, a]) + distance[b, c] + distance[d, e] + distance[f, after]
    new = np.int64(distance[before, e]) + distance[f, c] + distance[d, a] + distance[b, after]
    space.length += new - old
    space.turns = 0
    exchange(space, before, a, f, after)
    exchange(space, before, f, e, d)
    exchange(space, f, d, c, b)
    exchange(space, d, b, a, after)
    for city in (before, a, b, c, d, e, f, after):
        join(space, city)


@kernel
def wander(space: Record, start: Int) -> Int:
    """How many legs after `start` a random walk from there ends."""
    city, near = start, space.near
    for _ in range(WALK):
        city = np.int64(near[city, below(word(space), space.beside)])
    return steps(space, start, city, True)


@kernel
def city_at(space: Record, start: Int, legs: Int) -> Int:
    """The city so many legs after `start`."""
    place = space.place[start] + legs
    return np.int64(space.order[place if place < space.size else place - space.size])


@kernel
def word(space: Record) -> Int:
    space.random += STEP
    return scrambled(space.random)


@kernel
def chance(space: Record) -> Real:
    """Above 0 and up to 1."""
    return (np.float64(word(space) >> np.uint64(11)) + 1.0) * FRACTION
