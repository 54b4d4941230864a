"""Names of squares, as chess players write them: columns are letters from the left, rows are numbers from the bottom.

Positions count rows from the top or from the bottom as their handouts do; here `rank` is always 1 at the bottom.
"""

import re
from collections.abc import Iterable, Sequence
from string import ascii_lowercase

from palio_rules.errors import BadPosition, IllegalMove, quoted

_SQUARE = re.compile(r"([a-z])([1-9][0-9]?)")


def square(rank: int, col: int) -> str:
    """Return the name of a square: `square(1, 0)` is "a1", the bottom left corner."""
    return f"{ascii_lowercase[col]}{rank}"


def read_square(text: str) -> tuple[int, int] | None:
    """Return the (rank, col) that `text` names, on a board of any size; None if it is not the name of a square."""
    found = _SQUARE.fullmatch(text)
    return (int(found[2]), ascii_lowercase.index(found[1])) if found else None


def col_names(cols: int) -> tuple[str, ...]:
    """Return the letters for the bottom edge, from the left."""
    return tuple(ascii_lowercase[:cols])


def row_names(rows: int) -> tuple[str, ...]:
    """Return the numbers for the left edge, from the top."""
    return tuple(str(rank) for rank in range(rows, 0, -1))


class Grid:
    """A board of `rows` x `cols` squares, of which (row, col) from the top left corner is bit `row * cols + col`."""

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.full = (1 << rows * cols) - 1

    def bit(self, row: int, col: int) -> int:
        return 1 << row * self.cols + col

    def name(self, row: int, col: int) -> str:
        return square(self.rows - row, col)

    def named(self, text: str) -> tuple[int, int] | None:
        """Return the (row, col) that `text` names; None if this board has no such square."""
        found = read_square(text)
        return (self.rows - found[0], found[1]) if found and found[0] <= self.rows and found[1] < self.cols else None

    def check(self, row: int, col: int) -> None:
        """Raise IllegalMove if (row, col) is off the board."""
        if not 0 <= row < self.rows:
            raise IllegalMove("off-board", f"row {quoted(row)} is off the {self.rows}x{self.cols} board")
        if not 0 <= col < self.cols:
            raise IllegalMove("off-board", f"column {quoted(col)} is off the {self.rows}x{self.cols} board")


def check_rows(rows: Sequence[str], known: str) -> None:
    """Raise BadPosition, with the place, unless all rows are equally long and each cell is one of `known`."""
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise BadPosition(f"row {number} has {len(row)} squares, row 0 has {len(rows[0])}")
        if rest := row.lstrip(known):
            place = f"row {number}, column {len(row) - len(rest)}"
            raise BadPosition(f"{place}: {rest[0]!r} is none of {' '.join(known)}")


def text_board(rows: Sequence[Iterable[str]], below: str = "", names: Sequence[str] = ()) -> str:
    """Draw rows of one-character cells, from the top, with coordinates around them and a line of text below.

    `names` are the columns' names, a character each, if they are not the letters from a.
    """
    width = len(str(len(rows)))
    lines = [
        f"{name:>{width}} {' '.join(cells)}" for name, cells in zip(row_names(len(rows)), map(list, rows), strict=True)
    ]
    cols = (len(lines[0]) - width) // 2
    return "\n".join([*lines, " " * (width + 1) + " ".join(names or col_names(cols)), below]).rstrip("\n")
