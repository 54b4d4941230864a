"""A position as an SVG, drawn as on the page: for shared links, and for pages of other sites.

The drawing repeats the page's (`web/lib/scene.js`, `web/components/marks.js`) in its light colours, which are read from
the page's own style sheet.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from math import cos, hypot, pi, sin, sqrt
from typing import NamedTuple

from palio_rules.scene import Edge, Mark, Scene

CELL = 100
HEX = CELL / sqrt(3)
NAME = 25  # the height of the names of rows and columns
FINE = 0.024  # of the width of a board with lines, so that names stay readable on the largest one
MARGIN = 1.92  # for the names, in their heights
BAND = 14  # from the cells to the middle of a goal's line
SOCKET = 98  # from the middle of a cell to that of the socket behind it
MESH = 16  # rows or columns: a finer plain board has no lines
SANS = "DejaVu Sans, Verdana, sans-serif"

_COLOURS = {"black": "black", "white": "white", "red": "brick", "blue": "lapis", "green": "olive"}
_SHADES = ("brick", "lapis", "olive", "ochre", "plum", "teal", "rose", "slate")
_PAWN = "M-27 35h54c1-9-8-13-14-20-4-5-6-10-7-17h-12c-1 7-3 12-7 17-6 7-15 11-14 20z"
_CHESSMEN = {
    "king": (
        "M-25 35h50v-8l-4-6c18-16 16-38-2-38-8 0-15 5-19 12-4-7-11-12-19-12-18 0-20 22-2 38l-4 6z"
        "M-4-10v-14h-8v-8h8v-8h8v8h8v8h-8v14l-4 5z"
    ),
    "queen": "M-25 35h50v-8l-4-6 12-38-14 13-7-24-12 21-12-21-7 24-14-13 12 38-4 6z",
    "rook": "M-27 35h54v-9l-7-8v-22l6-7v-21h-11v8h-9v-8h-12v8h-9v-8h-11v21l6 7v22l-7 8z",
    "bishop": "M-27 35h54c0-8-8-11-17-13l4-8c12-10 10-30-10-42a6 6 0 1 0-8 0c-20 12-22 32-10 42l4 8c-9 2-17 5-17 13z",
    "knight": (
        "M-24 35h50c2-30 0-58-26-66l-3-8-6 9c-8 3-14 9-17 17l-11 17c-2 5 2 10 8 10l12-5c4 0 7-1 9-3 1 10-17 14-16 29z"
    ),
}


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def joined(self, others: "Iterable[Box]") -> "Box":
        """Return the smallest box that contains this one and all others."""
        lefts, tops, rights, bottoms = zip(self, *others, strict=True)
        return Box(min(lefts), min(tops), max(rights), max(bottoms))


class Picture(NamedTuple):
    """The drawing, and the box that contains it. `parts` are its elements, from the ground up."""

    box: Box
    parts: tuple[str, ...]

    @property
    def elements(self) -> str:
        return "".join(self.parts)

    def svg(self) -> str:
        """Return a whole document."""
        left, top, right, bottom = self.box
        box = " ".join(_n(each) for each in (left, top, right - left, bottom - top))
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{self.elements}</svg>\n'


@cache
def tokens() -> dict[str, str]:
    """Return the page's light colours by name."""
    text = (files("palio_server") / "web" / "styles" / "tokens.css").read_text()
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", text.partition("@media")[0]))


def ink(seats: Sequence[str], seat: int | None, part: str = "") -> str:
    """Return the colour of a seat, or of a `part` of its pieces: "edge" or "sign"."""
    if seat is None:
        return {"": "#8f8378", "edge": "#5a5048", "sign": "#f3e6cd"}[part]
    name = _COLOURS.get(seats[seat] if seat < len(seats) else "", _SHADES[seat % len(_SHADES)])
    return tokens()[f"{name}-{part}" if part else name]


def draw(scene: Scene, seats: Sequence[str], entrant: int = 0) -> Picture:
    """Return the picture of `scene`. In a race all pieces have the colour of the `entrant`."""
    box, seen = _extent(scene), _Seats(seats, entrant)
    parts = [_ground(scene), *(_goal(scene, edge, seen) for edge in scene.edges), _fence(scene, seen)]
    rim = box.joined(_rim(scene))
    margin = MARGIN * _name_size(scene)
    beside, below = margin * bool(scene.row_names), margin * bool(scene.col_names)
    named = Box(rim.left - beside, rim.top, rim.right, rim.bottom + below)
    parts += _names(scene, rim)
    gold = f'fill="{tokens()["last"]}" fill-opacity=".5"'
    rings = [_ring(scene, mark, seen) for mark in scene.marks if _is_newest(scene, mark)]
    parts += [f'<path {gold} d="{_outline(scene, *cell)}"/>' for cell in scene.last if not rings]
    parts += [_line(scene, line.cells, seen(line.seat), "10 12", 4) for line in scene.lines if line.kind == "way"]
    if scene.path:
        closed = "L".join(f"{_n(x)} {_n(y)}" for x, y in (_centre(scene, *cell) for cell in scene.path))
        width = _n(max(7, 0.006 * (box.right - box.left)))
        parts.append(
            f'<path fill="none" stroke="{seen(0)}" stroke-width="{width}" stroke-linejoin="round" d="M{closed}z"/>'
        )
    parts += [_mark(scene, mark, seen) for mark in scene.marks if not _is_tile(scene, mark)] + rings
    target = tokens()["target"]
    parts += [_line(scene, line.cells, target, "1 20", 10) for line in scene.lines if line.kind == "pass"]
    return Picture(named, tuple(filter(None, parts)))


class _Seats(NamedTuple):
    """The colour of each seat."""

    names: Sequence[str]
    entrant: int

    def __call__(self, seat: int | None, part: str = "") -> str:
        return ink(self.names, None if seat is None else seat + self.entrant, part)


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _is_tile(scene: Scene, mark: Mark) -> bool:
    return scene.board == "hex" and mark.shape == "hex" and mark.seat is None and not mark.text


def _cells(scene: Scene) -> list[tuple[int, int]]:
    tiles = [(mark.row, mark.col) for mark in scene.marks if _is_tile(scene, mark)]
    return tiles or [(row, col) for row in range(scene.rows) for col in range(scene.cols)]


def _centre(scene: Scene, row: int, col: int, rows: int = 1, cols: int = 1) -> tuple[float, float]:
    if scene.board == "hex":
        return CELL * (col + 0.5 + row / 2), HEX * (1 + 1.5 * row)
    return (col + cols / 2) * CELL, (row + rows / 2) * CELL


def _extent(scene: Scene) -> Box:
    if scene.board != "hex":
        return Box(0, 0, scene.cols * CELL, scene.rows * CELL)
    xs, ys = zip(*(_centre(scene, *cell) for cell in _cells(scene)), strict=True)
    return Box(min(xs) - CELL / 2, min(ys) - HEX, max(xs) + CELL / 2, max(ys) + HEX)


def _outline(scene: Scene, row: int, col: int) -> str:
    if scene.board != "hex":
        return f"M{col * CELL} {row * CELL}h{CELL}v{CELL}h-{CELL}z"
    return _hexagon(*_centre(scene, row, col), HEX)


def _hexagon(x: float, y: float, radius: float) -> str:
    turns = [(i - 1.5) * pi / 3 for i in range(6)]
    return "M" + "L".join(f"{_n(x + radius * cos(turn))} {_n(y + radius * sin(turn))}" for turn in turns) + "z"


def _ground(scene: Scene) -> str:
    light, dark, line = (tokens()[f"square-{each}"] for each in ("light", "dark", "line"))
    if scene.board == "square":
        shaded = "".join(_outline(scene, row, col) for row, col in _cells(scene) if (row + col) % 2)
        whole = f"M0 0h{scene.cols * CELL}v{scene.rows * CELL}h-{scene.cols * CELL}z"
        return f'<path fill="{light}" d="{whole}"/><path fill="{dark}" d="{shaded}"/>'
    if scene.board == "lines" or (scene.board == "plain" and max(scene.rows, scene.cols) > MESH):
        whole = f'<path fill="{light}" d="M0 0h{scene.cols * CELL}v{scene.rows * CELL}h-{scene.cols * CELL}z"/>'
        return whole + (_mesh(scene) if scene.board == "lines" else "")
    path = "".join(_outline(scene, *cell) for cell in _cells(scene))
    return f'<path fill="{light}" stroke="{line}" stroke-width="2" d="{path}"/>'


def _mesh(scene: Scene) -> str:
    """Return the lines of a board whose pieces stand where two of them meet, and the dots on them."""
    half, black = CELL // 2, tokens()["black"]
    places = [_centre(scene, *dot) for dot in scene.dots]
    across = "".join(f"M{half} {row * CELL + half}h{(scene.cols - 1) * CELL}" for row in range(scene.rows))
    down = "".join(f"M{col * CELL + half} {half}v{(scene.rows - 1) * CELL}" for col in range(scene.cols))
    dots = "".join(f'<circle fill="{black}" cx="{_n(x)}" cy="{_n(y)}" r="8.5"/>' for x, y in places)
    lines = f'<path fill="none" stroke="{black}" stroke-width="4" stroke-opacity=".7" d="{across}{down}"/>'
    return lines + dots


# --- around the cells ----------------------------------------------------------------------------------------------


def _outward(scene: Scene, side: int) -> tuple[float, float]:
    turn = side * (pi / 3 if scene.board == "hex" else pi / 2)
    return cos(turn), sin(turn)


def _facing(scene: Scene, edge: Edge) -> tuple[float, float]:
    xs, ys = zip(*(_outward(scene, side) for side in edge.sides), strict=True)
    length = hypot(sum(xs), sum(ys)) or 1
    return sum(xs) / length, sum(ys) / length


def _sides(scene: Scene, edge: Edge) -> list[tuple[float, float, float, float]]:
    """Return each side of each cell as a line, moved outwards."""
    step, radius = (pi / 3, HEX) if scene.board == "hex" else (pi / 2, CELL / sqrt(2))
    dx, dy = (BAND * each for each in _facing(scene, edge))
    found = []
    for row, col in edge.cells:
        x, y = _centre(scene, row, col)
        for side in edge.sides:
            a, b = (side - 0.5) * step, (side + 0.5) * step
            ends = x + radius * cos(a), y + radius * sin(a), x + radius * cos(b), y + radius * sin(b)
            found.append((ends[0] + dx, ends[1] + dy, ends[2] + dx, ends[3] + dy))
    return found


def _sockets(scene: Scene, edge: Edge) -> list[tuple[float, float]]:
    dx, dy = (SOCKET * each for each in _facing(scene, edge))
    found = []
    for index in range(edge.sockets):
        last = len(edge.cells) - 1
        place = index * last / (edge.sockets - 1) if edge.sockets > 1 else last / 2
        (x1, y1), (x2, y2) = (_centre(scene, *edge.cells[at]) for at in (int(place), min(int(place) + 1, last)))
        part = place - int(place)
        found.append((x1 + part * (x2 - x1) + dx, y1 + part * (y2 - y1) + dy))
    return found


def _goal(scene: Scene, edge: Edge, seen: _Seats) -> str:
    path = "".join(f"M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}" for x1, y1, x2, y2 in _sides(scene, edge))
    common = f'fill="none" stroke-linecap="round" d="{path}"'
    light = seen.names[edge.seat : edge.seat + 1] == ["white"]  # would be invisible on paper without a rim
    rim = f'<path {common} stroke="{seen(edge.seat, "edge")}" stroke-width="21"/>' if light else ""
    colour = seen(edge.seat)
    parts = [rim, f'<path {common} stroke="{colour}" stroke-width="13"/>']
    dashed = f'fill="none" stroke="{colour}" stroke-width="4" stroke-dasharray="7 6.4"'
    for index, (x, y) in enumerate(_sockets(scene, edge)):
        if index < edge.filled:
            piece = _shape(Mark("disc", edge.seat, 0, 0), seen)
            parts.append(f'<g transform="translate({_n(x)} {_n(y)}) scale(.5)">{piece}</g>')
        else:
            parts.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="17" {dashed}/>')
    return "".join(parts)


def _fence(scene: Scene, seen: _Seats) -> str:
    """Return the fence with its gaps, over which the ground shows, and an arrow out of each."""
    if not scene.gaps or scene.board == "hex":
        return ""
    wide, high = scene.cols * CELL, scene.rows * CELL
    style = f'fill="none" stroke="{tokens()["soft"]}" stroke-width="12" stroke-linejoin="round"'
    parts = [f'<path {style} d="M-6 -6H{wide + 6}V{high + 6}H-6z"/>']
    for row, col, side in scene.gaps:
        (x, y), (dx, dy) = _centre(scene, row, col), _outward(scene, side)

        def at(ahead: float, aside: float, x: float = x, y: float = y, dx: float = dx, dy: float = dy) -> str:
            return f"{_n(x + ahead * dx - aside * dy)} {_n(y + ahead * dy + aside * dx)}"

        gap = f"M{at(56, -50)}L{at(56, 50)}"
        parts.append(f'<path stroke="{tokens()["paper"]}" stroke-width="14" d="{gap}"/>')
        parts.append(f'<path fill="{seen(0)}" d="M{at(72, -28)}L{at(102, 0)}L{at(72, 28)}z"/>')
    return "".join(parts)


def _rim(scene: Scene) -> Iterable[Box]:
    """Yield the boxes that the picture needs beyond the cells."""
    for edge in scene.edges:
        for x1, y1, x2, y2 in _sides(scene, edge):
            yield Box(min(x1, x2) - 11, min(y1, y2) - 11, max(x1, x2) + 11, max(y1, y2) + 11)
        for x, y in _sockets(scene, edge):
            yield Box(x - 22, y - 22, x + 22, y + 22)
    if scene.gaps and scene.board != "hex":
        yield Box(-12, -12, scene.cols * CELL + 12, scene.rows * CELL + 12)
        for row, col, side in scene.gaps:
            (x, y), (dx, dy) = _centre(scene, row, col), _outward(scene, side)
            yield Box(x + 104 * dx - 4, y + 104 * dy - 4, x + 104 * dx + 4, y + 104 * dy + 4)


def _names(scene: Scene, rim: Box) -> list[str]:
    size = _name_size(scene)
    style = f'fill="{tokens()["soft"]}" font-family="{SANS}" font-size="{_n(size)}" text-anchor="middle"'
    aside, below, down = rim.left - MARGIN * size / 2, rim.bottom + 0.75 * MARGIN * size, 0.36 * size
    rows = [(aside, (row + 0.5) * CELL + down, name) for row, name in enumerate(scene.row_names)]
    cols = [((col + 0.5) * CELL, below, name) for col, name in enumerate(scene.col_names)]
    return [
        f'<text x="{_n(x)}" y="{_n(y)}" {style}>{escape(name, quote=False)}</text>' for x, y, name in (*rows, *cols)
    ]


def _name_size(scene: Scene) -> float:
    return max(NAME, FINE * CELL * max(scene.rows, scene.cols)) if scene.board == "lines" else NAME


def _line(scene: Scene, cells: Sequence[tuple[int, int]], colour: str, dashes: str, width: int) -> str:
    points = "L".join(f"{_n(x)} {_n(y)}" for x, y in (_centre(scene, *cell) for cell in cells))
    style = f'fill="none" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}"'
    return f'<path {style} stroke-linecap="{"round" if width > 4 else "butt"}" d="M{points}"/>'


# --- pieces ----------------------------------------------------------------------------------------------------------


def _mark(scene: Scene, mark: Mark, seen: _Seats) -> str:
    x, y = _centre(scene, mark.row, mark.col, mark.rows, mark.cols)
    out = mark.seat is not None and mark.seat in scene.out
    cross = '<path stroke="#fff" stroke-width="9" d="M-24 -24L24 24M24 -24L-24 24"/>' if out else ""
    faint = ' opacity=".45"' if out else ""
    return f'<g transform="translate({_n(x)} {_n(y)})"{faint}>{_shape(mark, seen)}{cross}</g>'


def _is_newest(scene: Scene, mark: Mark) -> bool:
    """Return whether a ring on the piece shows the last move: a board with lines has no cells to be coloured."""
    return scene.board == "lines" and mark.shape not in {"area", "label"} and (mark.row, mark.col) in scene.last


def _ring(scene: Scene, mark: Mark, seen: _Seats) -> str:
    x, y = _centre(scene, mark.row, mark.col)
    return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="21" fill="none" stroke="{seen(mark.seat, "sign")}" stroke-width="7"/>'


def _shape(mark: Mark, seen: _Seats) -> str:
    seat, wide, high = (mark.seat or 0) + (0 if mark.seat is None else seen.entrant), mark.cols * CELL, mark.rows * CELL
    fill, edge, sign = (seen(mark.seat, part) for part in ("", "edge", "sign"))
    body, line = f'fill="{fill}" stroke="{edge}" stroke-width="5"', f'fill="none" stroke="{sign}" stroke-width="6"'
    plain = bool(mark.text) or mark.seat is None  # a text is in the place of a sign
    signed = "" if plain else _sign(seat, sign)
    text = _text(mark, sign) if mark.text else ""
    match mark.shape:
        case "pawn":
            foot = f'<path {line} d="M-19 26h38"/>' if seat % 4 == 1 else ""
            return f'<path {body} d="{_PAWN}"/><circle {body} cy="-17" r="15"/>{foot}{text}'
        case "king" | "queen" | "rook" | "bishop" | "knight":
            foot = f'<path {line} d="M-17 27h34"/>' if seat % 4 == 1 else ""
            return f'<path {body} stroke-linejoin="round" d="{_CHESSMEN[mark.shape]}"/>{foot}{text}'
        case "ball":
            return f'<circle fill="{tokens()["last"]}" stroke="{edge}" stroke-width="6" r="27"/>'
        case "block" | "bar":
            bar = mark.shape == "bar"
            ring = _box(wide, high, 23 if bar else 22, 9 if bar else 6, line) if seat % 4 == 1 and not plain else ""
            return f"{_box(wide, high, 11, 18 if bar else 13, body)}{ring}{signed if seat > 1 else ''}{text}"
        case "wall":
            return _box(wide, high, 2, 4, body)
        case "label":
            return text
        case "stone":
            return f'<circle fill="{fill}" stroke="{edge}" stroke-width="3" r="46"/>{text}'
        case "area":
            return f'<path fill="{fill}" stroke="{edge}" stroke-width="3" d="M-15 -15h30v30h-30z"/>'
        case "hex":
            return f'<path {body} d="{_hexagon(0, 0, 50)}"/>{signed}{text}'
    return f'<circle {body} r="37"/>{signed}{text}'


def _sign(seat: int, colour: str) -> str:
    """Return the sign that tells seats apart without colour: a ring, a dot, a cross; none for the first."""
    line = f'fill="none" stroke="{colour}" stroke-width="6"'
    return (
        "",
        f'<circle {line} r="18"/>',
        f'<circle fill="{colour}" r="11"/>',
        f'<path {line} d="M-18 0h36M0 -18v36"/>',
    )[seat % 4]


def _text(mark: Mark, colour: str) -> str:
    size, down = (44, 15) if mark.shape == "disc" else (32, 11)
    style = f'fill="{colour}" font-family="{SANS}" font-weight="600" font-size="{size}" text-anchor="middle"'
    return f'<text y="{down}" {style}>{escape(mark.text, quote=False)}</text>'


def _box(wide: float, high: float, inset: float, radius: float, style: str) -> str:
    x, y = _n(inset - wide / 2), _n(inset - high / 2)
    return (
        f'<rect x="{x}" y="{y}" width="{_n(wide - 2 * inset)}" height="{_n(high - 2 * inset)}" rx="{radius}" {style}/>'
    )
