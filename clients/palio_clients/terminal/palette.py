"""What the materials of a picture look like: the page's colours, or textures where there is no colour."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.segment import Segment
from rich.style import Style

from palio_clients.terminal.canvas import QUADRANTS, Glyph

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
    "wall": _NOBODY[0],
    "ball": "#f0b93a",
    "cross": "#5a1505",
}
_TEXTURES = {"wall": "▒", "seat": "▒", "ball": "○", "ghost": "░"}


def seat_colours(seats: Sequence[str]) -> list[tuple[str, str]]:
    """Each seat's fill, and the colour of signs on it."""
    return [_NAMED.get(name, _NUMBERED[number % len(_NUMBERED)]) for number, name in enumerate(seats)]


def blend(one: str, other: str, share: float) -> str:
    """A colour between two, `share` of the way to the other."""
    parts = (
        round(int(one[at : at + 2], 16) * (1 - share) + int(other[at : at + 2], 16) * share) for at in range(1, 7, 2)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)


@dataclass(frozen=True)
class Palette:
    """Draws glyphs for the seats of one game; `colour` False leaves shapes and letters only."""

    seats: tuple[str, ...]
    colour: bool = True
    _known: dict[Glyph, Segment] = field(default_factory=dict, compare=False, repr=False)

    def segment(self, glyph: Glyph) -> Segment:
        """What is written for a character; a board has many alike."""
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
        """Quadrants for what is solid; for the rest a texture, where half of the character has it."""
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
    """Bars are distinguished by their direction, other pieces by their letter, and every second seat by its texture."""
    return material.startswith("bar") or material in ("seat0", "seat2")
