"""A scene, and what the hand is about to do, as a canvas."""

from dataclasses import dataclass
from typing import NamedTuple

from palio_clients.board.canvas import Canvas
from palio_clients.board.handling import Cell
from palio_rules.scene import Mark, Scene


class Size(NamedTuple):
    """One cell of a board in characters. A character is about twice as high as it is wide."""

    width: int
    height: int


SIZES = tuple(Size(2 * height, height) for height in range(1, 7))
SMALLEST, LARGEST = SIZES[1], SIZES[4]  # chosen by themselves; a key goes further either way


@dataclass(frozen=True, slots=True)
class Look:
    """What a picture shows besides the pieces."""

    cursor: Cell | None = None
    seat: int | None = None  # whose turn it is: its colour is that of ghosts and pips
    ghosts: tuple[Mark, ...] = ()  # pieces that would stand there
    targets: frozenset[Cell] = frozenset()
    held: frozenset[Cell] = frozenset()
    refused: bool = False  # the cursor's cell leads nowhere


class Frame(NamedTuple):
    """Where the board lies on its canvas."""

    left: int  # characters of row names
    size: Size
    width: int
    height: int

    def cell(self, x: int, y: int, scene: Scene) -> Cell | None:
        """The cell at character (x, y), None beside the board."""
        row, col = y // self.size.height, (x - self.left) // self.size.width
        return (row, col) if 0 <= row < scene.rows and 0 <= col < scene.cols else None

    def corner(self, cell: Cell) -> tuple[int, int]:
        """The character in the top left corner of a cell."""
        return self.left + cell[1] * self.size.width, cell[0] * self.size.height


def frame(scene: Scene, size: Size) -> Frame:
    """The board with row names on its left, as much room on its right, and column names below."""
    left = max(map(len, scene.row_names), default=0) + 1
    return Frame(left, size, 2 * left + scene.cols * size.width, scene.rows * size.height + bool(scene.col_names))


def fitting(scene: Scene, width: int, height: int) -> Size:
    """The largest size that shows the whole board in so many characters; the smallest one where none does."""
    chosen = SMALLEST
    for size in SIZES[SIZES.index(SMALLEST) : SIZES.index(LARGEST) + 1]:
        framed = frame(scene, size)
        if framed.width <= width and framed.height <= height:
            chosen = size
    return chosen


def draw(scene: Scene, size: Size, look: Look, initials: str = "") -> Canvas:
    """The picture of `scene`. Without colour, `initials` tell whose piece it is, and dots where the cells are."""
    framed = frame(scene, size)
    canvas = Canvas(framed.width, framed.height)
    for row in range(scene.rows):
        for col in range(scene.cols):
            _ground(canvas, scene, framed, (row, col), look)
    if initials:
        _lattice(canvas, scene, framed, look)
    for mark in scene.marks:
        _mark(canvas, framed, mark, initials=initials)
    for cell in look.targets:
        _pip(canvas, framed, cell, look.seat or 0)
    for mark in look.ghosts:
        _mark(canvas, framed, mark, initials=initials, ghost=True)
    _cursor(canvas, framed, look)
    _names(canvas, scene, framed)
    return canvas


def _ground(canvas: Canvas, scene: Scene, framed: Frame, cell: Cell, look: Look) -> None:
    shade = "dark" if sum(cell) % 2 else "light"
    material = f"plain-{shade}" if scene.board == "plain" else shade
    if cell in scene.last:
        material = f"last-{shade}"
    if cell in look.held:
        material = "held"
    if cell == look.cursor and not look.ghosts:
        material = "refused" if look.refused else "cursor"
    (x, y), (width, height) = framed.corner(cell), framed.size
    canvas.box(2 * x, 2 * y, 2 * (x + width), 2 * (y + height), material)


def _lattice(canvas: Canvas, scene: Scene, framed: Frame, look: Look) -> None:
    """A dot on every empty cell, a bolder one where the hand may go."""
    taken = {
        (mark.row + down, mark.col + right)
        for mark in (*scene.marks, *look.ghosts)
        for down in range(mark.rows)
        for right in range(mark.cols)
    }
    width, height = framed.size
    for row in range(scene.rows):
        for col in range(scene.cols):
            if (row, col) not in taken:
                x, y = framed.corner((row, col))
                dot = "•" if (row, col) in look.targets else "·"
                canvas.write(x + (width - 1) // 2, y + (height - 1) // 2, dot, "names")


def _mark(canvas: Canvas, framed: Frame, mark: Mark, *, initials: str, ghost: bool = False) -> None:
    (x, y), (width, height) = framed.corner((mark.row, mark.col)), framed.size
    wide, high = 2 * width * mark.cols, 2 * height * mark.rows
    left, top = 2 * x, 2 * y
    seat = "-" if mark.seat is None else str(mark.seat % 10)
    material = f"{'ghost' if ghost else 'bar' if mark.shape == 'bar' else 'seat'}{seat}"
    match mark.shape:
        case "wall":
            canvas.box(left, top, left + wide, top + high, "wall")
        case "bar" | "block":
            across, down = max(1, width // 4), height // 6 + (height > 1)
            canvas.box(left + across, top + down, left + wide - across, top + high - down, material)
        case "ball":
            across, down = width // 2, height // 2
            canvas.disc(left + across, top + down, left + wide - across, top + high - down, "ball")
        case "label" | "hex":
            pass
        case _:
            across, down = max(1, width // 4), height // 3
            canvas.disc(left + across, top + down, left + wide - across, top + high - down, material)
    text = mark.text or (initials[mark.seat : mark.seat + 1] if mark.seat is not None and mark.shape != "bar" else "")
    if text:
        middle = x + (width * mark.cols - len(text)) // 2, y + (height * mark.rows - 1) // 2
        canvas.write(*middle, text, f"sign{seat}")


def _pip(canvas: Canvas, framed: Frame, cell: Cell, seat: int) -> None:
    """A dot in the middle of a cell."""
    (x, y), (width, height) = framed.corner(cell), framed.size
    across, down = max(1, width // 4), max(1, height // 4)
    canvas.box(
        2 * x + width - across, 2 * y + height - down, 2 * x + width + across, 2 * y + height + down, f"pip{seat}"
    )


def _cursor(canvas: Canvas, framed: Frame, look: Look) -> None:
    """Brackets round the cell, which show without colour, too; a cross where nothing can be done."""
    if look.cursor is None:
        return
    (x, y), (width, height) = framed.corner(look.cursor), framed.size
    middle = y + (height - 1) // 2
    if look.refused:
        canvas.box(2 * x, 2 * middle, 2 * (x + width), 2 * middle + 2, "refused")
        canvas.write(x + width // 2 - 1, middle, "><", "cross")
    if not look.ghosts:
        canvas.write(x, middle, "[", "cross")
        canvas.write(x + width - 1, middle, "]", "cross")


def _names(canvas: Canvas, scene: Scene, framed: Frame) -> None:
    (width, height) = framed.size
    for row, name in enumerate(scene.row_names):
        canvas.write(framed.left - 1 - len(name), row * height + (height - 1) // 2, name, "names")
    for col, name in enumerate(scene.col_names):
        x = framed.left + col * width + (width - 1) // 2
        canvas.write(x, scene.rows * height, name, "names")
