"""End of the Track in numbers: the board is turned for Black, so that the seat that looks plays upwards.

Blocks of one side look alike: an action names the square of a block, not its number.
"""

from typing import Any

import numpy as np

from palio_rules.addons.encodings.encoding import BadAction, Encoding, Planes, stacked
from palio_rules.boards.end_of_track import BALL, BLACK, BLOCKS, COLS, ROWS, SIDE, SQUARES, WHITE, name_of, word_of
from palio_rules.game import Game
from palio_rules.games.end_of_track import OCCURRENCES, EndOfTheTrackOptions, Move, Position

KNIGHT = ((2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1))  # (up, right), clockwise
PASSES = SQUARES * len(KNIGHT)  # the first action that passes the ball


class EndOfTheTrackEncoding(Encoding[Position, Move]):
    """Action `square * 8 + jump` moves the block on a square, `448 + square` passes the ball to one.

    Squares are `row * 7 + col` from the lower left corner, as the side to move sees it; jumps are in the order of
    `KNIGHT`, clockwise from the one that goes two rows up.
    """

    planes = (
        "own blocks",
        "own ball",
        "enemy blocks",
        "enemy ball",
        "how often this position has come before, halved",
        "plies played, of max_plies",
        "1 where it is your turn",
        "1 where you are Black",
    )
    limits = frozenset({"max-plies"})

    def __init__(self, rules: Game[Any, Any], options: EndOfTheTrackOptions) -> None:
        super().__init__(rules, options)
        self.shape = (ROWS, COLS, len(self.planes))
        self.actions = PASSES + SQUARES

    def index(self, state: Position, move: Move) -> int:
        to = _seen(move.to, state.turn)
        if move.piece == BALL:
            return PASSES + to
        src = _seen(state.pieces[SIDE * state.turn + move.piece], state.turn)
        jump = (to // COLS - src // COLS, to % COLS - src % COLS)
        return src * len(KNIGHT) + KNIGHT.index(jump)

    def move(self, state: Position, index: int) -> Move:
        if index >= PASSES:
            return Move(BALL, _seen(index - PASSES, state.turn))
        square, jump = divmod(index, len(KNIGHT))
        up, right = KNIGHT[jump]
        row, col = square // COLS + up, square % COLS + right
        src, first = _seen(square, state.turn), SIDE * state.turn
        if not (0 <= row < ROWS and 0 <= col < COLS):
            raise BadAction(f"this knight's move from {name_of(src)} would leave the board")
        blocks = state.pieces[first : first + BLOCKS]
        if src not in blocks:
            raise BadAction(f"none of your blocks stands on {name_of(src)}")
        return Move(blocks.index(src), _seen(row * COLS + col, state.turn))

    def observe(self, state: Position, seat: int) -> Planes:
        found: list[Planes | float] = []
        for side in (seat, 1 - seat):
            blocks, ball = np.zeros(SQUARES, np.float32), np.zeros(SQUARES, np.float32)
            for at in state.pieces[SIDE * side : SIDE * side + BLOCKS]:
                blocks[_seen(at, seat)] = 1
            ball[_seen(state.pieces[SIDE * side + BALL], seat)] = 1
            found += [plane.reshape(ROWS, COLS)[::-1] for plane in (blocks, ball)]  # the first row is the top one
        before = state.history.count(word_of(state.pieces, state.turn)) / (OCCURRENCES - 1)
        found += [min(1.0, before), state.ply / state.max_plies, state.to_move == seat, seat == BLACK]
        return stacked(self.shape, found)


def _seen(square: int, seat: int) -> int:
    """A square as `seat` sees it, and back again: half a turn for Black."""
    return square if seat == WHITE else SQUARES - 1 - square
