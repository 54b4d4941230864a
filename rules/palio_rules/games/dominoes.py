"""Dominoes, also called Domineering: one side places dominoes upright, the other flat; the side without a place loses.

Göran Andersson's game, described by Martin Gardner as "crosscram" (Scientific American, February 1974), analysed by
Conway, "On Numbers and Games" (1976); played here as in CIS 521 (University of Pennsylvania).

Vertical covers two free squares of one column, (row, col) and (row + 1, col); Horizontal two of one row, (row, col) and
(row, col + 1). Vertical moves first. The last player who can place a domino wins, so there are no draws.

A square is (row, col) from the top left corner, as in the course. In notation a domino is its top or left square, named
as in chess with row 1 at the bottom, and its direction: `c5v` covers c5 and c4, `c5h` covers c5 and d5.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, NamedTuple, Self

from msgspec import Meta

from palio_rules.boards.grid import Grid, check_rows, col_names, row_names, text_board
from palio_rules.errors import BadOption, BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, Options, Outcome, only_moves
from palio_rules.position import Moves, Squares
from palio_rules.scene import Cell, Gestures, Mark, Scene, Touches

VERTICAL, HORIZONTAL = 0, 1
MAX_SIDE = 16


class Move(NamedTuple):
    """A domino whose top or left square is (row, col); the side to move gives its direction."""

    row: int
    col: int


class Board(Grid):
    """The tables for all positions on a board of one size."""

    def __init__(self, rows: int, cols: int) -> None:
        super().__init__(rows, cols)
        last_col = sum(1 << row * cols + cols - 1 for row in range(rows))
        self.left_of_another = self.full ^ last_col
        self.moves = {1 << row * cols + col: Move(row, col) for row in range(rows) for col in range(cols)}

    def partner(self, row: int, col: int, seat: int) -> tuple[int, int]:
        """Return the other square of a domino."""
        return (row + 1, col) if seat == VERTICAL else (row, col + 1)

    def places(self, filled: int, seat: int) -> int:
        """Return the squares, as bits, on which `seat` can place the top or left half of a domino."""
        free = self.full ^ filled
        if seat == VERTICAL:
            return free & free >> self.cols
        return free & free >> 1 & self.left_of_another

    def __reduce__(self) -> tuple[object, tuple[int, int]]:
        return board_of, (self.rows, self.cols)  # copies and pickles share the one board of this size, too


@cache
def board_of(rows: int, cols: int) -> Board:
    return Board(rows, cols)


@dataclass(frozen=True, slots=True)
class Position(Squares):
    """A position: the filled squares as bits of `board`, and the seat (0 Vertical, 1 Horizontal) to move.

    Two positions are equal when the same squares are filled, by either side: a good key for a transposition table.
    `dominoes` is for display only: for each seat, the top or left squares of its dominoes.

    `state[row, col]` is "." for a free square, "^" over "v" for an upright domino, "<" before ">" for a flat one, "#"
    for a square that was filled from the beginning; row 0 is at the top.
    """

    board: Board
    filled: int
    turn: int = VERTICAL
    dominoes: tuple[int, int] = field(default=(0, 0), compare=False)
    last: Move | None = field(default=None, compare=False)

    @property
    def to_move(self) -> int | None:
        """Return the seat to move; None when it cannot place a domino, and the game is over."""
        return self.turn if self.board.places(self.filled, self.turn) else None

    def __str__(self) -> str:
        return Dominoes().render(self)

    def legal_moves(self) -> Moves[Move]:
        """Return moves row by row from the top, each from the left."""
        return Moves(self._moves)

    def _moves(self) -> Iterator[Move]:
        moves = self.board.moves
        places = self.board.places(self.filled, self.turn)
        while places:
            place = places & -places
            places ^= place
            yield moves[place]

    @only_moves
    def check(self, move: Move) -> None:
        """Raise IllegalMove, with the reason, unless `move` can be played here."""
        board, (row, col) = self.board, move
        if self.to_move is None:
            raise IllegalMove("game-over", "the game is over")
        board.check(row, col)
        other = board.partner(row, col, self.turn)
        if other[0] == board.rows or other[1] == board.cols:
            edge = "lower" if self.turn == VERTICAL else "right"
            raise IllegalMove("off-board", f"a domino on {board.name(row, col)} would lie across the {edge} edge")
        for cell in ((row, col), other):
            if self.filled & board.bit(*cell):
                raise IllegalMove("occupied", f"{board.name(*cell)} is taken")

    def play(self, move: Move) -> Self:
        board, turn = self.board, self.turn
        place = board.bit(*move)
        upright, flat = self.dominoes
        if turn == VERTICAL:
            filled, dominoes = self.filled | place | place << board.cols, (upright | place, flat)
        else:
            filled, dominoes = self.filled | place | place << 1, (upright, flat | place)
        return type(self)(board, filled, 1 - turn, dominoes, move)

    def outcome(self) -> Outcome | None:
        """Return a loss by "no-moves" for the seat that cannot place a domino, or None while the game goes on."""
        if self.to_move is not None:
            return None
        return Outcome("no-moves", (0.0, 1.0) if self.turn == VERTICAL else (1.0, 0.0))

    def rows(self) -> list[str]:
        """Return rows from the top: "." is free, "^" over "v" and "<" before ">" are dominoes, "#" is filled."""
        board = self.board
        cells = [".#"[bit == "1"] for bit in f"{self.filled:0{board.rows * board.cols}b}"[::-1]]
        for seat, (half, other, distance) in enumerate((("^", "v", board.cols), ("<", ">", 1))):
            for at in _indices(self.dominoes[seat]):
                cells[at], cells[at + distance] = half, other
        text = "".join(cells)
        return [text[start : start + board.cols] for start in range(0, len(text), board.cols)]

    def placed(self, seat: int) -> list[Move]:
        """Return the dominoes of `seat`, row by row."""
        return [Move(*divmod(at, self.board.cols)) for at in _indices(self.dominoes[seat])]


def _indices(bits: int) -> Iterator[int]:
    """Yield the positions of the set bits, ascending."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        yield lowest.bit_length() - 1


class OneTouch(Gestures[Position, Move]):
    """Touch a domino's upper or left square to place it, as in the course's own window."""

    how = (
        "Vertical places dominoes upright, Horizontal lays them flat.\n"
        "Click the upper or left square. Who cannot place one loses."
    )

    def touches(self, state: Position, move: Move) -> Touches:
        return (frozenset({(move.row, move.col)}),)

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> Move:
        return Move(*cells[0])


class DominoesOptions(Options, frozen=True):
    rows: Annotated[int, Meta(ge=1, le=MAX_SIDE, description="rows of the board", examples=[6, 8, 10])] = 8
    cols: Annotated[int, Meta(ge=1, le=MAX_SIDE, description="columns of the board", examples=[6, 8, 10])] = 8
    board: Annotated[
        str,
        Meta(
            max_length=MAX_SIDE * (MAX_SIDE + 1),
            description="a first position instead of the empty board: rows of . (free) and # (filled), divided by /; "
            "its size replaces rows and cols",
        ),
    ] = ""


class Dominoes(Game[Position, Move]):
    name = "dominoes"
    title = "Dominoes"
    line = "Vertical and Horizontal lay dominoes by turns; whoever cannot lay one loses."
    seats = ("vertical", "horizontal")
    options_type = DominoesOptions
    rating_settings = ("rows", "cols")
    uneven_settings = ("board",)
    gestures = OneTouch()
    has_draws = False

    def start(self, options: DominoesOptions, seed: int = 0) -> Position:
        if not options.board:
            return Position(board_of(options.rows, options.cols), 0)
        try:
            return _read_board(options.board)
        except BadPosition as error:
            raise BadOption(f"dominoes option board={quoted(options.board)}: {error}") from None

    def move_from_wire(self, value: object) -> Move:
        """Read `[row, col]`."""
        match value:
            case [row, col] if type(row) is type(col) is int:
                return Move(row, col)
        raise MalformedMove("not-a-square", f"a move is [row, col] in integers, got {quoted(value)}")

    def move_to_wire(self, move: Move) -> list[int]:
        return [*move]

    def notation(self, state: Position, move: Move) -> str:
        """Return `c5v` or `c5h`: the domino's top or left square, and its direction; row 1 is at the bottom."""
        return f"{state.board.name(*move)}{'vh'[state.turn]}"

    def parse_notation(self, state: Position, text: str) -> Move:
        found = state.board.named(text[:-1])
        if found and text[-1] == "vh"[state.turn]:
            return Move(*found)
        raise MalformedMove(
            "not-notation", f"a move of {self.seats[state.turn]} is written c5{'vh'[state.turn]}, got {quoted(text)}"
        )

    def format_state(self, state: Position) -> str:
        """Return the rows from the top, then the side to move: `^<>./v.../.... vertical`; see `Position.rows`."""
        return f"{'/'.join(state.rows())} {self.seats[state.turn]}"

    def parse_state(self, text: str) -> Position:
        board, space, turn = text.partition(" ")
        if not space or turn not in self.seats:
            raise BadPosition(f"a position ends in ' vertical' or ' horizontal', got {quoted(text)}")
        read = _read_board(board)
        return Position(read.board, read.filled, self.seats.index(turn), read.dominoes)

    def render(self, state: Position) -> str:
        over = state.to_move is None
        return text_board(state.rows(), f"{self.seats[state.turn]} {'cannot move' if over else 'to move'}")

    def scene(self, state: Position) -> Scene:
        board = state.board
        marks = [
            Mark("wall", None, row, col)
            for row, cells in enumerate(state.rows())
            for col, cell in enumerate(cells)
            if cell == "#"
        ]
        for seat, (rows, cols) in enumerate(((2, 1), (1, 2))):
            marks += [Mark("bar", seat, *move, rows, cols) for move in state.placed(seat)]
        last = state.last
        touched = ((last.row, last.col), board.partner(last.row, last.col, 1 - state.turn)) if last else ()
        names = row_names(board.rows), col_names(board.cols)
        left = tuple(f"{board.places(state.filled, seat).bit_count()} left" for seat in (VERTICAL, HORIZONTAL))
        return Scene(board.rows, board.cols, tuple(marks), "plain", *names, last=touched, chips=_CHIPS, tallies=left)


_CHIPS = (Mark("bar", VERTICAL, 0, 0, 2, 1), Mark("bar", HORIZONTAL, 0, 0, 1, 2))


def _read_board(text: str) -> Position:
    """Read a board as a position with Vertical to move. Raises BadPosition with the place."""
    rows = text.split("/")
    if len(rows) > MAX_SIDE or not 1 <= len(rows[0]) <= MAX_SIDE:
        raise BadPosition(
            f"a board has 1 to {MAX_SIDE} rows of 1 to {MAX_SIDE} squares, got {len(rows)} of {len(rows[0])}"
        )
    check_rows(rows, ".#^v<>")
    board = board_of(len(rows), len(rows[0]))
    filled, dominoes = 0, [0, 0]
    for row, cells in enumerate(rows):
        for col, cell in enumerate(cells):
            filled |= (cell != ".") << row * board.cols + col
            if cell in "^<":
                dominoes["^<".index(cell)] |= board.bit(row, col)
            _check_halves(rows, row, col)
    return Position(board, filled, VERTICAL, (dominoes[VERTICAL], dominoes[HORIZONTAL]))


_OTHER_HALF = {"^": ("v", 1, 0), "v": ("^", -1, 0), "<": (">", 0, 1), ">": ("<", 0, -1)}


def _check_halves(rows: Sequence[str], row: int, col: int) -> None:
    cell = rows[row][col]
    if cell not in _OTHER_HALF:
        return
    half, down, right = _OTHER_HALF[cell]
    there, beside = row + down, col + right
    if not (0 <= there < len(rows) and 0 <= beside < len(rows[0]) and rows[there][beside] == half):
        raise BadPosition(f"row {row}, column {col}: {cell!r} is half a domino, and its other half {half!r} is missing")
