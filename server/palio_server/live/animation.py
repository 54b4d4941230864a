"""A finished match as an animated GIF: a frame for every ply, drawn by the game's `scene`, with who plays above.

GIF, because all sites and messengers show it. A race has the boards of its first entrants side by side.
"""

from collections.abc import Iterator, Sequence
from io import BytesIO
from math import ceil, sqrt
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from palio_server import live
from palio_server.live.card import png, short, standing, words
from palio_server.live.picture import draw, ink, tokens
from palio_server.live.replay import Replay

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

WIDTH, HEAD, FOOT, PAD = 480, 48, 36, 8  # pixels
BOARD = WIDTH - 2 * PAD  # of the square for the boards
HEIGHT = HEAD + BOARD + FOOT
BOARDS = 9  # of a race
MOST_FRAMES = 240  # plies of a longer match are left out evenly; a frame takes some 20 ms of a core
PLY_MS, SHORTEST_MS, LONGEST_MS = 600, 150, 60_000  # for each ply, at least, and for all of them
HOLD_MS = 3000  # the end stays, before it begins again
COLOURS = 128  # of all frames


class Frame(NamedTuple):
    """The contents of one frame: one board, or those of a race by seat, and a line below."""

    views: tuple[live.View, ...]
    foot: str


def frames_of(replay: Replay) -> list[Frame]:
    """Return the frames: of the first position, after each ply, and the end with the result.

    A match of more than `MOST_FRAMES` plies keeps the first position, the end, and every second, third, ... ply
    between. Returns [] for a game without pictures.
    """
    start, last, found = replay.views[0], len(replay.views) - 1, []
    if start.scene is None:
        return []
    entrants = range(1 if start.race is None else min(BOARDS, len(replay.summary.seats)))
    boards = [msgspec.structs.replace(start, seat=seat if start.race else start.seat) for seat in entrants]
    step = ceil(max(1, last) / MOST_FRAMES)
    for ply, view in enumerate(replay.views):
        seat = view.seat or 0
        if view.scene is not None and seat < len(boards):  # a board that is unchanged comes without its scene
            boards[seat] = view
        if ply % step == 0 or ply == last:
            found.append(Frame(tuple(boards), f"ply {ply} of {last}" if ply < last else standing(replay.summary)))
    return found


def durations(count: int) -> list[int]:
    """Return for how many milliseconds each of `count` frames is shown."""
    each = max(SHORTEST_MS, min(PLY_MS, LONGEST_MS // max(1, count)))
    return [each] * (count - 1) + [HOLD_MS]


def frame_svg(summary: live.Summary, frame: Frame) -> str:
    """Return one frame as an SVG of `WIDTH` by `HEIGHT`."""
    colour, names = tokens(), [seat.name for seat in summary.seats]
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{colour["paper"]}"/>', *_head(summary, names)]
    across = ceil(sqrt(len(frame.views)))
    side = BOARD / across
    for index, view in enumerate(frame.views):
        if view.scene is None:  # the game could not draw this position
            continue
        picture = draw(view.scene, names, view.seat or 0)
        left, top, right, bottom = picture.box
        scale = (side - PAD * (across > 1)) / max(right - left, bottom - top)
        x = PAD + side * (index % across) + (side - scale * (right + left)) / 2
        y = HEAD + side * (index // across) + (side - scale * (bottom + top)) / 2
        parts.append(f'<g transform="translate({x:.2f} {y:.2f}) scale({scale:.4f})">{picture.elements}</g>')
    parts.append(words(PAD + 4, HEIGHT - 12, 17, colour["soft"], short(frame.foot, 44)))
    frame_of = f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f"<svg {frame_of}>{''.join(parts)}</svg>\n"


def gif(replay: Replay) -> bytes | None:
    """Return the animation; None where a library for it is not installed, or the game has no pictures.

    Takes some seconds for a long match: call it in a thread.
    """
    try:
        from PIL import Image  # noqa: PLC0415  # a server without it still has all else
    except ImportError:
        return None
    frames = frames_of(replay)
    first = png(frame_svg(replay.summary, frames[0])) if frames else None
    if first is None:
        return None

    def drawn(frame: Frame) -> "Picture":
        return Image.open(BytesIO(png(frame_svg(replay.summary, frame)) or b"")).convert("RGB")

    samples = [drawn(frames[at]) for at in sorted({0, len(frames) // 2, len(frames) - 1})]
    strip = Image.new("RGB", (WIDTH, HEIGHT * len(samples)))
    for index, sample in enumerate(samples):
        strip.paste(sample, (0, HEIGHT * index))
    palette = strip.quantize(COLOURS)

    def painted() -> Iterator["Picture"]:
        for frame in frames:
            yield drawn(frame).quantize(palette=palette, dither=Image.Dither.NONE)

    images = painted()
    out = BytesIO()
    next(images).save(
        out, "GIF", save_all=True, append_images=images, duration=durations(len(frames)), loop=0, disposal=1
    )
    return out.getvalue()


def _head(summary: live.Summary, names: Sequence[str]) -> Iterator[str]:
    """Yield who plays: each bot with the colour of its seat; of many, the first ones."""
    colour, seats = tokens(), summary.seats[:4]
    room = (WIDTH - 2 * PAD) / max(2, len(seats))
    letters = int((room - 34) / 10.5)
    for index, seat in enumerate(seats):
        x = PAD + room * index
        fill, edge = ink(names, index), ink(names, index, "edge")
        yield f'<circle cx="{x + 12:g}" cy="25" r="9" fill="{fill}" stroke="{edge}" stroke-width="2"/>'
        yield words(x + 28, 31, 17, colour["ink"], short(seat.bot, letters))
