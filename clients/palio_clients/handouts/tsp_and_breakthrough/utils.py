"""CS2109S, the mini-project, `utils.py`: the board as a `PlayerAI` sees it, on which Black alone moves, downwards.

Earlier terms gave it out beside the template of the contest; White's moves are Black's on the inverted board. A move
is two squares, each a list or tuple of row and column.
"""

# ruff: noqa: FBT001, FBT002  # the course's own signatures

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palio_clients.handouts.tsp_and_breakthrough import breakthrough
    from palio_clients.handouts.tsp_and_breakthrough.breakthrough import COL, ROW, is_game_over, print_state
else:
    import breakthrough  # as in the course: the file beside this one
    from breakthrough import COL, ROW, is_game_over, print_state

__all__ = [
    "COL",
    "ROW",
    "TIME_LIMIT",
    "generate_init_state",
    "generate_rand_move",
    "invert_board",
    "is_game_over",
    "is_valid_move",
    "print_state",
    "state_change",
]

Board = list[list[str]]
Square = Sequence[int]

TIME_LIMIT = 3.05  # seconds, of a move in the contest
_INVERTED = {"B": "W", "W": "B"}


def generate_init_state() -> Board:
    """Two rows of Black's, two empty ones, two of White's."""
    return [[pawn] * COL for pawn in "BB__WW"]


def invert_board(curr_board: Board, in_place: bool = True) -> Board:
    """The board with its rows reversed and the colours swapped, columns as they are: the same one changed, or a new."""
    board = curr_board if in_place else [list(row) for row in curr_board]
    board.reverse()
    for row in board:
        row[:] = [_INVERTED.get(cell, cell) for cell in row]
    return board


def is_valid_move(board: Board, from_: Square, to_: Square) -> bool:
    """Whether Black has a pawn on `from_` that may step to `to_`."""
    return breakthrough.is_valid_move(board, _square(from_), _square(to_), breakthrough.Player.BLACK)


def state_change(curr_board: Board, from_: Square, to_: Square, in_place: bool = True) -> Board:
    """The board after Black's move, the same one or a copy; a move that is not valid changes nothing."""
    return breakthrough.make_move(curr_board, _square(from_), _square(to_), breakthrough.Player.BLACK, in_place)


def generate_rand_move(board: Board) -> tuple[list[int], list[int]] | None:
    """Black's first move, row by row, for each pawn straight, right, left: despite its name the same one each time."""
    for row, cells in enumerate(board):
        for col in range(len(cells)):
            for side in (0, 1, -1):
                if is_valid_move(board, (row, col), (row + 1, col + side)):
                    return [row, col], [row + 1, col + side]
    return None


def _square(at: Square) -> tuple[int, int]:
    row, col = at
    return row, col
