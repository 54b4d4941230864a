"""A picture in characters, four pixels to each: Unicode's quadrants draw a finer picture than a terminal has cells.

Pixels hold materials, names such as "dark" or "seat0"; what each looks like is the palette's business.
"""

from functools import lru_cache
from typing import NamedTuple

QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"  # by bits: upper left 1, upper right 2, lower left 4, lower right 8
SEAMED = "hex"  # in the names of materials that meet in the middle of characters


class Size(NamedTuple):
    """One cell of a board in characters. A character is about twice as high as it is wide."""

    width: int
    height: int


class Glyph(NamedTuple):
    """One character: its quadrants in `ink`, the rest in `ground`; or a letter."""

    ink: str
    ground: str
    mask: int  # index into QUADRANTS
    letter: str = ""


class Canvas:
    """`width` x `height` characters, that is twice as many pixels either way; pixel (0, 0) is the top left one."""

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
        """Put letters at character (x, y), in `material`, on whatever is there."""
        for offset, letter in enumerate(text):
            self._letters[x + offset, y] = letter, material

    def line(self, y: int) -> list[Glyph]:
        """The characters of line `y`."""
        upper, lower = self._pixels[2 * y], self._pixels[2 * y + 1]
        quads = zip(upper[::2], upper[1::2], lower[::2], lower[1::2], strict=True)
        glyphs = [_glyph(quad) for quad in quads]
        for (x, row), (letter, material) in self._letters.items():
            if row == y and 0 <= x < self.width:
                glyphs[x] = Glyph(material, glyphs[x].ground, 0, letter)
        return glyphs


@lru_cache(4096)
def _glyph(pixels: tuple[str, str, str, str]) -> Glyph:
    """Two materials fit into a character: the commonest is its ground, of the others the commonest is drawn on it.

    A piece comes before the ground's own seams.
    """
    ground = max(sorted(set(pixels)), key=pixels.count)
    others = [material for material in pixels if material != ground]
    if not others:
        return Glyph(ground, ground, 0)
    ink = max(sorted(set(others)), key=lambda material: (SEAMED not in material, others.count(material)))
    return Glyph(ink, ground, sum(1 << bit for bit, material in enumerate(pixels) if material == ink))
