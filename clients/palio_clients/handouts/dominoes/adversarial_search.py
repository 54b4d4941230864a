"""CIS 521, homework 4, `adversarial_search.py`: the dominoes game and its alpha-beta search.

A board is a list of rows of booleans, True where a square is filled. A move is (row, col), the upper or left square of
a domino; `vertical` says which player places it.
"""

# ruff: noqa: FBT001  # `vertical: bool` is the handout's own signature

import random
from collections.abc import Iterator

from palio_clients.games.dominoes import counted_search
from palio_rules.games.dominoes import HORIZONTAL, VERTICAL, Dominoes, Position, board_of

Board = list[list[bool]]
Move = tuple[int, int]
_RULES = Dominoes()

student_name = "Palio"

# The function that the homework asks for at its end, and graders call by this name.
feedback_question_1 = "None: it was written for the course, not in it."
feedback_question_2 = "To count leaves as the handout does, where a side cannot move before the limit."
feedback_question_3 = "That the examples of the handout are exact."


def create_dominoes_game(rows: int, cols: int) -> "DominoesGame":
    """Return a game on an empty board of `rows` rows and `cols` columns."""
    return DominoesGame([[False] * cols for _ in range(rows)])


class DominoesGame:
    """A board on which both players place dominoes; the caller chooses the player for each move."""

    def __init__(self, board: Board) -> None:
        if board and not board[0]:
            raise ValueError(f"a board of {len(board)} rows has no columns; give each row at least one square")
        self._board = board
        self._rows, self._cols = len(board), len(board[0]) if board else 0

    def get_board(self) -> Board:
        """Return the board itself, not a copy."""
        return self._board

    def reset(self) -> None:
        """Empty every square."""
        for row in self._board:
            row[:] = [False] * self._cols

    def is_legal_move(self, row: int, col: int, vertical: bool) -> bool:
        """Return whether a domino of this player fits on (row, col); False for squares off the board."""
        try:
            _RULES.read_move(self._position(vertical), [row, col])
        except ValueError:
            return False
        return True

    def legal_moves(self, vertical: bool) -> Iterator[Move]:
        """Yield the moves of this player, row by row from the top, each from the left."""
        yield from ((row, col) for row, col in self._position(vertical).legal_moves())

    def perform_move(self, row: int, col: int, vertical: bool) -> None:
        """Place a domino of this player.

        Raises ValueError, with the reason, if it does not fit; then nothing changes.
        """
        position = self._position(vertical)
        move = _RULES.read_move(position, [row, col])
        for r, c in (move, position.board.partner(*move, position.turn)):
            self._board[r][c] = True

    def game_over(self, vertical: bool) -> bool:
        """Return whether this player cannot place a domino."""
        return self._position(vertical).to_move is None

    def copy(self) -> "DominoesGame":
        """Return an independent game with the same squares filled."""
        return DominoesGame([list(row) for row in self._board])

    def successors(self, vertical: bool) -> Iterator[tuple[Move, "DominoesGame"]]:
        """Yield (move, new game) for each move of this player, in the order of `legal_moves`."""
        for move in self.legal_moves(vertical):
            after = self.copy()
            after.perform_move(*move, vertical)
            yield move, after

    def get_random_move(self, vertical: bool) -> Move | None:
        """Return a random move of this player, all equally likely; None if there is none."""
        moves = list(self.legal_moves(vertical))
        return random.choice(moves) if moves else None  # noqa: S311  # a game, not a secret

    def get_best_move(self, vertical: bool, limit: int) -> tuple[Move | None, int, int]:
        """Return the best move within `limit` plies, its value, and the number of leaves that the search visited.

        The value of a board is the number of moves of the player who asks, less the opponent's, for either side to
        move. A leaf is a board at the limit, or one on which the side to move cannot move; then the move is None.
        """
        move, best, leaves = counted_search(self._position(vertical), limit)
        return move and tuple(move), int(best), leaves

    def _position(self, vertical: bool) -> Position:
        filled = sum(1 << at for at, square in enumerate(square for row in self._board for square in row) if square)
        return Position(board_of(self._rows, self._cols), filled, VERTICAL if vertical else HORIZONTAL)
