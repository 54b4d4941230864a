"""The picture of a position: marks on a grid, so that one small page draws every game, third-party games included.

Cells are (row, col). A **side** of a cell is a number, clockwise from the right: of a square 0 right, 1 bottom, 2 left
and 3 top; of a hexagon, which stands on a corner, 0 right, 1 and 2 below (right, left), 3 left, 4 and 5 above (left,
right).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Literal, TypeVar

import msgspec

from palio_rules.errors import IllegalMove

Shape = Literal[
    "pawn",
    "disc",
    "ball",
    "block",
    "bar",
    "hex",
    "wall",
    "label",
    "king",
    "queen",
    "rook",
    "bishop",
    "knight",
    "stone",  # on a "lines" board
    "area",  # an empty place that counts for a seat
]
Cell = tuple[int, int]


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """One piece: `shape`, the `seat` that owns it (None: no seat), the cell of its top left corner, its size in cells.

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
    """A goal edge of `seat`: the `sides` of `cells`, drawn outside the board in the seat's colour.

    Behind it are `sockets`, of which the first `filled` hold a piece, so that pieces that left stay visible. On the
    wire an edge is an array `[seat, sides, cells, sockets, filled]`.
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

    A "square" board is chequered, a "plain" one is not; on a "hex" board rows and cols are axial (r, q) offsets. A
    "lines" board has a line through the middles of each row and column, and pieces stand where two lines meet.
    """

    rows: int
    cols: int
    marks: tuple[Mark, ...]
    board: Literal["square", "plain", "hex", "lines"] = "square"
    row_names: tuple[str, ...] = ()
    col_names: tuple[str, ...] = ()
    last: tuple[Cell, ...] = ()  # cells of the last move, if the position has it
    path: tuple[Cell, ...] = ()  # cells that a closed line joins in this order: a tour
    edges: tuple[Edge, ...] = ()  # goal edges
    gaps: tuple[tuple[int, int, int], ...] = ()  # sides (row, col, side) that the fence round the board leaves open
    lines: tuple[Line, ...] = ()
    out: tuple[int, ...] = ()  # seats that left the game: their pieces are faint and crossed
    chips: tuple[Mark, ...] = ()  # a sample piece for each seat beside its name, if it may not be on the board yet
    tallies: tuple[str, ...] = ()  # for each seat its count, in a word or two: "2 exits", "4 left"
    dots: tuple[Cell, ...] = ()  # of a "lines" board: cells whose middles are marked, so that eyes find their way
    turned: tuple[int, ...] = ()  # seats that sit at the top: who plays one sees the board turned by half


# Moves by hand: the cells that are touched, one after the other, and the meaning of other touches.
#
# A cell is (row, col) of the game's scene, from the top left corner. This class does not depend on a screen.

Touches = tuple[frozenset[Cell], ...]

S = TypeVar("S", bound=Any)
MoveT = TypeVar("MoveT")


class Gestures(ABC, Generic[S, MoveT]):
    """The way in which one game is played by touch, mouse or keyboard."""

    # "touches": cells one after the other. "order": all marks of the scene, each once, in the order of the move, where
    # there are too many moves to list; a mark is touched by its number in the scene, for two may lie in one cell.
    kind: ClassVar[Literal["touches", "order"]] = "touches"
    how: ClassVar[str]  # for the help page: how to move and what wins, in lines of some 60 characters

    @abstractmethod
    def touches(self, state: S, move: MoveT) -> Touches:
        """Return the touches that make a legal `move`: one cell of each set, in this order.

        Return none for a move that is made automatically (see `forced`) or by its name (see `by_name`).
        """

    @abstractmethod
    def meant(self, state: S, cells: tuple[Cell, ...]) -> MoveT:
        """Return the move that touching `cells` asks for; the rules may forbid it.

        The cells, one or more, lie on the scene. Never called with a single cell that begins legal moves, so the answer
        to one cell may be that its piece cannot move. Raises IllegalMove if the touches ask for no move at all, with a
        reason as the rules would give it.
        """

    def made(self, state: S, cells: tuple[Cell, ...]) -> MoveT | None:
        """Return the legal move that touching `cells` makes; None while they are the beginning of one.

        Raises IllegalMove, with the reason, if they lead to no legal move. For "touches".
        """
        if state.to_move is None:
            raise IllegalMove("game-over", "the game is over")
        if not cells:
            return None
        begun = False
        move: MoveT
        for move in state.legal_moves():
            touches = self.touches(state, move)
            if len(touches) >= len(cells) and all(cell in each for cell, each in zip(cells, touches, strict=False)):
                if len(touches) == len(cells):
                    return move
                begun = True
        if begun:
            return None
        move = self.meant(state, cells)
        state.check(move)
        return move

    def ordered(self, state: S, marks: tuple[int, ...]) -> MoveT:
        """Return the move that visits the marks of the scene in this order; the rules may forbid it. For "order"."""
        raise NotImplementedError

    def marks(self, state: S, move: MoveT) -> tuple[int, ...]:
        """Return the marks of the scene in the order that makes `move`; for "order"."""
        raise NotImplementedError

    def forced(self, state: S) -> MoveT | None:
        """Return the move that is made automatically because there is no choice: a pass; or None."""
        return None

    def by_name(self, state: S) -> Sequence[MoveT]:
        """Return the moves for which no touch stands: a page has a button with the notation of each that is legal."""
        return ()

    def choice(self, state: S, move: MoveT) -> Mark | None:
        """Return the piece that the last touch of `move` chooses, on the cell that stands for it; usually None."""
        return None

    def effect(self, state: S, move: MoveT) -> str:
        """Return in words the effect of `move` that its notation does not show; usually ""."""
        return ""

    def count(self, state: S) -> str:
        """Return in words what cannot be seen on the board; usually ""."""
        return ""
