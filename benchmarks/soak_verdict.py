"""The verdict of a soak: whether figures stayed level in its second half, and a picture of them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from html import escape

WIDTH, HEIGHT, LEFT, TOP, GAP = 860, 120, 90, 40, 46  # of one panel, in pixels; its margin and the room below it


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample. `-1`: unknown."""

    second: float
    rss_kib: int
    descriptors: int
    threads: int
    tasks: int
    database_kib: int
    finished: int  # matches whose end bots got
    connected: int
    p99_ms: float


@dataclass(frozen=True, slots=True)
class Bound:
    """The allowed growth of a figure over the second half: a share of its mean there, plus a constant."""

    name: str
    unit: str
    share: float
    besides: float


BOUNDS = (
    Bound("rss_kib", "KiB of memory", 0.08, 6 * 1024),
    Bound("descriptors", "open descriptors", 0.05, 12),
    Bound("threads", "threads", 0.0, 3),
    Bound("tasks", "tasks", 0.05, 25),
)
COLUMNS = tuple(field.name for field in fields(Sample))
PANELS = ("rss_kib", "descriptors", "tasks", "threads", "p99_ms", "finished", "database_kib")
NAMES = {
    "rss_kib": "memory, KiB",
    "descriptors": "open descriptors",
    "tasks": "tasks",
    "threads": "threads",
    "p99_ms": "time from a move to the word that it was played, p99, ms",
    "finished": "matches finished",
    "database_kib": "database, KiB",
}


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the least-squares line through the points, in units a second; 0.0 for fewer than two."""
    if len(points) < 2:
        return 0.0
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0


def faults(samples: Sequence[Sample]) -> list[str]:
    """Return sentences about figures that grew over the second half, the first one being warm-up; [] if none did."""
    if len(samples) < 8:
        return [f"{len(samples)} samples are too few to judge by"]
    middle = (samples[0].second + samples[-1].second) / 2
    half = [sample for sample in samples if sample.second >= middle]
    lasted = half[-1].second - half[0].second
    found = []
    for bound in BOUNDS:
        points = [(sample.second, float(getattr(sample, bound.name))) for sample in half]
        points = [point for point in points if point[1] >= 0]
        if not points:
            found.append(f"{bound.unit}: could not be seen")
            continue
        grown = slope(points) * lasted
        most = bound.share * sum(value for _, value in points) / len(points) + bound.besides
        if grown > most:
            found.append(f"{bound.unit}: grew by {grown:,.0f} in {lasted:,.0f} s, at most {most:,.0f} may be")
    if half[-1].finished <= half[0].finished:
        found.append("matches: none was finished in the second half")
    return found


def picture(samples: Sequence[Sample], title: str) -> str:
    """Draw the figures over time, one below the other, as SVG; `title` gives the date and the load."""
    height = TOP + len(PANELS) * (HEIGHT + GAP)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {height}" font-family="sans-serif">'
    )
    lines = [
        head,
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="10" y="22" font-size="15">{escape(title)}</text>',
    ]
    for number, name in enumerate(PANELS):
        lines += _panel(samples, name, TOP + number * (HEIGHT + GAP))
    return "\n".join([*lines, "</svg>", ""])


def _panel(samples: Sequence[Sample], name: str, top: float) -> list[str]:
    points = [(sample.second, float(getattr(sample, name))) for sample in samples if getattr(sample, name) >= 0]
    if not points:
        return []
    last, most = points[-1][0] or 1.0, max(value for _, value in points) or 1.0
    places = " ".join(
        f"{LEFT + WIDTH * at / last:.1f},{top + 18 + (HEIGHT - 18) * (1 - value / most):.1f}" for at, value in points
    )
    floor = top + HEIGHT
    small = 'font-size="11" fill="#555"'
    return [
        f'<text x="{LEFT}" y="{top + 10}" font-size="12">{escape(NAMES[name])}</text>',
        f'<line x1="{LEFT}" y1="{floor}" x2="{LEFT + WIDTH}" y2="{floor}" stroke="#999"/>',
        f'<text x="{LEFT - 6}" y="{top + 24}" text-anchor="end" {small}>{most:,.0f}</text>',
        f'<text x="{LEFT - 6}" y="{floor}" text-anchor="end" {small}>0</text>',
        f'<text x="{LEFT + WIDTH}" y="{floor + 14}" text-anchor="end" {small}>{last / 60:.0f} min</text>',
        f'<polyline fill="none" stroke="#2166ac" stroke-width="1.5" points="{places}"/>',
    ]
