"""The board as a widget: draws a scene, and reports the cell that was pointed at or pressed. It has no rules."""

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from palio_clients.terminal.canvas import HexFrame, Palette
from palio_clients.terminal.picture import Frame, Look, draw, fitting, frame, neighbour, sizes
from palio_rules.scene import Cell, Scene


class BoardView(ScrollView, can_focus=True):
    """A view that scrolls if the board is larger than the widget, and centres it if it is smaller."""

    DEFAULT_CSS = """
    BoardView {
        background: $background; scrollbar-size: 1 1;
        scrollbar-background: $background; scrollbar-color: $panel; scrollbar-corner-color: $background;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "step(-1, 0)", show=False),
        Binding("down", "step(1, 0)", show=False),
        Binding("left", "step(0, -1)", show=False),
        Binding("right", "step(0, 1)", show=False),
        Binding("enter,space", "press", "move", key_display="⏎"),
        Binding("plus,equals_sign", "zoom(1)", show=False),
        Binding("minus", "zoom(-1)", show=False),
    ]

    class Pointed(Message):
        """The cursor is on `cell`, or has left the board (None)."""

        def __init__(self, cell: Cell | None) -> None:
            super().__init__()
            self.cell = cell

    class Pressed(Message):
        """The message that `cell` was clicked, or chosen with a key."""

        def __init__(self, cell: Cell) -> None:
            super().__init__()
            self.cell = cell

    def __init__(self, scene: Scene, palette: Palette) -> None:
        super().__init__()
        self._scene, self._palette, self._look = scene, palette, Look()
        self._size_index: int | None = None  # of the board's sizes; None: the largest that fits
        self._lines: list[list[Segment]] = []
        self._at: Cell = (scene.rows // 2, scene.cols // 2)  # the last place of the cursor
        self._pointing = False  # whether there is a cursor; keys may come faster than the screen is redrawn

    @property
    def frame(self) -> Frame | HexFrame:
        chosen = fitting(self._scene, *self.size) if self._size_index is None else sizes(self._scene)[self._size_index]
        return frame(self._scene, chosen)

    def show(self, scene: Scene, look: Look) -> None:
        self._scene, self._look = scene, look
        self._paint()

    def position_of(self, cell: Cell) -> tuple[int, int]:
        """Return the character within the widget where the middle of `cell` is currently drawn."""
        framed, (left, top) = self.frame, self._margin()
        x, y = framed.corner(cell)
        return (
            left + x + framed.size.width // 2 - round(self.scroll_x),
            top + y + (framed.size.height - 1) // 2 - round(self.scroll_y),
        )

    def on_resize(self) -> None:
        self._paint()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        cell = self._cell_at(event)
        if cell != (self._at if self._pointing else None):
            self._point(cell)

    def on_leave(self) -> None:
        self._point(None)

    def on_click(self, event: events.Click) -> None:
        if (cell := self._cell_at(event)) is not None:
            self._point(cell)
            self.post_message(self.Pressed(cell))

    def action_step(self, down: int, right: int) -> None:
        """Move the cursor by keyboard; a hidden cursor appears at its last place."""
        row, col = self._at
        if self._pointing:
            row, col = neighbour(self._scene, (row, col), down, right)
        x, y = self.frame.corner((row, col))
        self.scroll_to_region(Region(x, y, *self.frame.size), animate=False, force=True)
        self._point((row, col))

    def action_press(self) -> None:
        if self._pointing:
            self.post_message(self.Pressed(self._at))
        else:
            self.action_step(0, 0)

    def _point(self, cell: Cell | None) -> None:
        self._at, self._pointing = cell or self._at, cell is not None
        self.post_message(self.Pointed(cell))

    def action_zoom(self, by: int) -> None:
        """Make the cells larger or smaller than those that fit."""
        known = sizes(self._scene)
        self._size_index = min(max(known.index(self.frame.size) + by, 0), len(known) - 1)
        self._paint()

    def render_line(self, y: int) -> Strip:
        left, top = self._margin()
        scroll_x, scroll_y = self.scroll_offset
        line = y + scroll_y - top
        if not 0 <= line < len(self._lines):
            return Strip.blank(self.size.width, self.rich_style)
        segments = [Segment(" " * left, self.rich_style), *self._lines[line]]
        return Strip(segments).crop_extend(scroll_x, scroll_x + self.size.width, self.rich_style)

    def _margin(self) -> tuple[int, int]:
        """Return the characters to the left of the picture and above it."""
        framed = self.frame
        return max(0, (self.size.width - framed.width) // 2), max(0, (self.size.height - framed.height) // 2)

    def _cell_at(self, event: events.MouseEvent) -> Cell | None:
        left, top = self._margin()
        scroll_x, scroll_y = self.scroll_offset
        return self.frame.cell(event.x + scroll_x - left, event.y + scroll_y - top, self._scene)

    def _paint(self) -> None:
        framed, palette = self.frame, self._palette
        initials = "" if palette.colour else "".join(seat[:1].upper() for seat in palette.seats)
        canvas = draw(self._scene, framed.size, self._look, initials)
        self._lines = [[palette.segment(glyph) for glyph in canvas.line(y)] for y in range(canvas.height)]
        self.virtual_size = Size(framed.width, framed.height)
        self.refresh()
