"""A sheet of SVG: shapes and words in the palette's colours, the same text for the same picture on every machine.

Coordinates are rounded to a tenth, so that the last bits of a float cannot be seen. Colours are classes, of which a
sheet explains those that it uses, by day and by night.
"""

from collections.abc import Iterable
from html import escape
from math import hypot

from pictures.drawing.palette import COLOURS

SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif"
SERIF = "'Iowan Old Style','Palatino Linotype',Palatino,'Book Antiqua',Georgia,serif"
MARGIN = 24

Point = tuple[float, float]


def number(value: float) -> str:
    """Return a number to a tenth, in the shortest form: 3, 3.5, never -0."""
    tenths = round(value * 10)
    return str(tenths // 10) if tenths % 10 == 0 else f"{tenths / 10:.1f}"


class Sheet:
    """A sheet of this width and height; `title` stands on top, `subtitle` below it in smaller letters."""

    def __init__(self, wide: float, high: float, title: str, subtitle: str = "") -> None:
        self.wide, self.high, self.title = wide, high, title
        self._shapes: list[str] = []
        self._classes: set[str] = set()
        self.rect(0, 0, wide, high, fill="paper", round_=10)
        self.text(MARGIN, 32, title, size=16, anchor="start", serif=True, bold=True)
        if subtitle:
            self.text(MARGIN, 51, subtitle, ink="soft", anchor="start")

    def rect(self, x: float, y: float, wide: float, high: float, *, round_: float = 0, **look: object) -> None:
        rounded = f' rx="{number(round_)}"' if round_ else ""
        size = f'width="{number(wide)}" height="{number(high)}"'
        self._put(f'rect x="{number(x)}" y="{number(y)}" {size}{rounded}', **look)

    def circle(self, x: float, y: float, radius: float, **look: object) -> None:
        self._put(f'circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"', **look)

    def line(self, x1: float, y1: float, x2: float, y2: float, **look: object) -> None:
        self.path([(x1, y1), (x2, y2)], **look)

    def path(self, points: Iterable[Point], *, closed: bool = False, **look: object) -> None:
        """Draw straight lines from point to point."""
        path = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self.curve(f"M{path}{'z' if closed else ''}", **look)

    def lines(self, ends: Iterable[tuple[Point, Point]], **look: object) -> None:
        """Draw many lines that look the same."""
        path = "".join(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}" for (x1, y1), (x2, y2) in ends)
        if path:
            self.curve(path, **look)

    def dots(self, points: Iterable[Point], radius: float, ink: str) -> None:
        """Draw many dots that look the same."""
        if path := "".join(f"M{number(x)} {number(y)}h0" for x, y in points):
            self.curve(path, stroke=ink, width=2 * radius)

    def curve(self, path: str, **look: object) -> None:
        """Draw a path in SVG's own syntax."""
        self._put(f'path d="{path}"', **look)

    def arrow(self, points: list[Point], **look: object) -> None:
        """Draw a path whose end is a head of 8 units."""
        (x1, y1), (x2, y2) = points[-2:]
        length = hypot(x2 - x1, y2 - y1)
        dx, dy = 8 * (x2 - x1) / length, 8 * (y2 - y1) / length
        back = (x2 - dx, y2 - dy)
        self.path([*points[:-1], back], **look)
        sides = [(back[0] - dy * 0.5, back[1] + dx * 0.5), (back[0] + dy * 0.5, back[1] - dx * 0.5)]
        self.path([(x2, y2), *sides], closed=True, fill=str(look["stroke"]))

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        ink: str = "ink",
        size: float = 12,
        anchor: str = "middle",
        bold: bool = False,
        serif: bool = False,
        halo: bool = False,
    ) -> None:
        """Write one line; with a `halo` it stands out from the drawing below."""
        look = f' font-size="{number(size)}"' if size != 12 else ""
        look += f' text-anchor="{anchor}"' if anchor != "middle" else ""
        look += ' font-weight="700"' if bold else ""
        look += f' font-family="{SERIF}"' if serif else ""
        classes = f"f-{ink}"
        if halo:
            classes += " s-paper"
            look += ' stroke-width="4" paint-order="stroke" stroke-linejoin="round"'
        self._classes.update(classes.split())
        self._shapes.append(
            f'<text x="{number(x)}" y="{number(y)}" class="{classes}"{look}>{escape(words, quote=False)}</text>'
        )

    def svg(self) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(self.wide)} {number(self.high)}" '
            f'width="{number(self.wide)}" height="{number(self.high)}" font-family="{SANS}" font-size="12" '
            f'text-anchor="middle" role="img">'
        )
        day, night = ("".join(self._rule(name, time) for name in sorted(self._classes)) for time in (0, 1))
        style = (
            "<style>path,rect,circle{fill:none;stroke-linecap:round;stroke-linejoin:round}"
            f"{day}@media(prefers-color-scheme:dark){{{night}}}</style>"
        )
        title = f"<title>{escape(self.title, quote=False)}</title>"
        return "\n".join([head, title, style, *self._shapes, "</svg>\n"])

    @staticmethod
    def _rule(name: str, time: int) -> str:
        kind, _, colour = name.partition("-")
        return f".{name}{{{'fill' if kind == 'f' else 'stroke'}:{COLOURS[colour][time]}}}"

    def _put(
        self, shape: str, *, fill: str = "", stroke: str = "", width: float = 1, dash: str = "", opacity: float = 1
    ) -> None:
        classes = [f"f-{fill}"] * bool(fill) + [f"s-{stroke}"] * bool(stroke)
        self._classes.update(classes)
        look = f' class="{" ".join(classes)}"' if classes else ""
        look += f' stroke-width="{number(width)}"' if stroke and width != 1 else ""
        look += f' stroke-dasharray="{dash}"' if dash else ""
        look += f' opacity="{number(opacity)}"' if opacity != 1 else ""
        self._shapes.append(f"<{shape}{look}/>")
