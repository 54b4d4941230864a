"""Chess in numbers: the rows are mirrored for Black, so that the seat that looks moves up."""

from typing import Any

import numpy as np

from palio_rules.addons.encodings.encoding import BadAction, Encoding, Planes, board_of_bits, stacked
from palio_rules.boards.chess import BITS, MOVES, PIECES, SQUARES, STEPS
from palio_rules.game import Game
from palio_rules.games.chess_position import FIFTY, Position

PLAIN = 64 * 64  # the first action that promotes to another piece than a queen
SMALLER = "rbn"  # the pieces of these, in order


class ChessEncoding(Encoding[Position, str]):
    """Action `from * 64 + to`; a pawn on the last row becomes a queen by it.

    `4096 + (piece * 8 + col) * 3 + side` promotes the pawn of a column to a rook (0), a bishop (1) or a knight (2);
    side 0 captures to the left, 1 goes straight on, 2 captures to the right. Squares are `row * 8 + col` from the upper
    left corner, as the side to move sees it.
    """

    planes = (
        *(f"own {name}" for name in ("king", "queens", "rooks", "bishops", "knights", "pawns")),
        *(f"enemy {name}" for name in ("king", "queens", "rooks", "bishops", "knights", "pawns")),
        "rooks that may castle",
        "the square where a pawn can be captured en passant",
        "plies since the last capture or pawn's move, of 100",
        "how often this position has come before, halved",
        "1 where it is your turn",
        "1 where you are Black",
    )

    def __init__(self, rules: Game[Any, Any], options: Any) -> None:
        super().__init__(rules, options)
        self.shape = (8, 8, len(self.planes))
        self.actions = PLAIN + len(SMALLER) * 8 * 3

    def index(self, state: Position, move: str) -> int:
        src, dst, promotion = STEPS[move]
        if promotion not in SMALLER or not promotion:
            return _seen(src, state.turn) * 64 + _seen(dst, state.turn)
        return PLAIN + (SMALLER.index(promotion) * 8 + (src & 7)) * 3 + (dst & 7) - (src & 7) + 1

    def move(self, state: Position, index: int) -> str:
        if index < PLAIN:
            src, dst = (_seen(square, state.turn) for square in divmod(index, 64))
            promotes = state.board[src] in "Pp" and dst >> 3 in {0, 7}
            move = MOVES[src][dst] + ("q" if promotes else "")
        else:
            rest, side = divmod(index - PLAIN, 3)
            piece, col = divmod(rest, 8)
            if not 0 <= col + side - 1 < 8:
                raise BadAction(f"a capture from column {col} would leave the board")
            src, dst = _seen(8 + col, state.turn), _seen(col + side - 1, state.turn)
            move = MOVES[src][dst] + SMALLER[piece]
        if move not in STEPS:
            raise BadAction(f"{SQUARES[src]} to {SQUARES[dst]} is no move of any piece")
        return move

    def observe(self, state: Position, seat: int) -> Planes:
        letters = PIECES[6:] + PIECES[:6] if seat else PIECES
        sets = [sum(BITS[at] for at, there in enumerate(state.board) if there == letter) for letter in letters]
        sets += [state.castling, BITS[state.passant] if state.passant >= 0 else 0]
        found: list[Planes | float] = []
        for squares in sets:
            plane = board_of_bits(squares, 8, 8)
            found.append(np.flipud(plane) if seat else plane)
        found += [min(1.0, state.clock / FIFTY), state.seen / 2, state.to_move == seat, seat == 1]
        return stacked(self.shape, found)


def _seen(square: int, seat: int) -> int:
    """Return a square as `seat` sees it, and back again: rows are mirrored for Black."""
    return square ^ 56 if seat else square
