"""CS2109S, problem set 2, `breakthrough.py`: the board of Breakthrough, its moves and its end.

A board is a list of rows from the top: "B" a black pawn, "W" a white one, "_" an empty square. A square is (row, col).
"""

# ruff: noqa: FBT001, FBT002, T201  # the handout's own signatures, and a function whose purpose is to print

from enum import Enum

from palio_rules.games.breakthrough import BLACK, WHITE, board_of
from palio_rules.games.breakthrough import Move as Step

Board = list[list[str]]
Square = tuple[int, int]
Move = tuple[Square, Square]

ROW, COL = 6, 6  # of the course's board; the functions take boards of other sizes, too
INF = 90129012  # beyond any score
WIN = 21092109  # a board on which Black has won; White's is the negative
MOVE_NONE: Move = ((-1, -1), (-1, -1))
TIME_LIMIT = 10  # seconds, of a test in the course
EMPTY = "_"


class Player(Enum):
    """The player to move."""

    BLACK = "black"
    WHITE = "white"

    def get_opponent(self) -> "Player":
        """Return the other colour."""
        return Player.WHITE if self is Player.BLACK else Player.BLACK

    @property
    def pawn(self) -> str:
        """Return the letter of this player's pawns on a board."""
        return "B" if self is Player.BLACK else "W"

    @property
    def seat(self) -> int:
        """Return the number of this player in the rules."""
        return BLACK if self is Player.BLACK else WHITE


def print_state(board: Board) -> None:
    """Print the board in boxes, an empty square as a blank."""
    rule = "+" + "-----+" * (len(board[0]) if board else COL)
    for row in board:
        print(rule)
        print("|" + "|".join(f"  {' ' if cell == EMPTY else cell}  " for cell in row) + "|")
    print(rule)


def refuse_empty(board: Board) -> None:
    """Raise ValueError, with a sentence, for a board without squares."""
    if not board or not board[0]:
        raise ValueError(f"a board of {len(board)} rows has no columns; give each row at least one square")


def is_valid_move(board: Board, src: Square, dst: Square, current_player: Player) -> bool:
    """Return whether `current_player` has a pawn on `src` that may step to `dst`, even if the game is over."""
    refuse_empty(board)
    steps = board_of(len(board), len(board[0])).steps[current_player.seat]
    (sr, sc), (dr, dc) = src, dst
    step = steps.get(Step((sr, sc), (dr, dc)))
    if step is None or board[src[0]][src[1]] != current_player.pawn:
        return False
    target = board[dst[0]][dst[1]]
    return target == EMPTY or (target != current_player.pawn and not step.straight)


def make_move(curr_board: Board, src: Square, dst: Square, current_player: Player, in_place: bool = True) -> Board:
    """Return the board after a move: the same board changed, or with `in_place=False` a new one.

    A move that is not valid changes nothing, as in the course: call `is_valid_move` first.
    """
    board = curr_board if in_place else [list(row) for row in curr_board]
    if is_valid_move(curr_board, src, dst, current_player):
        board[src[0]][src[1]] = EMPTY
        board[dst[0]][dst[1]] = current_player.pawn
    return board


def is_game_over(board: Board) -> bool:
    """Return whether a pawn is on its far row, or a side has no pawns."""
    refuse_empty(board)
    return "B" in board[-1] or "W" in board[0] or not {"B", "W"} <= {cell for row in board for cell in row}
