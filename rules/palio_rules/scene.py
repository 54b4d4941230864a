"""What a position looks like: marks on a grid, so that one small page draws every game, third-party games included."""

from typing import Literal

import msgspec

Shape = Literal["pawn", "disc", "ball", "block", "bar", "hex", "wall", "label"]


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """One piece: `shape`, the `seat` that owns it (None: nobody), the cell of its top left corner, its extent in cells.

    On the wire a mark is an array `[shape, seat, row, col, rows, cols, text]`.
    """

    shape: Shape
    seat: int | None
    row: int  # 0 is the top row of the picture
    col: int  # 0 is the left column of the picture
    rows: int = 1
    cols: int = 1
    text: str = ""  # drawn on the piece, read by screen readers


class Scene(msgspec.Struct, frozen=True):
    """A board of `rows` x `cols` cells with `marks` on it, drawn in order; `row_names` and `col_names` label its edges.

    A "square" board is chequered, a "plain" one is not; on a "hex" board rows and cols are axial (r, q) offsets.
    """

    rows: int
    cols: int
    marks: tuple[Mark, ...]
    board: Literal["square", "plain", "hex"] = "square"
    row_names: tuple[str, ...] = ()
    col_names: tuple[str, ...] = ()
    last: tuple[tuple[int, int], ...] = ()  # cells (row, col) that the last move touched, if the position knows
    path: tuple[tuple[int, int], ...] = ()  # cells (row, col) that a closed line joins in this order: a tour
