"""A scene, with the person's current action, drawn on a canvas."""

from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from palio_clients.terminal.canvas import Canvas, HexFrame, Size, hex_frame, shade, spans, step, tiles_of
from palio_rules.scene import Cell, Mark, Scene

SIZES = tuple(Size(2 * height, height) for height in range(1, 7))
HEX_SIZES = (Size(2, 1), Size(4, 2), Size(6, 2), *(Size(2 * height + 2, height) for height in range(3, 7)))
_CHESSMEN = {"king": "K", "queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "pawn": "P"}
SMALLEST, LARGEST = 1, -2  # of the automatic sizes; keys allow more


@dataclass(frozen=True, slots=True)
class Look:
    """The additions to the pieces of a picture."""

    cursor: Cell | None = None
    seat: int | None = None  # to move: ghosts and pips have its colour
    ghosts: tuple[Mark, ...] = ()  # pieces that would stand there
    targets: frozenset[Cell] = frozenset()
    held: frozenset[Cell] = frozenset()
    refused: bool = False  # the cursor's cell leads to no move
    leaves: bool = False  # touching the piece in hand again takes it off the board


class Frame(NamedTuple):
    """A board's place on its canvas."""

    left: int  # characters of row names
    size: Size
    width: int
    height: int

    def cell(self, x: int, y: int, scene: Scene) -> Cell | None:
        """Return the cell at character (x, y), None beside the board."""
        row, col = y // self.size.height, (x - self.left) // self.size.width
        return (row, col) if 0 <= row < scene.rows and 0 <= col < scene.cols else None

    def corner(self, cell: Cell) -> tuple[int, int]:
        """Return the character in the top left corner of a cell."""
        return self.left + cell[1] * self.size.width, cell[0] * self.size.height


def frame(scene: Scene, size: Size) -> Frame | HexFrame:
    """Return the board's place with row names on its left, as much room on its right, column names below; or hexes."""
    if scene.board == "hex":
        return hex_frame(scene, size)
    left = max(map(len, scene.row_names), default=0) + 1
    return Frame(left, size, 2 * left + scene.cols * size.width, scene.rows * size.height + bool(scene.col_names))


def cells(scene: Scene) -> list[Cell]:
    """Return all cells, row by row."""
    if scene.board == "hex":
        return sorted(tiles_of(scene))
    return [(row, col) for row in range(scene.rows) for col in range(scene.cols)]


def neighbour(scene: Scene, cell: Cell, down: int, right: int) -> Cell:
    """Return the cell for an arrow key from `cell`; the same one at the edge."""
    if scene.board == "hex":
        return step(tiles_of(scene), cell, down, right)
    return min(max(cell[0] + down, 0), scene.rows - 1), min(max(cell[1] + right, 0), scene.cols - 1)


def sizes(scene: Scene) -> tuple[Size, ...]:
    """Return the sizes from the smallest on. Hexes are wider, because their rows are nearer than their columns."""
    return HEX_SIZES if scene.board == "hex" else SIZES


def fitting(scene: Scene, width: int, height: int) -> Size:
    """Return the largest size that shows the whole board in so many characters; else the smallest one."""
    known = sizes(scene)
    least = 0 if scene.board == "lines" else SMALLEST  # lines and stones are still told apart
    chosen = known[least]
    for size in known[least : LARGEST + 1]:
        framed = frame(scene, size)
        if framed.width <= width and framed.height <= height:
            chosen = size
    return chosen


def draw(scene: Scene, size: Size, look: Look, initials: str = "") -> Canvas:
    """Draw `scene`. Without colour, `initials` show a piece's seat, and dots the cells."""
    framed = frame(scene, size)
    canvas = Canvas(framed.width, framed.height)
    for cell in cells(scene):
        _ground(canvas, framed, cell, _material(scene, cell, look))
    if scene.board == "lines":
        _mesh(canvas, scene, size)
    elif initials:
        _lattice(canvas, scene, framed, look)
    for mark in scene.marks:
        left = mark.seat in scene.out  # its pieces belong to no seat: blocks
        shown = replace(mark, shape="block", seat=None) if left else _lettered(scene, mark)
        _mark(canvas, framed, shown, initials=initials)
    for cell in look.targets - look.held if scene.board != "lines" else ():  # there nearly all points are targets
        _pip(canvas, framed, cell, f"pip{look.seat or 0}")
    for mark in look.ghosts:
        _mark(canvas, framed, _lettered(scene, mark), initials=initials, ghost=True)
    _cursor(canvas, framed, look)
    if look.leaves:
        _way_out(canvas, framed, look)
    if isinstance(framed, Frame):
        _names(canvas, scene, framed)
    return canvas


def _lettered(scene: Scene, mark: Mark) -> Mark:
    """Return a chessman with its letter, as in a FEN, because characters cannot draw it; other marks unchanged."""
    if mark.shape not in _CHESSMEN or not any(each.shape == "king" for each in scene.marks):
        return mark
    letter = _CHESSMEN[mark.shape]
    return replace(mark, text=letter.lower() if mark.seat else letter)


def _material(scene: Scene, cell: Cell, look: Look) -> str:
    if cell == look.cursor and not look.ghosts:
        return "refused" if look.refused else "cursor"
    if cell in look.held:
        return "held"
    last = "last-" if cell in scene.last else ""
    if scene.board == "hex":
        return f"{last}hex{shade(cell)}"
    if scene.board == "lines":
        return f"{last or 'plain-'}light"
    light = "dark" if sum(cell) % 2 else "light"
    return f"{last or ('plain-' if scene.board == 'plain' else '')}{light}"


def _ground(canvas: Canvas, framed: Frame | HexFrame, cell: Cell, material: str) -> None:
    if isinstance(framed, HexFrame):
        for line, left, right in spans(framed)[cell]:
            canvas.box(left, line, right, line + 1, material)
        return
    (x, y), (width, height) = framed.corner(cell), framed.size
    canvas.box(2 * x, 2 * y, 2 * (x + width), 2 * (y + height), material)


def _mesh(canvas: Canvas, scene: Scene, size: Size) -> None:
    """Draw the lines through the middles of all cells, bolder where the scene has a dot."""
    framed, (width, height) = frame(scene, size), size
    across, down = (width - 1) // 2, (height - 1) // 2
    rims = {(0, 0): "┌", (0, 1): "┬", (0, 2): "┐", (1, 0): "├", (1, 2): "┤", (2, 0): "└", (2, 1): "┴", (2, 2): "┘"}
    for row, col in cells(scene):
        x, y = framed.corner((row, col))
        left, right = ("─" if more else " " for more in (col, col < scene.cols - 1))
        for line in range(height):
            if line == down:
                place = (_place(row, scene.rows), _place(col, scene.cols))
                point = "╋" if (row, col) in scene.dots else rims.get(place, "┼")
                text = left * across + point + right * (width - 1 - across)
            else:
                goes_on = row > 0 if line < down else row < scene.rows - 1
                text = " " * across + ("│" if goes_on else " ")
            canvas.write(x, y + line, text, "mesh")


def _place(at: int, count: int) -> int:
    """Return 0 for the first, 2 for the last, 1 for another."""
    return 0 if at == 0 else 2 if at == count - 1 else 1


def _lattice(canvas: Canvas, scene: Scene, framed: Frame | HexFrame, look: Look) -> None:
    """Draw a dot on every empty cell, a bolder one on the targets of the piece in hand."""
    taken = {
        (mark.row + down, mark.col + right)
        for mark in (*scene.marks, *look.ghosts)
        if mark.shape != "hex"
        for down in range(mark.rows)
        for right in range(mark.cols)
    }
    width, height = framed.size
    for cell in cells(scene):
        if cell not in taken:
            x, y = framed.corner(cell)
            dot = "•" if cell in look.targets else "·"
            canvas.write(x + (width - 1) // 2, y + (height - 1) // 2, dot, "names")


def _mark(canvas: Canvas, framed: Frame | HexFrame, mark: Mark, *, initials: str, ghost: bool = False) -> None:
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
        case "area":
            _pip(canvas, framed, (mark.row, mark.col), f"seat{seat}")
        case _:
            if mark.shape == "stone":
                canvas.rub_out(x, y, width, height)
            across, down = max(1, width // 4), height // 3
            canvas.disc(left + across, top + down, left + wide - across, top + high - down, material)
    text = mark.text or (initials[mark.seat : mark.seat + 1] if mark.seat is not None and mark.shape != "bar" else "")
    if text:
        text = text.lower() if mark.shape == "area" else text
        middle = x + (width * mark.cols - len(text)) // 2, y + (height * mark.rows - 1) // 2
        canvas.write(*middle, text, f"sign{seat}")


def _pip(canvas: Canvas, framed: Frame | HexFrame, cell: Cell, material: str) -> None:
    """Draw a dot in the middle of a cell."""
    (x, y), (width, height) = framed.corner(cell), framed.size
    across, down = max(1, width // 4), max(1, height // 4)
    canvas.box(2 * x + width - across, 2 * y + height - down, 2 * x + width + across, 2 * y + height + down, material)


def _cursor(canvas: Canvas, framed: Frame | HexFrame, look: Look) -> None:
    """Draw brackets round the cell, which are visible without colour, too; a cross if nothing can be done."""
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


def _way_out(canvas: Canvas, framed: Frame | HexFrame, look: Look) -> None:
    """Write a word on the piece in hand that may leave."""
    word = "exit" if framed.size.width >= len("exit") else "x"
    for cell in look.held:
        (x, y), (width, height) = framed.corner(cell), framed.size
        canvas.write(x + (width - len(word)) // 2, y + height // 2, word, f"sign{look.seat or 0}")


def _names(canvas: Canvas, scene: Scene, framed: Frame) -> None:
    (width, height) = framed.size
    for row, name in enumerate(scene.row_names):
        canvas.write(framed.left - 1 - len(name), row * height + (height - 1) // 2, name, "names")
    for col, name in enumerate(scene.col_names):
        x = framed.left + col * width + (width - 1) // 2
        canvas.write(x, scene.rows * height, name, "names")
