"""End of the Track: carry your ball to the other side, but the block that holds it cannot move.

A board game by Gaya, played here as in AI388U (University of Texas at Austin), with 8 rows and 7 columns. White begins
at the bottom, Black at the top, each with five blocks in a row and a ball on the middle one. White moves first. In a
turn a side does one of two things:

- moves a block like a knight of chess to an empty square, unless that block holds the ball;
- passes the ball from block to block of its own, any number of passes in one turn, each along a queen's line that no
  enemy block interrupts; it must end on another square than it began.

The first side whose ball reaches the far row wins. The course has no draw, so a game could go on without end; here a
game is drawn when a position occurs for the third time with the same side to move (the first position counts), and at
the end of ply `max_plies`. A side without a move would draw as well, but that does not occur: the four blocks that may
move see at least seven squares between them, and only six more blocks stand on the board (a test counts all cases).

A square is one integer, `row * 7 + col` from the lower left corner. The pieces are twelve of them: White's five blocks,
White's ball, Black's five blocks, Black's ball. A move names a piece by its index within its side (5 is the ball) and
its destination square. In notation `b1-c3` moves a block and `@d1-b1` passes the ball.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Annotated, NamedTuple, Self

from msgspec import Meta

from palio_rules.boards import end_of_track as board
from palio_rules.boards.end_of_track import (
    BALL,
    BETWEEN,
    BLACK,
    BLOCKS,
    COLS,
    KNIGHT,
    ROWS,
    SIDE,
    SQUARES,
    WHITE,
    name_of,
)
from palio_rules.boards.grid import col_names, read_square, row_names, square, text_board
from palio_rules.errors import BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, Options, Outcome, only_moves
from palio_rules.position import Moves, Squares
from palio_rules.scene import Cell, Edge, Gestures, Line, Mark, Scene, Touches

START = (1, 2, 3, 4, 5, 3, 50, 51, 52, 53, 54, 52)
LONGEST = 2000  # plies; the history of more would not fit into a message
OCCURRENCES = 3  # of one position, for a draw
GOALS = (
    Edge(WHITE, (3,), tuple((0, col) for col in range(COLS))),
    Edge(BLACK, (1,), tuple((ROWS - 1, col) for col in range(COLS))),
)  # the far rows, for viewers


class Move(NamedTuple):
    """A piece of the side to move, by index (0 to 4 a block, 5 the ball), and its destination square."""

    piece: int
    to: int


@dataclass(frozen=True, slots=True)
class Position(Squares):
    """A position: where the twelve pieces are, and the seat (0 White, 1 Black) to move. Make one with `of`.

    Positions are equal when these two are: that makes a good key for a transposition table, which would never find
    anything if every key contained the whole path to the position. The draw rules need the history, so the ply, the
    history and the result are stored with the position, but are not compared.

    `state[row, col]` is "w" or "b" for a block, "W" or "B" for the block with the ball, "." for an empty square; row 0
    is at the top, Black's side. The square numbers of moves count from White's side: square 7 * (7 - row) + col.
    """

    pieces: tuple[int, ...]
    turn: int
    ply: int = field(default=0, compare=False)
    max_plies: int = field(default=300, compare=False)
    history: str = field(default="", compare=False)  # the `word_of` each earlier position, divided by spaces
    result: Outcome | None = field(default=None, compare=False)
    last: tuple[int, int] | None = field(default=None, compare=False)  # squares, for viewers

    @classmethod
    def of(
        cls,
        pieces: tuple[int, ...] = START,
        turn: int = WHITE,
        ply: int = 0,
        max_plies: int = 300,
        history: str = "",
        last: tuple[int, int] | None = None,
    ) -> Self:
        """Make a position and compute its result."""
        result = _result(pieces, turn, ply, max_plies, history)
        return cls(pieces, turn, ply, max_plies, history, result, last)

    @property
    def to_move(self) -> int | None:
        return self.turn if self.result is None else None

    def __str__(self) -> str:
        return EndOfTheTrack().render(self)

    def rows(self) -> list[list[str]]:
        """Return the rows from the top, a character for each square; a capital holds the ball."""
        cells = [["."] * COLS for _ in range(ROWS)]
        for seat, index in product((WHITE, BLACK), range(BLOCKS)):
            at = self.pieces[SIDE * seat + index]
            holds = at == self.pieces[SIDE * seat + BALL]
            row, col = board.cell_of(at)
            cells[row][col] = ("WB" if holds else "wb")[seat]
        return cells

    def legal_moves(self) -> Moves[Move]:
        """Return moves block by block, each to ascending squares, then the ball to ascending squares."""
        return Moves(self._moves)

    def _moves(self) -> Iterator[Move]:
        if self.result is not None:
            return
        first = SIDE * self.turn
        ball, occupied = self.pieces[first + BALL], _occupied(self.pieces)
        for piece, block in enumerate(self.pieces[first : first + BLOCKS]):
            if block != ball:
                for to in KNIGHT[block]:
                    if not occupied >> to & 1:
                        yield Move(piece, to)
        for to in sorted(passes(self.pieces, self.turn)):
            yield Move(BALL, to)

    @only_moves
    def check(self, move: Move) -> None:
        """Raise IllegalMove, with the reason, unless `move` can be played here."""
        piece, to = move
        if self.result is not None:
            raise IllegalMove("game-over", "the game is over")
        if not 0 <= piece <= BALL:
            raise IllegalMove(
                "no-such-piece", f"piece {quoted(piece)} does not exist: blocks are 0 to 4, the ball is 5"
            )
        if not 0 <= to < SQUARES:
            raise IllegalMove("off-board", f"square {quoted(to)} is off the {ROWS}x{COLS} board, whose last is 55")
        if piece == BALL:
            self._check_pass(to)
        else:
            self._check_block(self.pieces[SIDE * self.turn + piece], to)

    def _check_block(self, block: int, to: int) -> None:
        if block == self.pieces[SIDE * self.turn + BALL]:
            raise IllegalMove("holds-ball", f"the block on {name_of(block)} holds the ball and must stand still")
        if to not in KNIGHT[block]:
            raise IllegalMove("not-a-knight-move", f"{name_of(block)} to {name_of(to)} is not a knight's move")
        if _occupied(self.pieces) >> to & 1:
            raise IllegalMove("occupied", f"{name_of(to)} is taken")

    def _check_pass(self, to: int) -> None:
        first = SIDE * self.turn
        ball = self.pieces[first + BALL]
        if to == ball:
            raise IllegalMove("same-square", f"the ball is on {name_of(to)} already")
        if to not in self.pieces[first : first + BLOCKS]:
            raise IllegalMove("no-block", f"none of your blocks stands on {name_of(to)}")
        if to not in passes(self.pieces, self.turn):
            raise IllegalMove("path-blocked", f"no chain of passes leads from {name_of(ball)} to {name_of(to)}")

    def play(self, move: Move) -> Self:
        piece, to = move
        index = SIDE * self.turn + piece
        pieces = (*self.pieces[:index], to, *self.pieces[index + 1 :])
        word = board.word_of(self.pieces, self.turn)
        history = f"{self.history} {word}" if self.history else word
        return self.of(pieces, 1 - self.turn, self.ply + 1, self.max_plies, history, (self.pieces[index], to))

    def outcome(self) -> Outcome | None:
        """Return a win by "reached-far-row", a draw by "repetition" or "max-plies", or None."""
        return self.result


def passes(pieces: tuple[int, ...], turn: int) -> set[int]:
    """Return the squares that the ball of `turn` can reach by passes, without its own square."""
    first = SIDE * turn
    blocks, ball = pieces[first : first + BLOCKS], pieces[first + BALL]
    enemies = _bits(pieces[SIDE - first : SIDE - first + BLOCKS])
    reached = [ball]
    for holder in reached:  # grows during the loop
        lines = BETWEEN[holder]
        reached += [block for block in blocks if not lines[block] & enemies and block not in reached]
    return set(reached[1:])


def route(pieces: tuple[int, ...], turn: int, start: int, goal: int) -> tuple[int, ...]:
    """Return the squares on a shortest chain of passes of the ball of `turn` from `start` to `goal`, both included.

    Assumes that only the ball has moved since. Raises KeyError if no chain of passes leads there.
    """
    first = SIDE * turn
    blocks, enemies = pieces[first : first + BLOCKS], _bits(pieces[SIDE - first : SIDE - first + BLOCKS])
    before = {start: start}
    reached = [start]
    for holder in reached:  # grows during the loop
        lines = BETWEEN[holder]
        for block in blocks:
            if block not in before and not lines[block] & enemies:
                before[block] = holder
                reached.append(block)
    way = [goal]
    while way[-1] != start:
        way.append(before[way[-1]])
    return tuple(reversed(way))


def _bits(squares: tuple[int, ...]) -> int:
    a, b, c, d, e = squares
    return 1 << a | 1 << b | 1 << c | 1 << d | 1 << e


def _occupied(pieces: tuple[int, ...]) -> int:
    return _bits(pieces[:BLOCKS]) | _bits(pieces[SIDE : SIDE + BLOCKS])


def _result(pieces: tuple[int, ...], turn: int, ply: int, max_plies: int, history: str) -> Outcome | None:
    """Return the result of a position by the rules; a win comes before any draw."""
    if pieces[BALL] >= SQUARES - COLS:
        return Outcome("reached-far-row", (1.0, 0.0))
    if pieces[SIDE + BALL] < COLS:
        return Outcome("reached-far-row", (0.0, 1.0))
    if history.count(board.word_of(pieces, turn)) >= OCCURRENCES - 1:
        return Outcome("repetition", (0.5, 0.5))
    return Outcome("max-plies", (0.5, 0.5)) if ply >= max_plies else None


class BlocksAndBall(Gestures[Position, Move]):
    """Touch a block, then its destination; or the block with the ball, then the block that gets it after any passes."""

    how = (
        "Click a block, then a knight's move away; or the block with\n"
        "the ball, then who gets it. Bring your ball to the far row."
    )

    def touches(self, state: Position, move: Move) -> Touches:
        at = state.pieces[SIDE * state.turn + move.piece]
        return frozenset({board.cell_of(at)}), frozenset({board.cell_of(move.to)})

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> Move:
        first = SIDE * state.turn
        own = state.pieces[first : first + BLOCKS]
        src, dst = board.at_cell(cells[0]), board.at_cell(cells[-1])
        if src not in own:
            raise IllegalMove("no-block", f"none of your blocks stands on {name_of(src)}")
        holds = src == state.pieces[first + BALL]
        if len(cells) == 1:
            reason = f"no pass from {name_of(src)} is open" if holds else f"the block on {name_of(src)} cannot move"
            raise IllegalMove("path-blocked", reason)
        return Move(BALL if holds else own.index(src), dst)


class EndOfTheTrackOptions(Options, frozen=True):
    max_plies: Annotated[int, Meta(ge=1, le=LONGEST, description="plies after which the game is drawn")] = 300


class EndOfTheTrack(Game[Position, Move]):
    name = "end_of_the_track"
    title = "End of the Track"
    line = "Blocks move like knights, the ball passes along lines between them; the ball on the far row wins."
    seats = ("white", "black")
    options_type = EndOfTheTrackOptions
    gestures = BlocksAndBall()

    def start(self, options: EndOfTheTrackOptions, seed: int = 0) -> Position:
        return Position.of(max_plies=options.max_plies)

    def move_from_wire(self, value: object) -> Move:
        """Read `[piece, square]`."""
        match value:
            case [piece, to] if type(piece) is type(to) is int:
                return Move(piece, to)
        raise MalformedMove("not-a-move", f"a move is [piece, square] in integers, got {quoted(value)}")

    def move_to_wire(self, move: Move) -> list[int]:
        return [*move]

    def notation(self, state: Position, move: Move) -> str:
        """Return `b1-c3` for a block, `@d1-b1` for the ball."""
        at = state.pieces[SIDE * state.turn + move.piece]
        return f"{'@' if move.piece == BALL else ''}{name_of(at)}-{name_of(move.to)}"

    def parse_notation(self, state: Position, text: str) -> Move:
        ball, src, dst = text[:1] == "@", read_square(text[-5:-3]), read_square(text[-2:])
        if src and dst:
            to = (dst[0] - 1) * COLS + dst[1]
            pieces = state.pieces[SIDE * state.turn :]
            for piece in (BALL,) if ball else range(BLOCKS):
                move = Move(piece, to)
                if name_of(pieces[piece]) == square(*src) and to < SQUARES and self.notation(state, move) == text:
                    return move
        raise MalformedMove(
            "not-notation",
            f"a move is written b1-c3, or @d1-b1 for the ball, from where a piece of {self.seats[state.turn]} is; "
            f"got {quoted(text)}",
        )

    def format_state(self, state: Position) -> str:
        """Return the pieces, the side to move, ply/max_plies, and a word for each earlier position (see `word_of`).

        The first position is `1,2,3,4,5,3,50,51,52,53,54,52 white 0/300`.
        """
        pieces = ",".join(map(str, state.pieces))
        text = f"{pieces} {self.seats[state.turn]} {state.ply}/{state.max_plies}"
        return f"{text} {state.history}" if state.history else text

    def parse_state(self, text: str) -> Position:
        found = board.TEXT.fullmatch(text)
        if found is None:
            raise BadPosition(board.fault_of(text))
        pieces = tuple(map(int, found["pieces"].split(",")))
        board.check_pieces(pieces)
        ply, max_plies, history = int(found["ply"]), int(found["max"]), found["history"][1:]
        if not 1 <= max_plies <= LONGEST or ply > max_plies:
            raise BadPosition(
                f"ply {ply}/{max_plies} is out of range: at most {LONGEST} plies, and none beyond the last"
            )
        if (words := len(history.split())) > ply:
            raise BadPosition(f"the history has {words} positions, but only {ply} plies have been played")
        return Position.of(pieces, self.seats.index(found["turn"]), ply, max_plies, history)

    def render(self, state: Position) -> str:
        status = f"{self.seats[state.turn]} to move, ply {state.ply} of {state.max_plies}"
        return text_board(state.rows(), status if state.result is None else state.result.reason)

    def scene(self, state: Position) -> Scene:
        marks = [
            Mark("ball" if index == BALL else "block", seat, *board.cell_of(state.pieces[SIDE * seat + index]))
            for seat, index in product((WHITE, BLACK), range(SIDE))
        ]
        last = tuple(map(board.cell_of, state.last or ()))
        names = row_names(ROWS), col_names(COLS)
        lines = tuple(_last_pass(state))
        return Scene(ROWS, COLS, tuple(marks), "square", *names, last, edges=GOALS, lines=lines, turned=(BLACK,))


def _last_pass(state: Position) -> Iterator[Line]:
    """Yield the path of the ball, if the last move was a pass."""
    mover = 1 - state.turn
    if state.last is not None and state.last[1] == state.pieces[SIDE * mover + BALL]:  # no block moves with the ball
        yield Line("pass", mover, tuple(map(board.cell_of, route(state.pieces, mover, *state.last))))
