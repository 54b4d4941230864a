"""The car park of Rush Hour: its vehicles, the places where each can stand, and the board as rows of text.

The rules are in `rush_hour`.

A vehicle moves along one line, so its place is one number: the column of its left end if it lies, the row of its upper
end if it stands upright. A position is a tuple of such numbers, in the order of `Garage.vehicles`.
"""

import string
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from palio_rules.errors import BadPosition, quoted

ESCAPING = "a"
EMPTY = "."
LETTERS = string.ascii_letters
MIN_SIDE, MAX_SIDE = 4, 10

At = tuple[int, ...]


class BadBoard(BadPosition):
    """A text that is no board; `row` is the row at fault, if there is one."""

    def __init__(self, reason: str, row: int | None = None, col: int | None = None) -> None:
        place = "" if row is None else f"row {row}: " if col is None else f"row {row}, column {col}: "
        super().__init__(place + reason)
        self.reason, self.row, self.col = reason, row, col


class Vehicle(NamedTuple):
    """A vehicle that lies in row `line` or stands upright in column `line`; a vehicle of length 1 stands."""

    letter: str
    lies: bool
    line: int
    length: int


class Garage:
    """The fixed part of a puzzle: the side of the board and its vehicles, by letter. Make one with `garage_of`.

    Cell (row, col) is bit `row * side + col`. `cells[i][k]` is the k-th cell of the line along which vehicle i moves,
    `stands[i][k]` all the cells that vehicle i covers when its first cell is the k-th, `road[k]` the cells between `a`
    and the right edge when the first cell of `a` is the k-th.
    """

    def __init__(self, side: int, vehicles: tuple[Vehicle, ...]) -> None:
        self.side, self.vehicles = side, vehicles
        self.cells = tuple(
            tuple(1 << (car.line * side + k if car.lies else k * side + car.line) for k in range(side))
            for car in vehicles
        )
        self.stands = tuple(
            tuple(sum(cells[k : k + car.length]) for k in range(side - car.length + 1))
            for car, cells in zip(vehicles, self.cells, strict=True)
        )
        self.escaping = next(index for index, car in enumerate(vehicles) if car.letter == ESCAPING)
        length = vehicles[self.escaping].length
        self.road = tuple(sum(self.cells[self.escaping][k + length :]) for k in range(side - length + 1))

    def occupied(self, at: At) -> int:
        """Return the cells under vehicles, as bits."""
        taken = 0
        for stands, k in zip(self.stands, at, strict=True):
            taken |= stands[k]
        return taken

    def solved(self, at: At) -> bool:
        """Return whether no vehicle stands to the right of `a` in its row."""
        return not self.occupied(at) & self.road[at[self.escaping]]

    def slides(self, at: At) -> Iterator[tuple[int, int]]:
        """Yield every slide as (vehicle, amount): vehicle by vehicle; left or up first, and nearest first."""
        taken = self.occupied(at)
        for index, (car, cells, k) in enumerate(zip(self.vehicles, self.cells, at, strict=True)):
            for to in range(k - 1, -1, -1):
                if taken & cells[to]:
                    break
                yield index, to - k
            for end in range(k + car.length, self.side):
                if taken & cells[end]:
                    break
                yield index, end - car.length - k + 1

    def covered(self, index: int, k: int) -> Iterator[tuple[int, int]]:
        """Yield the (row, col) that a vehicle covers when its first cell is the k-th."""
        car = self.vehicles[index]
        for cell in range(k, k + car.length):
            yield (car.line, cell) if car.lies else (cell, car.line)

    def rows(self, at: At) -> list[str]:
        """Return the board as text, from the top."""
        board = [[EMPTY] * self.side for _ in range(self.side)]
        for index, k in enumerate(at):
            for row, col in self.covered(index, k):
                board[row][col] = self.vehicles[index].letter
        return ["".join(row) for row in board]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Garage):
            return NotImplemented
        return self is other or (self.side, self.vehicles) == (other.side, other.vehicles)

    def __hash__(self) -> int:
        return hash((self.side, self.vehicles))

    def __reduce__(self) -> tuple[object, tuple[int, tuple[Vehicle, ...]]]:
        return garage_of, (self.side, self.vehicles)  # copies and pickles share the one garage, too


@lru_cache(maxsize=1024)
def garage_of(side: int, vehicles: tuple[Vehicle, ...]) -> Garage:
    """Return the garage with these vehicles; equal arguments give the same object."""
    return Garage(side, vehicles)


def read_board(rows: Sequence[str], *, any_size: bool = False) -> tuple[Garage, At]:
    """Read a board: its garage and the places of its vehicles. Raises BadBoard with the row and the column.

    A board is square; unless `any_size`, the number of rows must be one that the game allows. `.` is empty, letters are
    vehicles; `a` must lie. A single letter is a vehicle of length 1, which counts as upright.
    """
    side = len(rows)
    if not any_size and not MIN_SIDE <= side <= MAX_SIDE:
        raise BadBoard(f"a board has {MIN_SIDE} to {MAX_SIDE} rows, got {side}")
    found: dict[str, list[tuple[int, int]]] = {}
    for row, cells in enumerate(rows):
        if len(cells) != side:
            raise BadBoard(f"it has {len(cells)} cells, but a board of {side} rows is {side} wide", row)
        for col, cell in enumerate(cells):
            if cell in LETTERS:
                found.setdefault(cell, []).append((row, col))
            elif cell != EMPTY:
                raise BadBoard(f"{quoted(cell)} is neither a letter nor {EMPTY!r}", row, col)
    if ESCAPING not in found:
        raise BadBoard(f"there is no vehicle {ESCAPING!r} that could escape")
    letters = sorted(found)
    vehicles = tuple(_vehicle(letter, found[letter]) for letter in letters)
    at = tuple(found[letter][0][car.lies] for letter, car in zip(letters, vehicles, strict=True))
    return garage_of(side, vehicles), at


def _vehicle(letter: str, cells: list[tuple[int, int]]) -> Vehicle:
    """Return the vehicle on these cells, which are sorted row by row."""
    (row, col), length = cells[0], len(cells)
    lies = length > 1 and cells[1][0] == row
    for k, (r, c) in enumerate(cells):
        if (r != row) if lies else (c != col):
            raise BadBoard(f"vehicle {letter!r} bends: it began on row {row}, column {col}", r, c)
        if (c - col if lies else r - row) != k:
            raise BadBoard(f"vehicle {letter!r} is split: it began on row {row}, column {col}", r, c)
    if letter == ESCAPING and not lies:
        raise BadBoard(f"vehicle {letter!r} stands upright, it must lie to escape to the right", row, col)
    return Vehicle(letter, lies, row if lies else col, length)
