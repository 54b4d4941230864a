"""Chess, by the rules of FIDE, and chess960: checkmate the enemy's king.

The rules are in `chess_position`, positions and moves in writing in `chess_text`, tables in `boards/chess`. Here is the
game: its options, its moves on the wire, its picture, and how it is played by hand.

A move is a text as UCI has it, on the wire and in programs: `e2e4`, `e7e8q`. Castling is the king's move, `e1g1`; in
chess960, where that may be ambiguous, the king takes his rook: `e1h1`. As in matches of engines, a draw that a player
could claim ends the game at once: a position that occurs for the third time, and fifty moves without a capture or a
pawn's move.
"""

from random import Random
from typing import Annotated, Any, Literal

from msgspec import Meta

from palio_rules.boards.chess import BITS, PROMOTIONS, SQUARES, STEPS, arrangement, squares_of
from palio_rules.boards.grid import col_names, row_names
from palio_rules.errors import BadOption, BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, Options, Progress
from palio_rules.games.chess_position import Position, placed
from palio_rules.games.chess_text import format_fen, parse_fen, read_fen, read_san, write_san
from palio_rules.scene import Cell, Gestures, Line, Mark, Scene, Shape, Touches

_SHAPES: dict[str, Shape] = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
_KINGS = (Mark("king", 0, 0, 0), Mark("king", 1, 0, 0))  # stand beside the players' names
USUAL = 518  # the usual arrangement among the 960


class ByHand(Gestures[Position, str]):
    """Touch a piece, then its destination; after a promotion, one of four squares that stand for the new pieces."""

    how = (
        "Click a piece, then where it goes. To castle, click the king,\n"
        "then the square he goes to or his rook. A pawn on the last row:\n"
        "click there again for a queen, or one, two or three squares\n"
        "behind it for a rook, a bishop or a knight. Checkmate wins."
    )

    def touches(self, state: Position, move: str) -> Touches:
        src, dst, promotion = STEPS[move]
        ends = {dst}
        rook = state.castling_rook(src, dst)
        if rook is not None:
            king_to = (src & 56) + (6 if rook > src else 2)
            ends = {rook, king_to} if abs(king_to - src) > 1 else {rook}
        first = (frozenset({_cell(src)}), frozenset(map(_cell, ends)))
        return (*first, frozenset({_cell(_choice(dst, promotion))})) if promotion else first

    def choice(self, state: Position, move: str) -> Mark | None:
        _, dst, promotion = STEPS[move]
        return Mark(_SHAPES[promotion], state.turn, *_cell(_choice(dst, promotion))) if promotion else None

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> str:
        src, dst = _index(cells[0]), _index(cells[1] if len(cells) > 1 else cells[0])
        name = SQUARES[src] + SQUARES[dst]
        piece = state.board[src]
        if src == dst:
            raise self._idle(state, src)
        if piece in "Kk" and (castling := self._castling(state, src, dst)) is not None:
            return castling
        if name + "q" in STEPS and piece in "Pp" and len(cells) > 2:
            choices = {_choice(dst, letter): letter for letter in PROMOTIONS}
            letter = choices.get(_index(cells[2]))
            if letter is None:
                raise IllegalMove("no-promotion", f"{name}: touch one of the four squares from {SQUARES[dst]} inwards")
            return name + letter
        return name

    @staticmethod
    def _castling(state: Position, src: int, dst: int) -> str | None:
        """Return the legal castling that touching king and `dst` means, if there is one."""
        for move in state.castlings():
            rook = state.castling_rook(src, STEPS[move].dst)
            if rook is None:
                continue
            king_to = (src & 56) + (6 if rook > src else 2)
            if dst == rook or (dst == king_to and abs(king_to - src) > 1):
                return move
        return None

    @staticmethod
    def _idle(state: Position, src: int) -> IllegalMove:
        name = SQUARES[src]
        if not state.occupied & BITS[src]:
            return IllegalMove("no-piece", f"{name} is empty")
        if not state.own & BITS[src]:
            return IllegalMove("not-your-piece", f"the piece on {name} is your opponent's")
        return IllegalMove("path-blocked", f"the piece on {name} cannot move there")


def _cell(index: int) -> Cell:
    return divmod(index, 8)


def _index(cell: Cell) -> int:
    return cell[0] * 8 + cell[1]


def _choice(dst: int, promotion: str) -> int:
    """Return the square that stands for a piece promoted to: a queen's is `dst`, the others' lie behind it."""
    return dst + (8 if dst < 8 else -8) * PROMOTIONS.index(promotion)


class ChessOptions(Options, frozen=True):
    variant: Annotated[
        Literal["standard", "chess960"],
        Meta(description="chess960 shuffles the home row, and castles accordingly", examples=["standard", "chess960"]),
    ] = "standard"
    start: Annotated[
        Annotated[int, Meta(ge=0, le=959)] | Literal["random"],
        Meta(description="chess960: the number of the home row, 0 to 959, or random by the match's seed"),
    ] = "random"


class Chess(Game[Position, str]):
    name = "chess"
    title = "Chess"
    line = "FIDE's rules, and chess960; threefold repetition and fifty moves end the game at once."
    seats = ("white", "black")
    options_type = ChessOptions
    rating_settings = ("variant",)
    exchanged_as = "pgn"
    gestures = ByHand()

    def start(self, options: ChessOptions, seed: int = 0) -> Position:
        if options.variant == "standard":
            if options.start not in {"random", USUAL}:
                raise BadOption(f"start={options.start} is a home row of chess960; say variant=chess960 as well")
            return _first(USUAL, chess960=False)
        number = options.start if isinstance(options.start, int) else _drawn(seed)
        return _first(number, chess960=True)

    def instance(self, options: ChessOptions, seed: int = 0) -> dict[str, Any]:
        """Return settings with the number of the home row, drawn by `seed`."""
        settings = super().instance(options, seed)
        if options.variant == "chess960" and options.start == "random":
            settings["start"] = _drawn(seed)
        return settings

    def move_from_wire(self, value: object) -> str:
        """Read `e2e4`, or `e7e8q` for a promotion."""
        if isinstance(value, str) and value in STEPS:
            return value
        raise MalformedMove("not-uci", f"a move is written e2e4, or e7e8q for a promotion, got {quoted(value)}")

    def move_to_wire(self, move: str) -> str:
        return move

    def notation(self, state: Position, move: str) -> str:
        """Return the move in SAN: `Nf3`, `exd5`, `O-O`, `e8=Q#`."""
        return write_san(state, move)

    def parse_notation(self, state: Position, text: str) -> str:
        return read_san(state, text)

    def format_state(self, state: Position) -> str:
        """Return the FEN, and ` after ` with the moves since the first board that could be repeated, if any."""
        return format_fen(state)

    def parse_state(self, text: str) -> Position:
        return parse_fen(text)

    def progress(self, state: Position) -> Progress:
        return Progress(state.number - 1, state.clock)

    def read_state(self, text: str, options: ChessOptions | None = None) -> Position:
        """Read a FEN in any usual form: see `chess_text`. In chess960 `KQkq` are the outermost rooks (X-FEN)."""
        shuffled = options is not None and options.variant == "chess960"
        state = read_fen(text, chess960=shuffled)
        if options is not None and state.chess960 and not shuffled:
            raise BadPosition("the position has castling rights of chess960; say variant=chess960 as well")
        return state

    def render(self, state: Position) -> str:
        return str(state)

    def scene(self, state: Position) -> Scene:
        """Return the pieces, with a dashed line to the king from each piece that gives check."""
        marks = tuple(
            Mark(_SHAPES[piece.lower()], 1 if piece.islower() else 0, *_cell(index))
            for index, piece in enumerate(state.board)
            if piece != "."
        )
        last = () if state.last is None else tuple(map(_cell, STEPS[state.last][:2]))
        checks = tuple(
            Line("way", 1 - state.turn, (_cell(index), _cell(state.king))) for index in squares_of(state.checkers())
        )
        return Scene(
            8,
            8,
            marks,
            row_names=row_names(8),
            col_names=col_names(8),
            last=last,
            lines=checks,
            chips=_KINGS,
            turned=(1,),
        )


def _first(number: int, *, chess960: bool) -> Position:
    row = arrangement(number)
    rooks = [col for col, piece in enumerate(row) if piece == "R"]
    castling = sum(BITS[home + col] for home in (0, 56) for col in rooks)
    board = f"{row.lower()}{'p' * 8}{'.' * 32}{'P' * 8}{row}"
    return placed(board, castling=castling, chess960=chess960)


def _drawn(seed: int) -> int:
    return Random(seed).randrange(960)  # noqa: S311 - a draw for a game, no secret
