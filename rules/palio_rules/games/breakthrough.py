"""Breakthrough: a race of pawns. Reach the far row, or capture all enemy pawns.

Dan Troyka, winner of the 8x8 Game Design Competition of About.com and Abstract Games Magazine (2001); played here as in
CS2109S (National University of Singapore), whose board has 6 rows and 6 columns.

Black fills the two top rows and moves down, White fills the two bottom rows and moves up. A pawn takes one step ahead:
straight onto an empty square, or diagonally onto a square that is empty or holds an enemy, which is captured. A side
wins when one of its pawns reaches the far row, or when the opponent has no pawns left. There are no draws: the foremost
pawn of a side always has a diagonal step, because only its own side could block that.

A square is (row, col) from the top left corner, as in the course. In notation it is named as in chess, row 1 at White's
side: `b5-b4` is a step, `b5xc4` a capture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Annotated, Literal, NamedTuple, Self

from msgspec import Meta

from palio_rules.boards.grid import Grid, check_rows, col_names, row_names, text_board
from palio_rules.errors import BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, Options, Outcome, only_moves
from palio_rules.position import Moves, Squares
from palio_rules.scene import Cell, Edge, Gestures, Mark, Scene, Touches

BLACK, WHITE = 0, 1
MIN_ROWS, MAX_ROWS, MIN_COLS, MAX_COLS = 4, 8, 3, 8


class Move(NamedTuple):
    """A step of the pawn on `src` to `dst`, both (row, col)."""

    src: tuple[int, int]
    dst: tuple[int, int]


class Step(NamedTuple):
    """A move as bits: the square left, the square entered, and the latter again if the step is straight, else 0."""

    src: int
    dst: int
    straight: int


class Board(Grid):
    """The tables for all positions on a board of one size: computed once, shared by all of them.

    `steps[seat]` has every step that a seat could ever take; `fans[seat][bit]` has, for a pawn on `bit`, the moves that
    are left when some of its three squares are closed.
    """

    def __init__(self, rows: int, cols: int) -> None:
        super().__init__(rows, cols)
        self.row = (1 << cols) - 1
        self.home = (self.row | self.row << cols, (self.row | self.row << cols) << (rows - 2) * cols)
        self.goal = (self.row << (rows - 1) * cols, self.row)  # far rows: Black's is the bottom, White's the top
        self.steps = (self._steps(1), self._steps(-1))
        self.fans = (self._fans(BLACK), self._fans(WHITE))
        self.shifts = tuple(range(0, rows * cols, cols))
        self.row_text = {
            sum((cell == "B") << cols + col | (cell == "W") << col for col, cell in enumerate(cells)): "".join(cells)
            for cells in product(".BW", repeat=cols)
        }

    def _steps(self, ahead: int) -> dict[Move, Step]:
        steps = {}
        for row, col, side in product(range(self.rows), range(self.cols), (-1, 0, 1)):
            if 0 <= row + ahead < self.rows and 0 <= col + side < self.cols:
                src, dst = self.bit(row, col), self.bit(row + ahead, col + side)
                steps[Move((row, col), (row + ahead, col + side))] = Step(src, dst, 0 if side else dst)
        return steps

    def _fans(self, seat: int) -> dict[int, tuple[int, tuple[tuple[Move, ...], ...]]]:
        """Return, for each pawn, a shift and a table with which its moves are found without a loop.

        The shift brings the squares ahead of the pawn, left, straight and right, to bits 0, 1 and 2 (of a board with
        one spare bit below); the table has the moves for each of the eight sets of squares that may be open there.
        """
        ahead = self.cols if seat == BLACK else -self.cols
        fans = {}
        for index in range(self.rows * self.cols):
            src = divmod(index, self.cols)
            moves = [(move, 1 << move.dst[1] - src[1] + 1) for move in self.steps[seat] if move.src == src]
            if moves:
                by_open = tuple(tuple(move for move, bit in moves if bit & open_) for open_ in range(8))
                fans[1 << index] = (index + ahead, by_open)
        return fans

    def __reduce__(self) -> tuple[object, tuple[int, int]]:
        return board_of, (self.rows, self.cols)  # copies and pickles share the one board of this size, too


@cache
def board_of(rows: int, cols: int) -> Board:
    return Board(rows, cols)


@dataclass(frozen=True, slots=True)
class Position(Squares):
    """A position: both sides' pawns as bits of `board`, and the seat (0 Black, 1 White) whose turn it is.

    `state[row, col]` is "B" for a black pawn, "W" for a white one, "." for an empty square; row 0 is at the top, where
    Black begins.
    """

    board: Board
    black: int
    white: int
    turn: int = BLACK
    last: Move | None = field(default=None, compare=False)  # for viewers; the rules do not use it

    @property
    def to_move(self) -> int | None:
        black, white, goal = self.black, self.white, self.board.goal
        return None if black & goal[BLACK] or white & goal[WHITE] or not black or not white else self.turn

    def __str__(self) -> str:
        return Breakthrough().render(self)

    def legal_moves(self) -> Moves[Move]:
        """Return moves row by row from the top, each from the left; for each pawn the step left, straight, right."""
        return Moves(self._moves)

    def _moves(self) -> Sequence[Move]:
        if self.to_move is None:
            return ()
        own, enemy = (self.white, self.black) if self.turn else (self.black, self.white)
        board = self.board
        fans = board.fans[self.turn]
        diagonal = (board.full ^ own) << 1
        straight = (board.full ^ (own | enemy)) << 1
        moves: list[Move] = []
        while own:
            pawn = own & -own
            own ^= pawn
            shift, by_open = fans[pawn]
            moves += by_open[diagonal >> shift & 0b101 | straight >> shift & 0b010]
        return moves

    @only_moves
    def check(self, move: Move) -> None:
        """Raise IllegalMove, with the reason, unless `move` can be played here."""
        own, enemy = (self.white, self.black) if self.turn else (self.black, self.white)
        step = self.board.steps[self.turn].get(move)
        if step is not None and self.to_move is not None:
            src, dst, straight = step
            if own & src and not own & dst and not enemy & straight:
                return
        raise self._objection(move, own, enemy)

    def _objection(self, move: Move, own: int, enemy: int) -> IllegalMove:
        """Return the first reason why `move` cannot be played. Raises it if a square is off the board."""
        board, move = self.board, Move(*move)
        if self.to_move is None:
            return IllegalMove("game-over", "the game is over")
        for cell in move:
            board.check(*cell)
        src, dst = board.name(*move.src), board.name(*move.dst)
        if enemy & board.bit(*move.src):
            return IllegalMove("not-your-piece", f"{src} is your opponent's piece")
        if not own & board.bit(*move.src):
            return IllegalMove("no-piece", f"{src} is empty")
        if move not in board.steps[self.turn]:
            way = "up" if self.turn else "down"
            return IllegalMove("not-a-step", f"{src} to {dst} is not one step {way}, straight or diagonal")
        if own & board.bit(*move.dst):
            return IllegalMove("own-piece", f"{dst} is your own piece")
        return IllegalMove("path-blocked", f"{dst} is taken, and a pawn captures diagonally only")

    def play(self, move: Move) -> Self:
        turn = self.turn
        try:
            src, dst, _ = self.board.steps[turn][move]
        except (KeyError, TypeError):
            self.check(move)
            raise
        if turn:
            return type(self)(self.board, self.black & ~dst, self.white ^ (src | dst), BLACK, move)
        return type(self)(self.board, self.black ^ (src | dst), self.white & ~dst, WHITE, move)

    def outcome(self) -> Outcome | None:
        """Return a win by "reached-far-row" or "no-pawns-left", or None while the game goes on."""
        if self.to_move is not None:
            return None
        goal = self.board.goal
        if self.black & goal[BLACK] or self.white & goal[WHITE]:
            return Outcome("reached-far-row", (1.0, 0.0) if self.black & goal[BLACK] else (0.0, 1.0))
        return Outcome("no-pawns-left", (1.0, 0.0) if self.black else (0.0, 1.0))

    def rows(self) -> list[str]:
        """Return the rows as text, from the top: "B", "W" and "." for an empty square."""
        board = self.board
        black, white, row, cols, text = self.black, self.white, board.row, board.cols, board.row_text
        return [text[(black >> shift & row) << cols | white >> shift & row] for shift in board.shifts]


class PawnSteps(Gestures[Position, Move]):
    """Touch a pawn, then its destination."""

    how = (
        "Click a pawn, then where it goes: one step ahead, straight or\n"
        "diagonally; it captures diagonally. Reach the far row to win."
    )

    def touches(self, state: Position, move: Move) -> Touches:
        return frozenset({move.src}), frozenset({move.dst})

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> Move:
        if len(cells) == 1:
            own = state.white if state.turn else state.black
            if own & state.board.bit(*cells[0]):
                raise IllegalMove("path-blocked", f"the pawn on {state.board.name(*cells[0])} cannot move")
        return Move(cells[0], cells[-1])


class BreakthroughOptions(Options, frozen=True):
    rows: Annotated[int, Meta(ge=MIN_ROWS, le=MAX_ROWS, description="rows of the board", examples=[5, 6, 8])] = 6
    cols: Annotated[int, Meta(ge=MIN_COLS, le=MAX_COLS, description="columns of the board", examples=[5, 6, 8])] = 6
    first: Annotated[Literal["black", "white"], Meta(description="the side that moves first")] = "black"


class Breakthrough(Game[Position, Move]):
    name = "breakthrough"
    title = "Breakthrough"
    line = "Pawns step ahead, straight or diagonally, and capture diagonally; one pawn on the far row wins."
    seats = ("black", "white")
    options_type = BreakthroughOptions
    rating_settings = ("rows", "cols")
    gestures = PawnSteps()
    has_draws = False

    def start(self, options: BreakthroughOptions, seed: int = 0) -> Position:
        board = board_of(options.rows, options.cols)
        return Position(board, board.home[BLACK], board.home[WHITE], self.seats.index(options.first))

    def move_from_wire(self, value: object) -> Move:
        """Read `[[row, col], [row, col]]`."""
        match value:
            case [[r1, c1], [r2, c2]] if type(r1) is type(c1) is type(r2) is type(c2) is int:
                return Move((r1, c1), (r2, c2))
        raise MalformedMove("not-a-step", f"a move is [[row, col], [row, col]] in integers, got {quoted(value)}")

    def move_to_wire(self, move: Move) -> list[list[int]]:
        return [[*move[0]], [*move[1]]]

    def notation(self, state: Position, move: Move) -> str:
        """Return `b5-b4`, or `b5xc4` for a capture; row 1 is at the bottom."""
        board = state.board
        captured = (state.black if state.turn else state.white) & board.bit(*move.dst)
        return f"{board.name(*move.src)}{'x' if captured else '-'}{board.name(*move.dst)}"

    def parse_notation(self, state: Position, text: str) -> Move:
        src, dst = state.board.named(text[:2]), state.board.named(text[3:])
        if src and dst and self.notation(state, Move(src, dst)) == text:
            return Move(src, dst)
        raise MalformedMove("not-notation", f"a move is written b5-b4, or b5xc4 for a capture, got {quoted(text)}")

    def format_state(self, state: Position) -> str:
        """Return the rows from the top, then the side to move: `BBBBBB/BBBBBB/....../....../WWWWWW/WWWWWW black`."""
        return f"{'/'.join(state.rows())} {self.seats[state.turn]}"

    def parse_state(self, text: str) -> Position:
        pawns, space, turn = text.partition(" ")
        if not space or turn not in self.seats:
            raise BadPosition(f"a position ends in ' black' or ' white', got {quoted(text)}")
        rows = pawns.split("/")
        if not MIN_ROWS <= len(rows) <= MAX_ROWS or not MIN_COLS <= len(rows[0]) <= MAX_COLS:
            raise BadPosition(
                f"a board has {MIN_ROWS} to {MAX_ROWS} rows of {MIN_COLS} to {MAX_COLS} squares, "
                f"got {len(rows)} of {len(rows[0])}"
            )
        check_rows(rows, ".BW")
        cells = "".join(rows)
        bits = cells[::-1].replace(".", "0")  # the first cell is the lowest bit
        black = int(bits.replace("B", "1").replace("W", "0"), 2)
        white = int(bits.replace("B", "0").replace("W", "1"), 2)
        board = board_of(len(rows), len(rows[0]))
        if not black and not white:
            raise BadPosition("the board has no pawns at all")
        won = [bool(black & board.goal[BLACK]) or not white, bool(white & board.goal[WHITE]) or not black]
        if all(won):
            raise BadPosition("both sides have won: pawns stand on both far rows")
        return Position(board, black, white, self.seats.index(turn))

    def render(self, state: Position) -> str:
        ended = state.outcome()
        status = f"{self.seats[state.turn]} to move" if ended is None else ended.reason
        return text_board(state.rows(), status)

    def scene(self, state: Position) -> Scene:
        board = state.board
        marks = tuple(
            Mark("pawn", "BW".index(cell), row, col)
            for row, cells in enumerate(state.rows())
            for col, cell in enumerate(cells)
            if cell != "."
        )
        return Scene(
            board.rows,
            board.cols,
            marks,
            row_names=row_names(board.rows),
            col_names=col_names(board.cols),
            last=tuple(state.last or ()),
            edges=_goals(board.rows, board.cols),
            turned=(BLACK,),
        )


@cache
def _goals(rows: int, cols: int) -> tuple[Edge, Edge]:
    """Return the goals: Black's below, White's above."""
    bottom, top = (tuple((row, col) for col in range(cols)) for row in (rows - 1, 0))
    return Edge(BLACK, (1,), bottom), Edge(WHITE, (3,), top)
