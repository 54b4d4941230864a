"""A tour in place: who comes after whom, turning a stretch round, and taking that back.

Bentley, "Fast algorithms for geometric traveling salesman problems", ORSA Journal on Computing 4 (1992): an array of
the order with the place of each city in it. As the shorter part is turned, the whole may change its direction by that.
"""

import numpy as np

from palio_clients.kernels.jit import Int, Record, Truth, kernel


@kernel
def beside(space: Record, city: Int, onwards: Truth) -> Int:
    """The city after this one, or the one before it."""
    place = space.place[city]
    if onwards:
        return np.int64(space.order[place + 1 if place + 1 < space.size else 0])
    return np.int64(space.order[place - 1 if place > 0 else space.size - 1])


@kernel
def steps(space: Record, start: Int, city: Int, onwards: Truth) -> Int:
    """How many legs from `start` to `city`, onwards or backwards."""
    found = np.int64(space.place[city]) - space.place[start]
    if not onwards:
        found = -found
    return found if found >= 0 else found + space.size


@kernel
def exchange(space: Record, a: Int, b: Int, c: Int, d: Int) -> None:
    """Give up the legs a-b and c-d for a-c and b-d; in one of both directions, b comes after a, and d after c."""
    if beside(space, a, True) == b:
        turn(space, space.place[b], space.place[c])
    else:
        turn(space, space.place[c], space.place[b])
    row = space.turned[space.turns]
    row[0], row[1], row[2], row[3] = a, b, c, d
    space.turns += 1


@kernel
def take_back(space: Record) -> None:
    """Undo every exchange that `turned` has."""
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
    """Turn the places from `first` to `last` round, or all others: whichever are fewer."""
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
