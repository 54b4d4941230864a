"""Breadth-first search compiled: from one position onwards, and back from all that are solved.

Moore, "The shortest path through a maze" (1959). Known positions are found by open addressing with linear probing:
Knuth, "The Art of Computer Programming", volume 3 (1998), 6.4. Vehicles are tried in the order of the rules, left or up
first and the nearest place first, so that positions are met in the very order of the readable searches.
"""

import numpy as np

from palio_clients.kernels.bits import ONE, ZERO, raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Record, Truth, Word, kernel

UNKNOWN = -1  # the distance of what no solution can be reached from, so far
ENDED, FULL, STOPPED = 0, 1, 2


@kernel
def explore(
    spaces: Array, codes: Array, taken: Array, came: Array, keys: Array, places: Array, flag: Flag, everything: Int
) -> Int:
    """Go on with the search from `head` to the end of what can be reached, or, unless `everything`, to a solution.

    `codes` and `taken` are the positions in the order in which they were met, `came` where from; `keys` and `places`
    find them. Comes back FULL where these need more room.
    """
    space = spaces[0]
    most = 2 * space.side * space.cars  # slides from one position
    while space.head < space.count and (everything or space.found < 0):
        if raised(flag):
            return STOPPED
        if space.count + most > len(codes):
            return FULL
        expand(space, codes, taken, came, keys, places)
        space.head += 1
    return ENDED


@kernel
def expand(space: Record, codes: Array, taken: Array, came: Array, keys: Array, places: Array) -> None:
    """Add what is one slide away from the position at the head and was not known yet."""
    code, cells = codes[space.head], taken[space.head]
    for car in range(space.cars):
        at = np.int64((code >> space.shift[car]) & space.mask[car])
        lifted, unit = cells ^ space.stands[car, at], ONE << space.shift[car]
        to, there = at, code
        while to > 0 and (cells & space.cells[car, to - 1]) == ZERO:
            to -= 1
            there -= unit
            meet(space, codes, taken, came, keys, places, there, lifted | space.stands[car, to])
        to, there = at, code
        last = space.side - space.length[car]
        while to < last and (cells & space.cells[car, to + space.length[car]]) == ZERO:
            to += 1
            there += unit
            meet(space, codes, taken, came, keys, places, there, lifted | space.stands[car, to])


@kernel
def meet(
    space: Record, codes: Array, taken: Array, came: Array, keys: Array, places: Array, code: Word, cells: Word
) -> None:
    slot = slot_of(keys, code)
    if keys[slot] == ZERO:
        keys[slot], places[slot] = code + ONE, space.count
        codes[space.count], taken[space.count], came[space.count] = code, cells, space.head
        if space.found < 0 and solved(space, code, cells):
            space.found = space.count
        space.count += 1


@kernel
def solved(space: Record, code: Word, cells: Word) -> Truth:
    at = (code >> space.shift[space.escaping]) & space.mask[space.escaping]
    return (cells & space.road[at]) == ZERO


@kernel
def slot_of(keys: Array, code: Word) -> Word:
    """Where a position stands in the table, or the empty slot where it would."""
    last = np.uint64(len(keys) - 1)
    slot = scrambled(code) & last
    while keys[slot] != ZERO and keys[slot] != code + ONE:
        slot = (slot + ONE) & last
    return slot


@kernel
def rebuild(codes: Array, keys: Array, places: Array) -> None:
    """Fill a new table with all positions."""
    for number in range(len(codes)):
        slot = slot_of(keys, codes[number])
        keys[slot], places[slot] = codes[number] + ONE, number


@kernel
def spread(
    spaces: Array, codes: Array, taken: Array, keys: Array, places: Array, queue: Array, distance: Array, flag: Flag
) -> Int:
    """Fill in how far each position is from the nearest that is solved; in `queue` the nearest come first."""
    space = spaces[0]
    head = tail = 0
    for number in range(space.count):
        distance[number] = UNKNOWN
        if solved(space, codes[number], taken[number]):
            distance[number] = 0
            queue[tail] = number
            tail += 1
    while head < tail:
        if raised(flag):
            return STOPPED
        tail = back(space, codes, taken, keys, places, queue, distance, queue[head], tail)
        head += 1
    return ENDED


@kernel
def back(
    space: Record,
    codes: Array,
    taken: Array,
    keys: Array,
    places: Array,
    queue: Array,
    distance: Array,
    number: Int,
    tail: Int,
) -> Int:
    """Queue what is one slide away and has no distance yet; the new end of the queue. Slides can be taken back."""
    code, cells = codes[number], taken[number]
    for car in range(space.cars):
        at = np.int64((code >> space.shift[car]) & space.mask[car])
        unit, length = ONE << space.shift[car], space.length[car]
        first = last = at
        while first > 0 and (cells & space.cells[car, first - 1]) == ZERO:
            first -= 1
        while last < space.side - length and (cells & space.cells[car, last + length]) == ZERO:
            last += 1
        for to in range(first, last + 1):
            other = places[slot_of(keys, code + np.uint64(to - at) * unit)]
            if distance[other] == UNKNOWN:
                distance[other] = distance[number] + 1
                queue[tail] = other
                tail += 1
    return tail
