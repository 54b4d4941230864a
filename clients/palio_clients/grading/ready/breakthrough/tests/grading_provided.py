"""The functions that the course provides for a search. They run beside the student's code, and beside the tests."""

from palio_clients.handouts.adapters.breakthrough import forms_of
from palio_clients.handouts.signatures import Form, form_of

MOVES = (Form("CS2109S 2024/25", ("board", "current_player")), Form("CS2109S 2023/24", ("board",)))


def arguments(function, search):
    """The names of what a function takes, by its term; without a `search`: of `generate_valid_moves`."""
    return form_of(function, forms_of(search) if search else MOVES, "ps2.py").names


def moves(board, current_player):
    """The right `generate_valid_moves`."""
    return moves_of(board, current_player.value)


def moves_of(board, colour):
    ahead, own = (1, "B") if colour == "black" else (-1, "W")
    return [
        ((row, col), (row + ahead, col + side))
        for row, cells in enumerate(board)
        for col, cell in enumerate(cells)
        if cell == own and 0 <= row + ahead < len(board)
        for side in (-1, 0, 1)
        if 0 <= col + side < len(cells)
        and board[row + ahead][col + side] != own
        and (side or board[row + ahead][col] == "_")
    ]
