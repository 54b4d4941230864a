"""Charts: a frame with its axes, and lines in it."""

from collections.abc import Callable, Iterable, Sequence

from pictures.drawing.svg import Point, Sheet


class Chart:
    """The part of a sheet in which x runs from left to right and y from bottom to top."""

    def __init__(
        self,
        sheet: Sheet,
        box: tuple[float, float, float, float],  # left, top, right, bottom
        xs: tuple[float, float],
        ys: tuple[float, float],
    ) -> None:
        self.sheet, self.box, self.xs, self.ys = sheet, box, xs, ys

    def at(self, x: float, y: float) -> Point:
        left, top, right, bottom = self.box
        (x1, x2), (y1, y2) = self.xs, self.ys
        return left + (right - left) * (x - x1) / (x2 - x1), bottom + (top - bottom) * (y - y1) / (y2 - y1)

    def frame(
        self,
        x_ticks: Sequence[float],
        y_ticks: Sequence[float],
        *,
        x_name: str = "",
        y_name: str = "",
        label: Callable[[float], str] = lambda value: f"{value:,.0f}",
    ) -> None:
        """Draw a line for each of the `y_ticks`, a mark for each of the `x_ticks`, and both axes' names."""
        sheet, (left, top, right, bottom) = self.sheet, self.box
        sheet.lines([((left, self.at(0, y)[1]), (right, self.at(0, y)[1])) for y in y_ticks], stroke="line")
        for y in y_ticks:
            sheet.text(left - 7, self.at(0, y)[1] + 4, label(y), ink="soft", size=11, anchor="end")
        for x in x_ticks:
            sheet.line(self.at(x, 0)[0], bottom, self.at(x, 0)[0], bottom + 4, stroke="edge")
            sheet.text(self.at(x, 0)[0], bottom + 17, f"{x:,.0f}", ink="soft", size=11)
        sheet.line(left, bottom, right, bottom, stroke="edge")
        if x_name:
            sheet.text(right, bottom + 33, x_name, ink="soft", anchor="end")
        if y_name:
            sheet.text(left, top - 9, y_name, ink="soft", anchor="start")

    def line(self, points: Iterable[Point], *, ink: str, width: float = 1.6, dash: str = "") -> None:
        self.sheet.path([self.at(x, y) for x, y in points], stroke=ink, width=width, dash=dash)

    def steps(self, points: Sequence[Point], *, ink: str, width: float = 1.6) -> None:
        """Draw a value that stays until it changes, up to the right edge."""
        corners, (x, y) = [points[0]], points[0]
        for x, after in points[1:]:
            corners += [(x, y), (x, after)]
            y = after
        self.line([*corners, (self.xs[1], y)], ink=ink, width=width)

    def names(self, lines: Sequence[tuple[float, str, str]]) -> None:
        """Write each line's name to the right of its end, at this y, in this colour, without overlaps."""
        floor = -1e9
        for y, ink, label in sorted(lines, key=lambda line: -line[0]):
            floor = max(self.at(0, y)[1] + 4, floor + 18)
            key(self.sheet, self.box[2] + 12, floor, ink, label)


def key(sheet: Sheet, x: float, y: float, ink: str, label: str) -> None:
    """Draw the legend of a line in this colour, with its base line at y."""
    sheet.line(x, y - 4, x + 14, y - 4, stroke=ink, width=3)
    sheet.text(x + 22, y, label, anchor="start")


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """Return at most `most` points at equal intervals, with the first and the last one."""
    if len(points) <= most:
        return list(points)
    return [points[(len(points) - 1) * at // (most - 1)] for at in range(most)]
