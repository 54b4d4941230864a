"""A match as a picture of 1200 by 630, which other sites show beside a link to it."""

from functools import cache
from html import escape
from importlib.resources import files

from palio_server import live
from palio_server.live.picture import SANS, draw, ink, tokens

WIDTH, HEIGHT = 1200, 630
SIDE = 550  # of the square for the board
LINES = 4  # seats that are named; with more, only their number is shown
LETTERS = 22  # of a name


def card_svg(summary: live.Summary) -> str:
    """Return the board on the left, and on its right the game, the players, and the score or result."""
    colour, seats = tokens(), summary.seats
    names = [seat.name for seat in seats]
    view = summary.view
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{colour["paper"]}"/>']
    if view.scene is not None:
        picture = draw(view.scene, names, view.seat or 0)
        left, top, right, bottom = picture.box
        scale = SIDE / max(right - left, bottom - top)
        x, y = 40 + (SIDE - scale * (right + left)) / 2, (HEIGHT - scale * (bottom + top)) / 2
        parts.append(f'<g transform="translate({x:.2f} {y:.2f}) scale({scale:.4f})">{picture.elements}</g>')
    parts.append(words(640, 110, 36, colour["accent"], summary.title))
    for index, seat in enumerate(seats[:LINES]):
        y = 200 + 66 * index
        fill, edge = ink(names, index), ink(names, index, "edge")
        parts.append(f'<circle cx="660" cy="{y - 14}" r="17" fill="{fill}" stroke="{edge}" stroke-width="3"/>')
        parts.append(words(694, y, 40, colour["ink"], short(seat.bot)))
    if len(seats) > LINES:
        parts.append(words(694, 200 + 66 * LINES, 32, colour["soft"], f"and {len(seats) - LINES} more"))
    parts.append(words(640, 570, 28, colour["soft"], standing(summary)))
    frame = f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f"<svg {frame}>{''.join(parts)}</svg>\n"


def png(svg: str) -> bytes | None:
    """Return the picture in pixels; None where the library for it is not installed (`pip install resvg-py`)."""
    try:
        from resvg_py import svg_to_bytes  # noqa: PLC0415  # a server without it still has all else
    except ImportError:
        return None
    return bytes(svg_to_bytes(svg_string=svg, font_files=[_font()], sans_serif_family="DejaVu Sans"))


@cache
def _font() -> str:
    """Return a font with Latin, Greek and Cyrillic letters: a machine without fonts would draw no names."""
    return str(files("palio_server") / "live" / "font" / "DejaVuSans-Bold-subset.ttf")


def standing(summary: live.Summary) -> str:
    """Return how the match stands, in a few words."""
    result, view = summary.result, summary.view
    if result is None:
        return f"ply {view.ply}"
    most, why = max(result.scores), result.reason.replace("-", " ")
    best = [seat.bot for seat, score in zip(summary.seats, result.scores, strict=True) if score == most]
    if len(best) == 1 and most > 0:
        return f"{short(best[0])} wins: {why}"
    return why if summary.kind == "race" or most == 0 else f"drawn: {why}"


def short(name: str, letters: int = LETTERS) -> str:
    """Return `name`, cut to so many letters."""
    return name if len(name) <= letters else name[: letters - 1] + "…"


def words(x: float, y: float, size: int, colour: str, said: str) -> str:
    """Return a line of text that begins at (x, y)."""
    style = f'font-family="{SANS}" font-weight="700" font-size="{size}" fill="{colour}"'
    return f'<text x="{x}" y="{y}" {style}>{escape(said, quote=False)}</text>'
