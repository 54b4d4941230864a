"""A scene as pixels, for environments that are filmed: simple shapes in the seats' colours, without text."""

import numpy as np
from numpy.typing import NDArray

from palio_rules.scene import Mark, Scene

Pixels = NDArray[np.uint8]

CELL = 40  # pixels
MARGIN = 10
GROUND, LIGHT, DARK = (250, 248, 243), (238, 228, 208), (214, 198, 168)
SEATS = ((32, 98, 168), (208, 74, 44), (54, 140, 72), (150, 90, 170))  # after these they begin again
NOBODY, PATH = (96, 96, 96), (40, 40, 40)
_ROUND = ("disc", "ball", "pawn")


def picture(scene: Scene) -> Pixels:
    """An image of the scene: (height, width, 3), RGB from 0 to 255."""
    hexes = scene.board == "hex"
    width = scene.cols * CELL + (scene.rows - 1) * CELL // 2 * hexes
    image = np.full((scene.rows * CELL + 2 * MARGIN, width + 2 * MARGIN, 3), GROUND, np.uint8)
    if not hexes:
        for row in range(scene.rows):
            for col in range(scene.cols):
                dark = scene.board == "square" and (row + col) % 2
                _fill(image, scene, Mark("wall", None, row, col), DARK if dark else LIGHT, 1)
    for mark in scene.marks:
        if mark.shape == "hex":
            _fill(image, scene, mark, LIGHT, 1)
    _draw_path(image, scene)
    for mark in scene.marks:
        if mark.shape != "hex":
            colour = NOBODY if mark.seat is None else SEATS[mark.seat % len(SEATS)]
            _fill(image, scene, mark, colour, {"ball": 13, "disc": 6, "pawn": 8, "wall": 2}.get(mark.shape, 4))
    return image


def _corner(scene: Scene, row: int, col: int) -> tuple[int, int]:
    """The upper left pixel of a cell; rows of hexagons lie half a cell beside each other."""
    shift = row * CELL // 2 if scene.board == "hex" else 0
    return MARGIN + row * CELL, MARGIN + col * CELL + shift


def _fill(image: Pixels, scene: Scene, mark: Mark, colour: tuple[int, int, int], inset: int) -> None:
    """Paint a mark, `inset` pixels inside its cells; a ball stands out from the disc or block below it."""
    top, left = _corner(scene, mark.row, mark.col)
    bottom, right = top + mark.rows * CELL - inset, left + mark.cols * CELL - inset
    area = image[top + inset : bottom, left + inset : right]
    if mark.shape not in _ROUND:
        area[:] = colour
        return
    height, width = area.shape[:2]
    y, x = np.ogrid[:height, :width]
    inside = ((2 * y + 1) / height - 1) ** 2 + ((2 * x + 1) / width - 1) ** 2 <= 1
    area[inside] = tuple(min(255, part + 90) for part in colour) if mark.shape == "ball" else colour


def _draw_path(image: Pixels, scene: Scene) -> None:
    """The closed line, if there is one."""
    points = [np.add(_corner(scene, *cell), CELL // 2) for cell in scene.path]
    for start, end in zip(points, [*points[1:], *points[:1]], strict=True):
        steps = int(np.abs(end - start).max()) + 1
        for at in np.linspace(start, end, steps).round().astype(int):
            image[at[0] - 1 : at[0] + 2, at[1] - 1 : at[1] + 2] = PATH
