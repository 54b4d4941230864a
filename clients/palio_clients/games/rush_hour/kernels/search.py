"""Rush Hour solved: the shortest path from one position, or the distance of every reachable position."""

from math import inf
from typing import Any

import numpy as np

from palio_clients.kernels.bits import ONE, ZERO, raised, scrambled
from palio_clients.kernels.jit import Array, Flag, Int, Record, Truth, Word, kernel, stop_flag
from palio_clients.search.game_tree import Stop, Stopped, never
from palio_clients.search.planning import Plan
from palio_rules.boards.rush_hour import LETTERS, At, Garage
from palio_rules.instances.rush_hour import TooManyPositions

# Rush Hour's car park for kernels: a position in one word, and the cells under vehicles in another.
#
# Each vehicle has as many bits of the first word as its place needs, so that one step to the right or down adds its
# unit. Cells are numbered as in the rules.

LARGEST = 8  # sides of a board: its cells are the bits of a word
BITS = 63  # of a position; one value is reserved for none

WORKSPACE = np.dtype(
    [
        ("side", np.int64),
        ("cars", np.int64),
        ("escaping", np.int64),  # the number of `a`
        ("road", np.uint64, (LARGEST,)),  # its cells to the exit, by its first cell
        ("length", np.int64, (len(LETTERS),)),
        ("shift", np.uint64, (len(LETTERS),)),  # the position of its bits
        ("mask", np.uint64, (len(LETTERS),)),  # as many ones as it has bits
        ("stands", np.uint64, (len(LETTERS), LARGEST)),  # cells it covers, by its first one
        ("cells", np.uint64, (len(LETTERS), LARGEST)),  # along its line
        ("head", np.int64),  # positions that have been expanded
        ("count", np.int64),  # positions found
        ("found", np.int64),  # the first one that is solved, -1 if none is known
    ],
    align=True,
)


def fits(garage: Garage) -> bool:
    """Return whether the board and every position fit into a word: true up to 6x6, without vehicles of one cell."""
    return garage.side <= LARGEST and sum(_bits(garage)) <= BITS


def workspace(garage: Garage) -> Any:
    """Return an array of one record, for a garage that `fits`."""
    made = np.zeros(1, WORKSPACE)
    space, shift = made[0], 0
    space["side"], space["cars"], space["escaping"] = garage.side, len(garage.vehicles), garage.escaping
    space["road"][: len(garage.road)] = garage.road
    for index, bits in enumerate(_bits(garage)):
        space["length"][index] = garage.vehicles[index].length
        space["shift"][index], space["mask"][index] = shift, (1 << bits) - 1
        space["stands"][index, : len(garage.stands[index])] = garage.stands[index]
        space["cells"][index, : garage.side] = garage.cells[index]
        shift += bits
    return made


def packed(space: Any, at: At) -> int:
    """Return the word of a position."""
    return sum(k << int(shift) for k, shift in zip(at, space["shift"], strict=False))


def unpacked(space: Any, code: int) -> At:
    cars = int(space["cars"])
    pairs = zip(space["shift"][:cars].tolist(), space["mask"][:cars].tolist(), strict=True)
    return tuple(code >> shift & mask for shift, mask in pairs)


def _bits(garage: Garage) -> list[int]:
    return [(garage.side - car.length).bit_length() for car in garage.vehicles]


# Breadth-first search compiled: from one position onwards, and back from all that are solved.
#
# Moore, "The shortest path through a maze" (1959). Known positions are found by open addressing with linear probing:
# Knuth, "The Art of Computer Programming", volume 3 (1998), 6.4. Vehicles are tried in the order of the rules, left or
# up first and the nearest place first, so that positions are found in the same order as by the readable searches.

UNKNOWN = -1  # the distance of positions that reach no solution, so far
ENDED, FULL, STOPPED = 0, 1, 2


@kernel
def explore(
    spaces: Array, codes: Array, taken: Array, came: Array, keys: Array, places: Array, flag: Flag, everything: Int
) -> Int:
    """Continue the search from `head` until all reachable positions are found, or, unless `everything`, a solution.

    `codes` and `taken` are the positions in the order in which they were found, `came` their predecessors; `keys` and
    `places` find them. Returns FULL if these need more room.
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
    """Add the new positions that are one slide away from the position at the head."""
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
    """Return the slot of a position in the table, or the empty slot for it."""
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
    """Compute how far each position is from the nearest that is solved; `queue` is sorted by distance."""
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
    """Queue positions one slide away without a distance; return the new end of the queue. Slides can be taken back."""
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


ROOM = 1 << 13  # positions at first; doubled when there are more
MOST = 1 << 24  # positions of a search at most: some 700 megabytes


class Positions:
    """The positions in the order in which a breadth-first search finds them, in growing arrays."""

    def __init__(self, garage: Garage, at: At, room: int = ROOM) -> None:
        self.spaces = workspace(garage)
        self.codes, self.taken = np.empty((2, room), np.uint64)
        self.came = np.empty(room, np.int32)
        self._table(room)
        space = self.spaces[0]
        self.codes[0], self.taken[0], self.came[0] = packed(space, at), garage.occupied(at), -1
        space["count"], space["found"] = 1, 0 if garage.solved(at) else -1
        rebuild(self.codes[:1], self.keys, self.places)

    def explore(self, *, everything: bool = True, most: int = MOST, stop: Stop = never) -> None:
        """Find all reachable positions, or, unless `everything`, all up to the nearest solution.

        Raises Stopped, and TooManyPositions if there are more than `most`.
        """
        with stop_flag(stop) as flag:
            while True:
                known = self.codes, self.taken, self.came, self.keys, self.places
                end = explore(self.spaces, *known, flag, int(everything))
                if end != FULL or self.count > most:
                    break
                self._grow()
        if end == STOPPED:
            raise Stopped
        if self.count > most:
            raise TooManyPositions

    @property
    def count(self) -> int:
        return int(self.spaces[0]["count"])

    def number_of(self, at: At) -> int | None:
        """Return the number of a position, None if it is not known."""
        slot = slot_of(self.keys, np.uint64(packed(self.spaces[0], at)))
        return int(self.places[slot]) if self.keys[slot] else None

    def at(self, number: int) -> At:
        return unpacked(self.spaces[0], int(self.codes[number]))

    def way_to(self, number: int) -> list[tuple[int, int]]:
        """Return the slides, each as (vehicle, amount), that led there from the start."""
        way, here = [], self.at(number)
        while (number := int(self.came[number])) >= 0:
            before = self.at(number)
            way.append(next((car, k - j) for car, (j, k) in enumerate(zip(before, here, strict=True)) if j != k))
            here = before
        return way[::-1]

    def _grow(self) -> None:
        self.codes, self.taken, self.came = map(_doubled, (self.codes, self.taken, self.came))
        self._table(len(self.codes))
        rebuild(self.codes[: self.count], self.keys, self.places)

    def _table(self, room: int) -> None:
        """Make an empty table that is never more than half full."""
        self.keys, self.places = np.zeros(2 * room, np.uint64), np.empty(2 * room, np.int32)


def _doubled(array: Array) -> Array:
    return np.concatenate((array, np.empty_like(array)))


def solve(garage: Garage, at: At, stop: Stop = never) -> Plan:
    """Return a shortest plan, each of its slides as (vehicle, amount); the garage must fit.

    A twin of the rules' own solver: of all shortest solutions it finds the same. Raises Stopped, and TooManyPositions
    if they do not fit.
    """
    positions = Positions(garage, at)
    positions.explore(everything=False, most=MOST, stop=stop)
    found, explored = int(positions.spaces[0]["found"]), int(positions.spaces[0]["head"])
    if found < 0:
        return Plan((), complete=False, expanded=explored, at_least=inf)
    way = tuple(positions.way_to(found))
    return Plan(way, complete=True, expanded=explored, at_least=len(way))


class Survey:
    """All reachable positions, and how far each is from the exit: the twin of the rules' `reach`."""

    def __init__(self, garage: Garage, at: At, most: int = MOST, stop: Stop = never) -> None:
        """Survey a garage, which must fit. Raises Stopped, and TooManyPositions if there are more than `most`."""
        self._positions = positions = Positions(garage, at)
        positions.explore(everything=True, most=most, stop=stop)
        self.count = positions.count
        self._distance, queue = np.empty(self.count, np.int16), np.empty(self.count, np.int32)
        arrays = positions.spaces, positions.codes, positions.taken, positions.keys, positions.places
        with stop_flag(stop) as flag:
            if spread(*arrays, queue, self._distance, flag) == STOPPED:
                raise Stopped
        solvable = self._distance[self._distance != UNKNOWN]
        self.by_distance = tuple(np.bincount(solvable).tolist()) if len(solvable) else ()

    def distance(self, at: At) -> int | None:
        """Return the fewest moves from a reachable position, None if it is unsolvable.

        Raises KeyError for another one.
        """
        number = self._positions.number_of(at)
        if number is None:
            raise KeyError(at)
        found = int(self._distance[number])
        return None if found == UNKNOWN else found
