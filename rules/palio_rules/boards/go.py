"""The board of Go: points as bits, their names, and what is connected with what.

A set of points is an integer with a bit for each point, row by row from the top. Each row has one more bit, which is
never set, so that a shift by one never leads from a row to the next one.

Points are named as in GTP: a letter for the column, without I, and a number for the row, from 1 at the bottom.
"""

from collections.abc import Iterator
from functools import cache

from palio_rules.boards.grid import row_names
from palio_rules.errors import BadOption

COLS = "ABCDEFGHJKLMNOPQRST"  # without I, which looks like J
LARGEST = len(COLS)
PASS = "pass"  # noqa: S105 - a move
CLAIM = "pass:"  # and points, with commas between: a pass that calls their groups dead
_FEW = 4  # handicap stones on boards of an even size, and of 7x7
_MOST = 9  # on others


def is_pass(move: str) -> bool:
    """Return True for a pass, also for one that claims dead stones."""
    return move == PASS or move.startswith(CLAIM)


class Board:
    """The tables for all positions on a board of one size: computed once, shared by all of them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.stride = size + 1
        self.width = size * self.stride  # bits of a set of points
        self.bits = {
            f"{COLS[col]}{size - row}": 1 << row * self.stride + col for row in range(size) for col in range(size)
        }
        self.names = {bit: name for name, bit in self.bits.items()}
        self.full = sum(self.names)
        self.near = {bit: self.beside(bit) for bit in self.names}
        self.col_names, self.row_names = tuple(COLS[:size]), row_names(size)
        self.longest = 3 * size * size  # plies of a game

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return board_of, (self.size,)  # copies and pickles share the one board of this size, too

    def cell(self, bit: int) -> tuple[int, int]:
        """Return the (row, col) of a point, from the top left corner."""
        return divmod(bit.bit_length() - 1, self.stride)

    def bit(self, row: int, col: int) -> int:
        return 1 << row * self.stride + col

    def points(self, found: int) -> Iterator[int]:
        """Yield each point of a set as a set of its own, row by row from the top."""
        while found:
            bit = found & -found
            found ^= bit
            yield bit

    def spread(self, found: int) -> int:
        """Return a set of points with all their neighbours."""
        return found | self.beside(found)

    def beside(self, found: int) -> int:
        """Return the neighbours of a set of points, those in the set as well if they have a neighbour there."""
        stride = self.stride
        return (found << 1 | found >> 1 | found << stride | found >> stride) & self.full

    def flood(self, seed: int, within: int) -> int:
        """Return the points of `within` that are connected with `seed`, which is a part of it."""
        stride, grown = self.stride, seed
        while True:
            found = grown
            grown = (found | found << 1 | found >> 1 | found << stride | found >> stride) & within
            if grown == found:
                return found

    def taken(self, stone: int, stones: int, empty: int) -> int:
        """Return the group of `stone`, one of `stones`, if it has no liberty among the `empty` points; else 0."""
        stride, grown = self.stride, stone
        while True:
            found = grown
            around = found | found << 1 | found >> 1 | found << stride | found >> stride
            if around & empty:
                return 0
            grown = around & stones
            if grown == found:
                return found

    def groups(self, stones: int) -> Iterator[int]:
        """Yield the groups of `stones`, all of one colour, by their first point."""
        while stones:
            group = self.flood(stones & -stones, stones)
            stones ^= group
            yield group

    def areas(self, black: int, white: int) -> tuple[int, int]:
        """Return the points that each side owns by area scoring.

        They are its stones, and the empty points from which empty points lead to its stones only. Tromp and Taylor's
        rules, https://tromp.github.io/go.html, rules 9 and 10.
        """
        empty = self.full ^ black ^ white
        reached = [self.flood(stones, stones | empty) if stones else 0 for stones in (black, white)]
        return reached[0] & ~reached[1], reached[1] & ~reached[0]

    def hoshi(self) -> tuple[int, ...]:
        """Return the points that are marked on the board, which handicap stones and eyes are guided by."""
        if self.size < 5:
            return ()
        if self.size < 7:
            return (self.bit(self.size // 2, self.size // 2),) if self.size % 2 else ()
        return tuple(sorted(self._handicap(self.most_handicap())))

    def most_handicap(self) -> int:
        """Return how many handicap stones have places of their own; 0 on boards smaller than 7x7."""
        return 0 if self.size < 7 else _FEW if self.size % 2 == 0 or self.size == 7 else _MOST

    def handicap(self, stones: int) -> int:
        """Return the places of handicap stones as GTP fixes them.

        Farneback, "Specification of the Go Text Protocol, version 2", 4.1.1. Raises BadOption if there are too many.
        """
        most = self.most_handicap()
        if stones == 1:
            raise BadOption("handicap=1 is no stone; leave it out, and say komi=0.5 or what you agreed on")
        if stones > most:
            few = f"handicap=0 to {most}" if most else "handicap=0, or a board of 7x7 or more"
            raise BadOption(f"handicap={stones} has no places on a board of {self.size}x{self.size}; say {few}")
        return sum(self._handicap(stones)) if stones else 0

    def _handicap(self, stones: int) -> list[int]:
        low = 3 if self.size > 11 else 2
        middle, high = self.size // 2, self.size - 1 - low
        corners = [(high, low), (low, high), (low, low), (high, high)][:stones]
        edges = [(middle, low), (middle, high), (high, middle), (low, middle)]
        more = edges[: 2 if stones < 8 else 4] if stones > 5 else []
        centre = [(middle, middle)] if stones in {5, 7, 9} else []
        return [self.bit(row, col) for row, col in (*corners, *more, *centre)]


@cache
def board_of(size: int) -> Board:
    return Board(size)
