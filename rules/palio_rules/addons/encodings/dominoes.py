"""Dominoes in numbers: the board is mirrored for Horizontal, so that the seat that looks places dominoes upright."""

from typing import Any

import numpy as np

from palio_rules.addons.encodings.encoding import BadAction, Encoding, Planes, board_of_bits, stacked
from palio_rules.game import Game
from palio_rules.games.dominoes import HORIZONTAL, Dominoes, DominoesOptions, Move, Position


class DominoesEncoding(Encoding[Position, Move]):
    """Action `row * side + col`: the upper square of a domino, as its side sees it.

    The board is a square whose `side` is the larger one of rows and columns, so that it looks alike from both seats;
    squares outside are taken. For Horizontal rows and columns are exchanged.
    """

    planes = (
        "taken squares, and those outside the board",
        "upper squares of the dominoes that you could place",
        "left squares of those that the opponent could place",
        "1 where it is your turn",
        "1 where you are Horizontal",
    )

    def __init__(self, rules: Game[Any, Any], options: DominoesOptions) -> None:
        super().__init__(rules, options)
        board = Dominoes().start(options).board
        self.rows, self.cols = board.rows, board.cols
        self.side = max(self.rows, self.cols)
        self.shape = (self.side, self.side, len(self.planes))
        self.actions = self.side * self.side

    def index(self, state: Position, move: Move) -> int:
        row, col = (move.col, move.row) if state.turn == HORIZONTAL else move
        return row * self.side + col

    def move(self, state: Position, index: int) -> Move:
        row, col = divmod(index, self.side)
        row, col = (col, row) if state.turn == HORIZONTAL else (row, col)
        if row >= self.rows or col >= self.cols:
            raise BadAction(f"row {row}, column {col} is off the {self.rows}x{self.cols} board")
        return Move(row, col)

    def observe(self, state: Position, seat: int) -> Planes:
        board = state.board
        taken = self._square(state.filled, seat, outside=1)
        own, other = (self._square(board.places(state.filled, side), seat, outside=0) for side in (seat, 1 - seat))
        return stacked(self.shape, [taken, own, other, state.to_move == seat, seat == HORIZONTAL])

    def _square(self, bits: int, seat: int, outside: float) -> Planes:
        plane = np.full((self.side, self.side), outside, np.float32)
        plane[: self.rows, : self.cols] = board_of_bits(bits, self.rows, self.cols)
        return plane.T if seat == HORIZONTAL else plane
