"""Rush Hour solved: the shortest way from one position, or the distance of everything that can be reached."""

from math import inf

import numpy as np

from palio_clients.games.rush_hour.kernels.waves import FULL, STOPPED, UNKNOWN, explore, rebuild, slot_of, spread
from palio_clients.games.rush_hour.kernels.workspace import packed, unpacked, workspace
from palio_clients.kernels.alarm import watched
from palio_clients.kernels.jit import Array
from palio_clients.search.a_star import Plan
from palio_clients.search.game_tree import Stop, Stopped, never
from palio_rules.boards.rush_hour import At, Garage
from palio_rules.instances.rush_hour_solver import TooMany

ROOM = 1 << 13  # positions at first; doubled when there are more
MOST = 1 << 24  # positions that a search may know: some 700 megabytes


class Positions:
    """Positions in the order in which a breadth-first search meets them. It grows as it must."""

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
        """Meet all that can be reached, or, unless `everything`, all on the way to the nearest solution.

        Raises Stopped, and TooMany if there are more than `most`.
        """
        with watched(stop) as flag:
            while True:
                known = self.codes, self.taken, self.came, self.keys, self.places
                end = explore(self.spaces, *known, flag, int(everything))
                if end != FULL or self.count > most:
                    break
                self._grow()
        if end == STOPPED:
            raise Stopped
        if self.count > most:
            raise TooMany

    @property
    def count(self) -> int:
        return int(self.spaces[0]["count"])

    def number_of(self, at: At) -> int | None:
        """The number of a position, None if it is not known."""
        slot = slot_of(self.keys, np.uint64(packed(self.spaces[0], at)))
        return int(self.places[slot]) if self.keys[slot] else None

    def at(self, number: int) -> At:
        return unpacked(self.spaces[0], int(self.codes[number]))

    def way_to(self, number: int) -> list[tuple[int, int]]:
        """The slides, each as (vehicle, amount), that led there from the start."""
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
        """An empty table that never gets more than half full."""
        self.keys, self.places = np.zeros(2 * room, np.uint64), np.empty(2 * room, np.int32)


def _doubled(array: Array) -> Array:
    return np.concatenate((array, np.empty_like(array)))


def solve(garage: Garage, at: At, stop: Stop = never) -> Plan:
    """A shortest plan, each of its slides as (vehicle, amount); the garage must fit.

    A twin of the rules' own solver: it finds the same of all shortest solutions. Raises Stopped, and TooMany if that
    takes more positions than there is room for.
    """
    positions = Positions(garage, at)
    positions.explore(everything=False, most=MOST, stop=stop)
    found, explored = int(positions.spaces[0]["found"]), int(positions.spaces[0]["head"])
    if found < 0:
        return Plan((), complete=False, expanded=explored, at_least=inf)
    way = tuple(positions.way_to(found))
    return Plan(way, complete=True, expanded=explored, at_least=len(way))


class Survey:
    """All positions that can be reached, and how far each is from the way out: the twin of the rules' `reach`."""

    def __init__(self, garage: Garage, at: At, most: int = MOST, stop: Stop = never) -> None:
        """The garage must fit. Raises Stopped, and TooMany if there are more positions than `most`."""
        self._positions = positions = Positions(garage, at)
        positions.explore(everything=True, most=most, stop=stop)
        self.count = positions.count
        self._distance, queue = np.empty(self.count, np.int16), np.empty(self.count, np.int32)
        arrays = positions.spaces, positions.codes, positions.taken, positions.keys, positions.places
        with watched(stop) as flag:
            if spread(*arrays, queue, self._distance, flag) == STOPPED:
                raise Stopped
        solvable = self._distance[self._distance != UNKNOWN]
        self.by_distance = tuple(np.bincount(solvable).tolist()) if len(solvable) else ()

    def distance(self, at: At) -> int | None:
        """The fewest moves from a position that can be reached, None if nothing solves it. Or else KeyError."""
        number = self._positions.number_of(at)
        if number is None:
            raise KeyError(at)
        found = int(self._distance[number])
        return None if found == UNKNOWN else found
