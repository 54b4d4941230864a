"""What a position looks like: marks on a grid, so that one small page draws every game, third-party games included.

Cells are (row, col). A **side** of a cell is a number, clockwise from the right: of a square 0 right, 1 bottom, 2 left
and 3 top; of a hexagon, which stands on a corner, 0 right, 1 and 2 below (right, left), 3 left, 4 and 5 above (left,
right).
"""

from typing import Literal

import msgspec

Shape = Literal["pawn", "disc", "ball", "block", "bar", "hex", "wall", "label"]
Cell = tuple[int, int]


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


class Edge(msgspec.Struct, frozen=True, array_like=True):
    """An edge where `seat` wants to get: the `sides` of `cells`, drawn outside the board in the seat's colour.

    Behind it are `sockets`, of which the first `filled` hold a piece: what has left is still seen and counted.
    On the wire an edge is an array `[seat, sides, cells, sockets, filled]`.
    """

    seat: int
    sides: tuple[int, ...]
    cells: tuple[Cell, ...]  # one beside the other
    sockets: int = 0
    filled: int = 0


class Line(msgspec.Struct, frozen=True, array_like=True):
    """A line through the middles of `cells`: dotted for a "pass", dashed for a "way" that a piece wants to go.

    On the wire a line is an array `[kind, seat, cells]`.
    """

    kind: Literal["pass", "way"]
    seat: int
    cells: tuple[Cell, ...]


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
    last: tuple[Cell, ...] = ()  # cells that the last move touched, if the position knows
    path: tuple[Cell, ...] = ()  # cells that a closed line joins in this order: a tour
    edges: tuple[Edge, ...] = ()  # goals
    gaps: tuple[tuple[int, int, int], ...] = ()  # sides (row, col, side) that the fence round the board leaves open
    lines: tuple[Line, ...] = ()
    out: tuple[int, ...] = ()  # seats that have left the game: their pieces are faint and crossed
    chips: tuple[Mark, ...] = ()  # what stands for each seat beside its name, where that may not be on the board yet
    tallies: tuple[str, ...] = ()  # for each seat what is counted of it, in a word or two: "2 exits", "4 left"
