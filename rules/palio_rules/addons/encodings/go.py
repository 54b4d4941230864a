"""Go in numbers: own and enemy stones, and the points that the rules forbid to the side to move."""

from typing import Any

import numpy as np

from palio_rules.addons.encodings.encoding import BadAction, Encoding, Planes, stacked
from palio_rules.boards.go import PASS, Board, is_pass
from palio_rules.game import Game
from palio_rules.games.go import GoOptions
from palio_rules.games.go_position import WHITE, Position


class GoEncoding(Encoding[Position, str]):
    """Action `row * size + col` places a stone, rows from the top; action `size * size` passes."""

    planes = (
        "your stones",
        "enemy stones",
        "empty points that are forbidden to the side to move: suicide, or a board that was there before",
        "1 where the last move was a pass",
        "1 where it is your turn",
        "1 where you are White",
    )

    def __init__(self, rules: Game[Any, Any], options: GoOptions) -> None:
        super().__init__(rules, options)
        self.size = options.size
        self.shape = (self.size, self.size, len(self.planes))
        self.actions = self.size * self.size + 1

    def index(self, state: Position, move: str) -> int:
        if is_pass(move):
            return self.actions - 1
        row, col = state.board.cell(state.board.bits[move])
        return row * self.size + col

    def move(self, state: Position, index: int) -> str:
        if not 0 <= index < self.actions:
            raise BadAction(f"there are {self.actions} actions")
        return PASS if index == self.actions - 1 else state.board.names[state.board.bit(*divmod(index, self.size))]

    def observe(self, state: Position, seat: int) -> Planes:
        board, sides = state.board, (state.black, state.white)
        legal = sum(board.bits[move] for move in state.legal_moves() if move != PASS)
        forbidden = board.full & ~(state.black | state.white | legal) if state.to_move is not None else 0
        stones = [_picture(board, points) for points in (sides[seat], sides[1 - seat], forbidden)]
        return stacked(self.shape, [*stones, state.passes > 0, state.to_move == seat, seat == WHITE])


def _picture(board: Board, points: int) -> Planes:
    """Return an array that is 1 at these points."""
    found = np.zeros((board.size, board.size), np.float32)
    for bit in board.points(points):
        found[board.cell(bit)] = 1
    return found
