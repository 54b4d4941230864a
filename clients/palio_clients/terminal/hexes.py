"""A board of hexagons in characters: which pixels belong to which hex, and where the arrows lead.

A cell is (row, col), axial offsets as a scene has them. Rows lie one below the other, each half a hex to the right of
the one above. A pixel belongs to the hex whose middle is nearest in the true lattice, where rows are sqrt(3)/2 of a
hex's width apart; characters are not quite as high as that, so the hexagons come out a little longer.
"""

from functools import lru_cache
from math import floor
from typing import NamedTuple

from palio_clients.terminal.canvas import Size
from palio_rules.gestures import Cell
from palio_rules.scene import Scene

Spans = tuple[tuple[int, int, int], ...]  # (y, left, right) in pixels, `right` just outside

RIM = 1  # lines above and below for the tips of the outermost hexes
SHADES = 3  # as many as it takes to have no two neighbours alike
PITCH = 3**0.5 / 2  # from row to row, in widths of a hex


class HexFrame(NamedTuple):
    """Where the board lies on its canvas; `size` is one hex: its width, and the way from row to row, in characters."""

    left: int  # characters of margin
    size: Size
    first: int  # half hexes to the left of column 0 of row 0 that no hex reaches
    width: int
    height: int
    tiles: frozenset[Cell]

    def cell(self, x: int, y: int, _scene: Scene) -> Cell | None:
        """The hex at character (x, y), None beside the board."""
        found = self.nearest(2 * x + 1, 2 * y + 1)
        return found if found in self.tiles else None

    def corner(self, cell: Cell) -> Cell:
        """The character in the top left corner of a hex's middle part."""
        row, col = cell
        width, height = self.size
        return self.left + (2 * col + row - self.first) * width // 2, RIM + row * height

    def nearest(self, x: float, y: float) -> Cell:
        """The hex whose middle is nearest to a point, in pixels; perhaps none of the board's."""
        width, height = self.size
        line = (y - 2 * RIM) / (2 * height)  # in rows
        across = (x - 2 * self.left) / width + self.first  # in half hexes
        candidates = []
        for row in (floor(line) - 1, floor(line), floor(line) + 1):
            col = floor((across - row) / 2)
            aside, down = (across - (2 * col + row + 1)) / 2, (line - (row + 0.5)) * PITCH
            candidates.append((aside**2 + down**2, (row, col)))
        return min(candidates)[1]


def hex_frame(scene: Scene, size: Size) -> HexFrame:
    """The board with a margin of one character on either side."""
    tiles = tiles_of(scene)
    halves = [2 * col + row for row, col in tiles]
    first = min(halves, default=0)
    across = (max(halves, default=0) + 2 - first) * size[0] // 2
    return HexFrame(1, size, first, across + 2, scene.rows * size[1] + 2 * RIM, tiles)


def tiles_of(scene: Scene) -> frozenset[Cell]:
    """The hexes that exist: those that seatless marks name, or else all."""
    named = {(mark.row, mark.col) for mark in scene.marks if mark.shape == "hex" and mark.seat is None}
    return frozenset(named or ((row, col) for row in range(scene.rows) for col in range(scene.cols)))


def shade(cell: Cell) -> int:
    """0 to 2, different for neighbours."""
    return (cell[1] - cell[0]) % SHADES


def step(tiles: frozenset[Cell], cell: Cell, down: int, right: int) -> Cell:
    """Where an arrow leads: along the row, or to the next row, in a zigzag that goes straight down; nowhere else."""
    row, col = cell
    if not down:
        ways = [(row, col + right)]
    else:
        ways = [(row + down, col + aside) for aside in ((0, -down) if row % 2 else (-down, 0))]
    return next((way for way in ways if way in tiles), cell)


@lru_cache(32)
def spans(frame: HexFrame) -> dict[Cell, Spans]:
    """The pixels of every hex."""
    found: dict[Cell, list[tuple[int, int, int]]] = {cell: [] for cell in frame.tiles}
    for y in range(2 * frame.height):
        owners = [frame.nearest(x + 0.5, y + 0.5) for x in range(2 * frame.width)]
        begin = 0
        for x in range(1, len(owners) + 1):
            if x == len(owners) or owners[x] != owners[begin]:
                if owners[begin] in found:
                    found[owners[begin]].append((y, begin, x))
                begin = x
    return {cell: tuple(pixels) for cell, pixels in found.items()}
