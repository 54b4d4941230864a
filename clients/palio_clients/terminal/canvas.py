"""A picture in characters, four pixels to each: Unicode's quadrants give a finer picture than one pixel a character.

Pixels hold materials, names such as "dark" or "seat0"; the palette defines their looks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import floor
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style

from palio_rules.scene import Cell, Scene

QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"  # by bits: upper left 1, upper right 2, lower left 4, lower right 8
SEAMED = "hex"  # in the names of materials that meet in the middle of characters


class Size(NamedTuple):
    """The size of one cell of a board, in characters. A character is about twice as high as it is wide."""

    width: int
    height: int


class Glyph(NamedTuple):
    """One character: its quadrants in `ink`, the rest in `ground`; or a letter."""

    ink: str
    ground: str
    mask: int  # index into QUADRANTS
    letter: str = ""


class Canvas:
    """A canvas of `width` x `height` characters, with twice as many pixels either way; pixel (0, 0) is top left."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._pixels = [[""] * (2 * width) for _ in range(2 * height)]
        self._letters: dict[tuple[int, int], tuple[str, str]] = {}

    def box(self, left: int, top: int, right: int, bottom: int, material: str) -> None:
        """Fill a rectangle of pixels; `right` and `bottom` are just outside."""
        for row in self._pixels[max(top, 0) : bottom]:
            row[max(left, 0) : right] = [material] * (min(right, len(row)) - max(left, 0))

    def disc(self, left: int, top: int, right: int, bottom: int, material: str) -> None:
        """Fill the largest ellipse in a rectangle of pixels."""
        across, down = (right - left) / 2, (bottom - top) / 2
        for y in range(max(top, 0), min(bottom, 2 * self.height)):
            for x in range(max(left, 0), min(right, 2 * self.width)):
                if ((x + 0.5 - left) / across - 1) ** 2 + ((y + 0.5 - top) / down - 1) ** 2 <= 1:
                    self._pixels[y][x] = material

    def write(self, x: int, y: int, text: str, material: str) -> None:
        """Put letters at character (x, y), in `material`, over the present content."""
        for offset, letter in enumerate(text):
            self._letters[x + offset, y] = letter, material

    def rub_out(self, x: int, y: int, width: int, height: int) -> None:
        """Take the letters off a rectangle of characters."""
        for place in [(x + right, y + down) for right in range(width) for down in range(height)]:
            self._letters.pop(place, None)

    def line(self, y: int) -> list[Glyph]:
        """Return the characters of line `y`."""
        upper, lower = self._pixels[2 * y], self._pixels[2 * y + 1]
        quads = zip(upper[::2], upper[1::2], lower[::2], lower[1::2], strict=True)
        glyphs = [_glyph(quad) for quad in quads]
        for (x, row), (letter, material) in self._letters.items():
            if row == y and 0 <= x < self.width:
                glyphs[x] = Glyph(material, glyphs[x].ground, 0, letter)
        return glyphs


@lru_cache(4096)
def _glyph(pixels: tuple[str, str, str, str]) -> Glyph:
    """Return a character with two of the materials: the commonest is its ground, the next commonest is drawn on it.

    A piece takes precedence over the ground's own seams.
    """
    ground = max(sorted(set(pixels)), key=pixels.count)
    others = [material for material in pixels if material != ground]
    if not others:
        return Glyph(ground, ground, 0)
    ink = max(sorted(set(others)), key=lambda material: (SEAMED not in material, others.count(material)))
    return Glyph(ink, ground, sum(1 << bit for bit, material in enumerate(pixels) if material == ink))


# The looks of a picture's materials: the page's colours, or textures without colour.

GROUND, INK, SOFT, ACCENT, BAD, GOLD = "#1a1411", "#f2e7d8", "#b8a694", "#ec9371", "#ff9d85", "#e4b65a"
LINE = "#40332a"

# (fill, sign) of a seat: by its name, or else by its number.
_NAMED = {
    "black": ("#2a211c", "#f3e6cd"),
    "white": ("#fffdf8", "#5d4a3a"),
    "red": ("#b2492f", "#ffe9dc"),
    "blue": ("#2b6398", "#e6f1fb"),
    "green": ("#5f7a2f", "#f4f8e4"),
}
_NUMBERED = (_NAMED["red"], _NAMED["blue"], _NAMED["green"], ("#d29a2a", "#3b2903"))
_NOBODY = ("#8f8378", "#f3e6cd")

_GROUNDS = {
    "": GROUND,
    "light": "#d8c3a0",
    "dark": "#ab8660",
    "plain-light": "#d8c3a0",
    "plain-dark": "#ccb48d",
    "last-light": "#ecc476",
    "last-dark": "#e2b659",
    "hex0": "#d8c3a0",
    "hex1": "#ccb48d",
    "hex2": "#c0a67c",
    "last-hex0": "#ecc476",
    "last-hex1": "#e5bb62",
    "last-hex2": "#ddb052",
    "held": "#e8b23c",
    "cursor": "#fbeecb",
    "refused": "#c9705a",
    "names": SOFT,
    "mesh": "#6b5138",
    "wall": _NOBODY[0],
    "ball": "#f0b93a",
    "cross": "#5a1505",
}
_TEXTURES = {"wall": "▒", "seat": "▒", "ball": "○", "ghost": "░"}


def seat_colours(seats: Sequence[str]) -> list[tuple[str, str]]:
    """Return each seat's fill, and the colour of signs on it."""
    return [_NAMED.get(name, _NUMBERED[number % len(_NUMBERED)]) for number, name in enumerate(seats)]


def blend(one: str, other: str, share: float) -> str:
    """Return a colour between two, `share` of the way to the other."""
    parts = (
        round(int(one[at : at + 2], 16) * (1 - share) + int(other[at : at + 2], 16) * share) for at in range(1, 7, 2)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)


@dataclass(frozen=True)
class Palette:
    """A drawer of glyphs for the seats of one game; `colour` False leaves shapes and letters only."""

    seats: tuple[str, ...]
    colour: bool = True
    _known: dict[Glyph, Segment] = field(default_factory=dict, compare=False, repr=False)

    def segment(self, glyph: Glyph) -> Segment:
        """Return the terminal's text for a character; a board has many equal ones."""
        known = self._known.get(glyph)
        if known is None:
            known = self._known[glyph] = self._draw(glyph)
        return known

    def _draw(self, glyph: Glyph) -> Segment:
        if not self.colour:
            return Segment(self._texture(glyph))
        style = Style(color=self.shade(glyph.ink), bgcolor=self.shade(glyph.ground))
        return Segment(glyph.letter or QUADRANTS[glyph.mask], style)

    def shade(self, material: str) -> str:
        if material in _GROUNDS:
            return _GROUNDS[material]
        kind, number = material[:-1], material[-1]
        fill, sign = seat_colours(self.seats)[int(number)] if number.isdigit() else _NOBODY
        return {
            "seat": fill,
            "bar": fill,
            "sign": sign,
            "ghost": blend(fill, _GROUNDS["plain-light"], 0.45),
            "pip": blend(fill, _GROUNDS["plain-dark"], 0.65),
        }[kind]

    def _texture(self, glyph: Glyph) -> str:
        """Return quadrants for solid materials; for others a texture, if half of the character has it."""
        if glyph.letter:
            return glyph.letter
        if glyph.ink == glyph.ground:
            return "█" if _solid(glyph.ink) else _TEXTURES.get(_kind(glyph.ink), " ")
        for material, mask in ((glyph.ink, glyph.mask), (glyph.ground, 15 - glyph.mask)):
            if _solid(material):
                return QUADRANTS[mask]
            if _kind(material) in _TEXTURES and mask.bit_count() >= 2 - (_kind(material) == "ghost"):
                return _TEXTURES[_kind(material)]
        return " "


def _kind(material: str) -> str:
    return material.rstrip("0123456789-")


def _solid(material: str) -> bool:
    """Return whether a material is solid. Bars differ by direction, other pieces by letter, second seats by texture."""
    return material.startswith("bar") or material in ("seat0", "seat2")


# A board of hexagons in characters: the pixels of each hex, and the steps of the arrow keys.
#
# A cell is (row, col), axial offsets as in a scene. Rows lie one below the other, each half a hex to the right of the
# one above. A pixel belongs to the hex whose middle is nearest in the true lattice, where rows are sqrt(3)/2 of a hex's
# width apart; characters are not quite as high as that, so the hexagons become a little longer.

Spans = tuple[tuple[int, int, int], ...]  # (y, left, right) in pixels, `right` just outside

RIM = 1  # lines above and below for the tips of the outermost hexes
SHADES = 3  # enough to give all neighbours different shades
PITCH = 3**0.5 / 2  # from row to row, in widths of a hex


class HexFrame(NamedTuple):
    """A board's place on its canvas; `size` is one hex: its width, and the distance of rows, in characters."""

    left: int  # characters of margin
    size: Size
    first: int  # half hexes to the left of column 0 of row 0 without any hex
    width: int
    height: int
    tiles: frozenset[Cell]

    def cell(self, x: int, y: int, _scene: Scene) -> Cell | None:
        """Return the hex at character (x, y), None beside the board."""
        found = self.nearest(2 * x + 1, 2 * y + 1)
        return found if found in self.tiles else None

    def corner(self, cell: Cell) -> Cell:
        """Return the character in the top left corner of a hex's middle part."""
        row, col = cell
        width, height = self.size
        return self.left + (2 * col + row - self.first) * width // 2, RIM + row * height

    def nearest(self, x: float, y: float) -> Cell:
        """Return the hex whose middle is nearest to a point, in pixels; it may be off the board."""
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
    """Return the board's place with a margin of one character on either side."""
    tiles = tiles_of(scene)
    halves = [2 * col + row for row, col in tiles]
    first = min(halves, default=0)
    across = (max(halves, default=0) + 2 - first) * size[0] // 2
    return HexFrame(1, size, first, across + 2, scene.rows * size[1] + 2 * RIM, tiles)


def tiles_of(scene: Scene) -> frozenset[Cell]:
    """Return the hexes that exist: those that seatless marks name, or else all."""
    named = {(mark.row, mark.col) for mark in scene.marks if mark.shape == "hex" and mark.seat is None}
    return frozenset(named or ((row, col) for row in range(scene.rows) for col in range(scene.cols)))


def shade(cell: Cell) -> int:
    """Return the shade, 0 to 2, different for neighbours."""
    return (cell[1] - cell[0]) % SHADES


def step(tiles: frozenset[Cell], cell: Cell, down: int, right: int) -> Cell:
    """Return the hex for an arrow key: along the row, or to the next row, in a zigzag that goes straight down."""
    row, col = cell
    if not down:
        ways = [(row, col + right)]
    else:
        ways = [(row + down, col + aside) for aside in ((0, -down) if row % 2 else (-down, 0))]
    return next((way for way in ways if way in tiles), cell)


@lru_cache(32)
def spans(frame: HexFrame) -> dict[Cell, Spans]:
    """Return the pixels of every hex."""
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
