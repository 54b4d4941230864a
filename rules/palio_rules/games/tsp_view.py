"""Cities as people see them: on a map in the terminal, and as discs that a line joins on a page.

Cities without coordinates stand on a circle.
"""

from math import cos, isqrt, pi, sin

from palio_rules.games.tsp_instance import Instance, Number, Tour
from palio_rules.scene import Mark, Scene

MAP_ROWS, MAP_COLS = 16, 48
MIN_SIDE, MAX_SIDE = 12, 100  # of the grid that a page draws
NUMBERED = 40  # cities; where there are more, their numbers could not be read


def _cells(instance: Instance, rows: int, cols: int) -> list[tuple[int, int]]:
    """The cell (row, col) of each city, y growing upwards; both axes have one scale."""
    points: list[tuple[Number, Number]] = list(instance.points or ())
    if not points:
        turns = [2 * pi * city / instance.size for city in range(instance.size)]
        points = [(sin(turn), cos(turn)) for turn in turns]
    left, low = min(x for x, _ in points), min(y for _, y in points)
    wide, high = max(x for x, _ in points) - left, max(y for _, y in points) - low
    scale = min((cols - 1) / wide if wide else cols, (rows - 1) / high if high else rows)
    return [(rows - 1 - round((y - low) * scale), round((x - left) * scale)) for x, y in points]


def text_map(instance: Instance) -> list[str]:
    """Lines with an `o` for each city, two where two are close."""
    if instance.points is None:
        return []
    board = [[" "] * MAP_COLS for _ in range(MAP_ROWS)]
    for row, col in _cells(instance, MAP_ROWS, MAP_COLS // 2):
        board[row][2 * col] = "o"  # a character is about twice as high as it is wide
    return ["".join(row).rstrip() for row in board]


def plot(instance: Instance, tour: Tour | None) -> Scene:
    """Discs on a plain board, and the tour as its `path`."""
    side = max(MIN_SIDE, min(MAX_SIDE, 4 * isqrt(instance.size)))
    cells = _cells(instance, side, side)
    named = instance.size <= NUMBERED
    marks = tuple(Mark("disc", None, *cell, text=str(city) if named else "") for city, cell in enumerate(cells))
    return Scene(side, side, marks, "plain", path=tuple(cells[city] for city in tour or ()))
