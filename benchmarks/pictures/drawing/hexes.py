"""The board of Chexers: 37 hexes, tips up."""

from collections.abc import Iterable, Sequence
from math import sqrt

from palio_rules.boards.chexers import BLOCK, EMPTY, HEXES, LETTERS
from pictures.drawing.svg import Point, Sheet

SEATS = ("brick", "olive", "lapis")  # red, green, blue
HALF = sqrt(3) / 2


class HexBoard:
    """A board with its middle at (x, y), of hexes whose corners are `size` from their middle."""

    def __init__(self, sheet: Sheet, x: float, y: float, size: float) -> None:
        self.sheet, self.x, self.y, self.size = sheet, x, y, size

    def middle(self, cell: int) -> Point:
        q, r = HEXES[cell]
        return self.x + (q + r / 2) * 2 * HALF * self.size, self.y + r * 1.5 * self.size

    def corners(self, cell: int, share: float = 1.0) -> list[Point]:
        """Return the corners clockwise from the upper right one."""
        x, y = self.middle(cell)
        wide, high = HALF * self.size * share, self.size * share
        return [
            (x + wide, y - high / 2),
            (x + wide, y + high / 2),
            (x, y + high),
            (x - wide, y + high / 2),
            (x - wide, y - high / 2),
            (x, y - high),
        ]

    def cells(self, cells: str, shades: dict[int, str]) -> None:
        """Draw all hexes: blocks dark, the others in their shade or in that of an empty square."""
        for cell, content in enumerate(cells):
            fill = "block" if content == BLOCK else shades.get(cell, "square")
            self.sheet.path(self.corners(cell, 0.94), closed=True, fill=fill)

    def pieces(self, cells: str) -> None:
        for cell, content in enumerate(cells):
            if content not in (BLOCK, EMPTY):
                self.sheet.circle(*self.middle(cell), self.size * 0.56, fill=SEATS[LETTERS.index(content)])

    def words(self, texts: dict[int, str], size: float = 12, ink: str = "ink") -> None:
        for cell, word in texts.items():
            x, y = self.middle(cell)
            self.sheet.text(x, y + size * 0.36, word, size=size, ink=ink)

    def right_edge(self, cells: Iterable[int], ink: str) -> None:
        """Draw a line along the side on which red leaves the board."""
        ends = [(self.corners(cell, 1.0)[0], self.corners(cell, 1.0)[1]) for cell in cells]
        self.sheet.lines(ends, stroke=ink, width=4)

    def way(self, cells: Sequence[int], ink: str) -> None:
        """Draw a frame around each of `cells`, and an arrow off the board from the last one."""
        for cell in cells:
            self.sheet.path(self.corners(cell, 0.9), closed=True, stroke=ink, width=self.size / 9)
        x, y = self.middle(cells[-1])
        self.sheet.arrow([(x + 0.9 * self.size, y), (x + 0.9 * self.size + 20, y)], stroke=ink, width=self.size / 9)
