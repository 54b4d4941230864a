"""Breakthrough in numbers: the board is turned for Black, so that the seat that looks moves up."""

from typing import Any

import numpy as np

from palio_rules.addons.encodings.encoding import BadAction, Encoding, Planes, board_of_bits, stacked
from palio_rules.game import Game
from palio_rules.games.breakthrough import BLACK, WHITE, BreakthroughOptions, Move, Position

STEPS = 3  # to the left, straight, to the right


class BreakthroughEncoding(Encoding[Position, Move]):
    """Action `(row * cols + col) * 3 + step`: the pawn's square as its side sees it, step 0 left, 1 straight, 2 right.

    Rows count from the top, which is the far row of the seat that looks; columns from the left.
    """

    planes = ("own pawns", "enemy pawns", "1 where it is your turn", "1 where you are White")

    def __init__(self, rules: Game[Any, Any], options: BreakthroughOptions) -> None:
        super().__init__(rules, options)
        self.rows, self.cols = options.rows, options.cols
        self.shape = (self.rows, self.cols, len(self.planes))
        self.actions = self.rows * self.cols * STEPS

    def index(self, state: Position, move: Move) -> int:
        (row, col), (_, to) = move
        square, side = row * self.cols + col, to - col
        if state.turn == BLACK:
            square, side = self.rows * self.cols - 1 - square, -side
        return square * STEPS + side + 1

    def move(self, state: Position, index: int) -> Move:
        square, side = index // STEPS, index % STEPS - 1
        ahead = -1
        if state.turn == BLACK:
            square, side, ahead = self.rows * self.cols - 1 - square, -side, 1
        row, col = divmod(square, self.cols)
        if not (0 <= row + ahead < self.rows and 0 <= col + side < self.cols):
            raise BadAction(f"a step from {state.board.name(row, col)} would leave the board")
        return Move((row, col), (row + ahead, col + side))

    def observe(self, state: Position, seat: int) -> Planes:
        sides = [board_of_bits(bits, self.rows, self.cols) for bits in (state.black, state.white)]
        if seat == BLACK:
            sides = [np.flip(side) for side in sides]
        return stacked(self.shape, [sides[seat], sides[1 - seat], state.to_move == seat, seat == WHITE])
