"""Names of squares, as chess players write them: columns are letters from the left, rows are numbers from the bottom.

Positions count rows from the top or from the bottom as their handouts do; here `rank` is always 1 at the bottom.
"""

import re
from collections.abc import Iterable, Sequence
from string import ascii_lowercase

_SQUARE = re.compile(r"([a-z])([1-9][0-9]?)")


def square(rank: int, col: int) -> str:
    """The name of a square: `square(1, 0)` is "a1", the bottom left corner."""
    return f"{ascii_lowercase[col]}{rank}"


def read_square(text: str) -> tuple[int, int] | None:
    """The (rank, col) that `text` names, on a board of any size; None if it is no name of a square."""
    found = _SQUARE.fullmatch(text)
    return (int(found[2]), ascii_lowercase.index(found[1])) if found else None


def col_names(cols: int) -> tuple[str, ...]:
    """Letters for the bottom edge, from the left."""
    return tuple(ascii_lowercase[:cols])


def row_names(rows: int) -> tuple[str, ...]:
    """Numbers for the left edge, from the top."""
    return tuple(str(rank) for rank in range(rows, 0, -1))


def text_board(rows: Sequence[Iterable[str]], below: str = "") -> str:
    """Rows of one-character cells, from the top, with coordinates around them and a line of text below."""
    width = len(str(len(rows)))
    lines = [
        f"{name:>{width}} {' '.join(cells)}" for name, cells in zip(row_names(len(rows)), map(list, rows), strict=True)
    ]
    cols = (len(lines[0]) - width) // 2
    return "\n".join([*lines, " " * (width + 1) + " ".join(col_names(cols)), below]).rstrip("\n")
