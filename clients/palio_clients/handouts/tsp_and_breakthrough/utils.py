"""CS2109S, the mini-project, `utils.py`: the board as a `PlayerAI` sees it, on which only Black moves, downwards.

Earlier terms gave it out beside the template of the contest; White's moves are Black's on the inverted board. A move is
two squares, each a list or tuple of row and column.
"""

# ruff: noqa: FBT001, FBT002  # the course's own signatures

import inspect
import time
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from palio_clients.handouts.tsp_and_breakthrough import breakthrough
    from palio_clients.handouts.tsp_and_breakthrough.breakthrough import (
        COL,
        INF,
        MOVE_NONE,
        ROW,
        WIN,
        is_game_over,
        print_state,
    )
else:
    import breakthrough  # as in the course: the file beside this one
    from breakthrough import COL, INF, MOVE_NONE, ROW, WIN, is_game_over, print_state

__all__ = [
    "COL",
    "INF",
    "MOVE_NONE",
    "ROW",
    "TIME_LIMIT",
    "WIN",
    "generate_init_state",
    "generate_rand_move",
    "invert_board",
    "is_game_over",
    "is_valid_move",
    "play",
    "print_state",
    "state_change",
    "test",
    "test_move",
]

Board = list[list[str]]
Square = Sequence[int]

TIME_LIMIT = 3.05  # seconds, of a move in the contest
COLOURS = ("Black(Student agent)", "White(Test agent)")  # in the result of `play`
_INVERTED = {"B": "W", "W": "B"}


_EARLIER = {"board": "curr_board", "src": "from_", "dst": "to_"}  # the names of 2023/24 for those of other terms


def _by_either_name(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function take its arguments by the names of any term."""
    own = inspect.signature(function).parameters

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        return function(
            *arguments, **{name if name in own else _EARLIER.get(name, name): named[name] for name in named}
        )

    return called


def generate_init_state() -> Board:
    """Return two rows of Black's, two empty ones, two of White's."""
    return [[pawn] * COL for pawn in "BB__WW"]


@_by_either_name
def invert_board(curr_board: Board, in_place: bool = True) -> Board:
    """Return the board with its rows reversed and colours swapped, columns unchanged: the same list, or a new one."""
    board = curr_board if in_place else [list(row) for row in curr_board]
    board.reverse()
    for row in board:
        row[:] = [_INVERTED.get(cell, cell) for cell in row]
    return board


@_by_either_name
def is_valid_move(board: Board, from_: Square, to_: Square) -> bool:
    """Return whether Black has a pawn on `from_` that may step to `to_`."""
    return breakthrough.is_valid_move(board, _square(from_), _square(to_), breakthrough.Player.BLACK)


@_by_either_name
def state_change(curr_board: Board, from_: Square, to_: Square, in_place: bool = True) -> Board:
    """Return the board after Black's move, the same one or a copy; an invalid move changes nothing."""
    return breakthrough.make_move(curr_board, _square(from_), _square(to_), breakthrough.Player.BLACK, in_place)


def generate_rand_move(board: Board) -> tuple[list[int], list[int]] | None:
    """Return Black's first move, by row, for each pawn straight, right, left: despite its name always the same one."""
    for row, cells in enumerate(board):
        for col in range(len(cells)):
            for side in (0, 1, -1):
                if is_valid_move(board, (row, col), (row + 1, col + side)):
                    return [row, col], [row + 1, col + side]
    return None


def play(playerAI_A: Any, playerAI_B: Any, board: Board) -> str:  # noqa: N803  # the template's own names
    """Play a game on `board` and print each position; return the winner and how often the first player was replaced.

    It is replaced for a move that is not valid, or takes longer than `TIME_LIMIT`; it is not interrupted. The second
    player sees the inverted board, and is never replaced.
    """
    plies = moved_for = 0
    while not is_game_over(board):
        black = plies % 2 == 0
        if not black:
            invert_board(board)
        begun = time.perf_counter()
        move = (playerAI_A if black else playerAI_B).make_move([list(row) for row in board])
        if black and (time.perf_counter() - begun > TIME_LIMIT or not _is_valid(board, move)):
            move, moved_for = generate_rand_move(board), moved_for + 1
        state_change(board, *move)
        if not black:
            invert_board(board)
        print_state(board)
        plies += 1
    return f"{COLOURS[(plies - 1) % 2]} win; Random move made by {COLOURS[0]}: {moved_for};"


def test(board: Board, playerAI: Any) -> bool | str:  # noqa: N803
    """Return whether a player's move is valid and in time; a sentence with the reason if it raises an exception."""
    begun = time.perf_counter()
    try:
        move = playerAI.make_move([list(row) for row in board])
    except Exception as error:  # noqa: BLE001  # its author reads it
        return f"FAILED, reason: {error}"
    return _is_valid(board, move) and time.perf_counter() - begun <= TIME_LIMIT


test_move = test  # the name of some terms


def _is_valid(board: Board, move: object) -> bool:
    match move:
        case [[int(), int()] as src, [int(), int()] as dst]:
            return bool(is_valid_move(board, src, dst))
    return False


def _square(at: Square) -> tuple[int, int]:
    row, col = at
    return row, col
