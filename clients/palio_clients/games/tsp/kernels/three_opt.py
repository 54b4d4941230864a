"""Making a tour shorter at one city: up to three rounds of 3-opt, each of which goes on where the last one has led.

Lin and Kernighan, "An effective heuristic algorithm for the traveling-salesman problem", Operations Research 21 (1973):
along t1 t2 t3 ... legs are given up and made in turn, and only ways are followed on which one has always won so far.
Steps of three legs, of which the last one is replaced by the next step: Helsgaun, "An effective implementation of the
Lin-Kernighan traveling salesman heuristic", European Journal of Operational Research 126 (2000).

Whoever reads t1 [X] [Y] t, with the tour going from left to right, gets one of four from giving up three legs:

    before   t1 [t2..t4] [t3..t6] t5      after   t1 [t6..t3] [t2..t4] t5      MIXED
    before   t1 [t2..t5] [t6..t4] t3      after   t1 [t6..t4] [t5..t2] t3      MIRRORED
    before   t1 [t2..t5] [t6..t3] t4      after   t1 [t6..t3] [t2..t5] t4      SWAPPED
    before   t1 [t2..t6] [t5..t3] t4      after   t1 [t6..t2] [t3..t5] t4      TURNED

and from giving up two, t1 [t2..t4] t3 becomes t1 [t4..t2] t3. Or-opt's moves are among them.
"""

import numpy as np

from palio_clients.games.tsp.kernels.order import beside, exchange, steps, take_back
from palio_clients.kernels.jit import Array, Int, Record, Truth, kernel

ROUNDS = 3
THIRD = 5  # near cities that are looked at for the third leg
NONE, TWO, MIXED, MIRRORED, SWAPPED, TURNED = range(6)


@kernel
def shorten(space: Record, distance: Array, t1: Int) -> Int:
    """Make the tour shorter by giving up a leg of `t1`; by how much, 0 if it cannot. What was done is in `turned`."""
    space.turns = 0
    for t2 in (beside(space, t1, True), beside(space, t1, False)):
        gain = follow(space, distance, t1, t2)
        if gain > 0:
            return gain
        take_back(space)
    return 0


@kernel
def follow(space: Record, distance: Array, t1: Int, t2: Int) -> Int:
    """Give up the leg from `t1` to `t2`, and see how far that leads; 0 if to nothing, then `turned` is to be undone."""
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
    """The first exchange that makes the tour shorter; or else the one that has won most before it is closed."""
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
    """With t4 before t3: to close it now is a move of 2-opt."""
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
    """With t4 after t3: what lies from t2 to t3 is a circle of its own, to be opened again at t5."""
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
    """Note an exchange if it is the best so far; whether it makes the tour shorter when it is closed."""
    gain = won - distance[t6, t1]
    if gain <= 0 and won <= space.open:
        return False
    space.kind, space.open, space.gain = kind, won, max(gain, 0)
    space.cities[0], space.cities[1], space.cities[2], space.cities[3] = t3, t4, t5, t6
    return gain > 0


@kernel
def make(space: Record, t1: Int, t2: Int) -> None:
    """Make the exchange that was noted, by turning stretches round."""
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
