"""Iterated local search: a double bridge, local repair, and the former tour again if the result is worse.

Martin, Otto and Felten, "Large-step Markov chains for the traveling salesman problem", Complex Systems 5 (1991), whose
double bridge no single move of 3-opt can undo, and who accept a tour that is a little longer now and then; the ends of
the bridge come from random walks from one city: Applegate, Cook and Rohe, "Chained Lin-Kernighan for large traveling
salesman problems", INFORMS Journal on Computing 15 (2003).
"""

from math import log

import numpy as np

from palio_clients.games.tsp.kernels.workspace import beside, exchange, steps, take_back
from palio_clients.kernels.bits import STEP, below, raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Real, Record, Truth, kernel

# Improving a tour at one city: up to three rounds of 3-opt, each of which continues where the last one ended.
#
# Lin and Kernighan, "An effective heuristic algorithm for the traveling-salesman problem", Operations Research 21
# (1973): along t1 t2 t3 ... legs are removed and added in turn, and only sequences with a positive gain so far are
# followed. Steps of three legs, of which the last one is replaced by the next step: Helsgaun, "An effective
# implementation of the Lin-Kernighan traveling salesman heuristic", European Journal of Operational Research 126
# (2000).
#
# With t1 [X] [Y] t read along the tour from left to right, removing three legs gives one of four results:
#
#     before   t1 [t2..t4] [t3..t6] t5      after   t1 [t6..t3] [t2..t4] t5      MIXED
#     before   t1 [t2..t5] [t6..t4] t3      after   t1 [t6..t4] [t5..t2] t3      MIRRORED
#     before   t1 [t2..t5] [t6..t3] t4      after   t1 [t6..t3] [t2..t5] t4      SWAPPED
#     before   t1 [t2..t6] [t5..t3] t4      after   t1 [t6..t2] [t3..t5] t4      TURNED
#
# and removing two, t1 [t2..t4] t3 becomes t1 [t4..t2] t3. Or-opt's moves are among them.

ROUNDS = 3
THIRD = 5  # near cities that are tried for the third leg
NONE, TWO, MIXED, MIRRORED, SWAPPED, TURNED = range(6)


@kernel
def shorten(space: Record, distance: Array, t1: Int) -> Int:
    """Shorten the tour by removing a leg of `t1`; return the gain, 0 if impossible. The steps are in `turned`."""
    space.turns = 0
    for t2 in (beside(space, t1, True), beside(space, t1, False)):
        gain = follow(space, distance, t1, t2)
        if gain > 0:
            return gain
        take_back(space)
    return 0


@kernel
def follow(space: Record, distance: Array, t1: Int, t2: Int) -> Int:
    """Remove the leg from `t1` to `t2`, and follow the gain; return 0 if there is none: then undo `turned`."""
    won = np.int64(distance[t1, t2])
    for number in range(ROUNDS):
        space.kind, space.open, space.gain = NONE, 0, 0
        look(space, distance, t1, t2, won)
        if space.kind == NONE or (space.gain == 0 and number == ROUNDS - 1):
            return 0
        make(space, t1, t2)
        if space.gain > 0:
            return space.gain
        t2, won = space.cities[3], space.open
    return 0


@kernel
def look(space: Record, distance: Array, t1: Int, t2: Int, won: Int) -> None:
    """Find the first exchange that shortens the tour; or else the one with the most gain before it is closed."""
    near, legs, onwards = space.near[t2], space.legs[t2], beside(space, t1, True) == t2
    for number in range(space.beside):
        left, t3 = won - legs[number], np.int64(near[number])
        if left <= 0:
            return
        if t3 != t1 and (
            closed_by_turning(space, distance, t1, t2, t3, left, onwards)
            or closed_by_swapping(space, distance, t1, t2, t3, left, onwards)
        ):
            return


@kernel
def closed_by_turning(space: Record, distance: Array, t1: Int, t2: Int, t3: Int, won: Int, onwards: Truth) -> Truth:
    """Consider t4 before t3: closing it now is a move of 2-opt."""
    t4 = beside(space, t3, not onwards)
    if t4 == t2:
        return False
    won += distance[t3, t4]
    if won > distance[t4, t1]:
        return consider(space, distance, TWO, t1, t3, t4, t4, t4, won)
    near, legs, middle = space.near[t4], space.legs[t4], steps(space, t2, t3, onwards)
    for number in range(min(THIRD, space.beside)):
        left, t5 = won - legs[number], np.int64(near[number])
        if left <= 0:
            return False
        beyond = steps(space, t2, t5, onwards) >= middle
        t6 = beside(space, t5, onwards != beyond)
        if t5 != t3 and t6 != t4:
            kind = MIXED if beyond else MIRRORED
            if consider(space, distance, kind, t1, t3, t4, t5, t6, left + distance[t5, t6]):
                return True
    return False


@kernel
def closed_by_swapping(space: Record, distance: Array, t1: Int, t2: Int, t3: Int, won: Int, onwards: Truth) -> Truth:
    """Consider t4 after t3: the part from t2 to t3 is a separate circle, which is opened again at t5."""
    t4 = beside(space, t3, onwards)
    won += distance[t3, t4]
    near, legs, end = space.near[t4], space.legs[t4], steps(space, t2, t3, onwards)
    for number in range(min(THIRD, space.beside)):
        left, t5 = won - legs[number], np.int64(near[number])
        if left <= 0:
            return False
        if steps(space, t2, t5, onwards) < end:
            t6 = beside(space, t5, onwards)
            if consider(space, distance, SWAPPED, t1, t3, t4, t5, t6, left + distance[t5, t6]):
                return True
            t6 = beside(space, t5, not onwards)
            if t5 != t2 and consider(space, distance, TURNED, t1, t3, t4, t5, t6, left + distance[t5, t6]):
                return True
    return False


@kernel
def consider(space: Record, distance: Array, kind: Int, t1: Int, t3: Int, t4: Int, t5: Int, t6: Int, won: Int) -> Truth:
    """Store an exchange if it is the best so far; return whether closing it shortens the tour."""
    gain = won - distance[t6, t1]
    if gain <= 0 and won <= space.open:
        return False
    space.kind, space.open, space.gain = kind, won, max(gain, 0)
    space.cities[0], space.cities[1], space.cities[2], space.cities[3] = t3, t4, t5, t6
    return gain > 0


@kernel
def make(space: Record, t1: Int, t2: Int) -> None:
    """Make the stored exchange, by reversing stretches."""
    t3, t4, t5, t6 = space.cities[0], space.cities[1], space.cities[2], space.cities[3]
    if space.kind == TWO:
        exchange(space, t1, t2, t4, t3)
    elif space.kind == MIXED:
        exchange(space, t1, t2, t6, t5)
        exchange(space, t3, t4, t2, t5)
    elif space.kind == MIRRORED:
        exchange(space, t1, t2, t4, t3)
        exchange(space, t1, t4, t6, t5)
    elif space.kind == SWAPPED:
        exchange(space, t1, t2, t3, t4)
        exchange(space, t1, t3, t6, t5)
        exchange(space, t3, t5, t2, t4)
    else:
        exchange(space, t1, t2, t6, t5)
        exchange(space, t2, t5, t3, t4)


WALK = 25  # steps from near city to near city
FEWEST = 5  # cities of which a double bridge makes another tour
LENIENCE = 0.5  # of an average leg: the mean surplus of the current tour over the best one
FRACTION = 2.0**-53


@kernel
def iterate(spaces: Array, distance: Array, flag: Flag, kicks: Int) -> None:
    """Shorten the tour to a local minimum, then make so many kicks, until the flag is up. Call it again to continue."""
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
    """Improve the tour at every queued city, and at new legs; return False if the flag stopped it."""
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
    """Add a city to the queue, unless it is in it."""
    if space.queued[city] == 0:
        space.queued[city] = 1
        last = space.first + space.waiting
        space.queue[last if last < space.size else last - space.size] = city
        space.waiting += 1


@kernel
def judge(space: Record) -> None:
    """Accept the tour, or restore the former one."""
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
    """Exchange three adjacent stretches without reversing any, and set the limit of the tour's length.

    before [a..b] [c..d] [e..f] after    becomes    before [e..f] [c..d] [a..b] after.
    """
    size = space.size
    lenience = LENIENCE * space.best / size * -log(random_real(space))
    space.limit = max(space.kept, space.best + np.int64(lenience))
    space.kicks += 1
    start = below(word(space), size)
    x, y, z = random_walk(space, start), random_walk(space, start), random_walk(space, start)
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
def random_walk(space: Record, start: Int) -> Int:
    """Return how many legs after `start` a random walk from there ends."""
    city, near = start, space.near
    for _ in range(WALK):
        city = np.int64(near[city, below(word(space), space.beside)])
    return steps(space, start, city, True)


@kernel
def city_at(space: Record, start: Int, legs: Int) -> Int:
    """Return the city so many legs after `start`."""
    place = space.place[start] + legs
    return np.int64(space.order[place if place < space.size else place - space.size])


@kernel
def word(space: Record) -> Int:
    space.random += STEP
    return scrambled(space.random)


@kernel
def random_real(space: Record) -> Real:
    """Return a random number above 0 and up to 1."""
    return (np.float64(word(space) >> np.uint64(11)) + 1.0) * FRACTION
