"""Calls of a student's `ps2.py`, by the signatures of any term of CS2109S.

Values are from Black's view. Searches and move generators of 2023/24 know Black only: they get White's boards with rows
reversed and colours swapped, and their answers are turned back.
"""

import importlib

from palio_clients.handouts.adapters.breakthrough import forms_of
from palio_clients.handouts.signatures import Form, form_of

SEARCHES = ("minimax", "negamax", "minimax_alpha_beta", "negamax_alpha_beta")
MOVES = (Form("CS2109S 2024/25", ("board", "current_player")), Form("CS2109S 2023/24", ("board",)))
FILE = "ps2.py"
SWAPPED = str.maketrans("BW", "WB")


def lists(rows):
    """The board as the handout has it: a list of lists of characters."""
    return [list(row) for row in rows]


def blacks(rows):
    """The board with rows reversed and colours swapped."""
    return [row.translate(SWAPPED) for row in reversed(rows)]


def turned(move):
    """A move on the board with its rows reversed."""
    (r1, c1), (r2, c2) = move
    return ((r1, c1), (r2, c2)) if r1 < 0 else ((5 - r1, c1), (5 - r2, c2))


class Course:
    """A student's file, and the handout's `breakthrough` (or the student's own, in terms where it is one file)."""

    def __init__(self):
        self.ps2, self.breakthrough = importlib.import_module("ps2"), importlib.import_module("breakthrough")
        self.players = getattr(self.ps2, "Player", self.breakthrough.Player)
        self.win, self.infinite = (getattr(self.ps2, name, getattr(self.breakthrough, name)) for name in ("WIN", "INF"))
        self.asked = set()  # the positions for whose moves the provided generator was asked
        self.none = getattr(self.ps2, "MOVE_NONE", self.breakthrough.MOVE_NONE)

    def search(self, name, board, depth, player):
        """Return (value, move) of a search; `board` is a list of lists, and `player` "black" or "white"."""
        function = getattr(self.ps2, name)
        form = form_of(function, forms_of(name), FILE)
        alone = "current_player" not in form.names and player == "white"
        values = {
            "board": lists(blacks(map("".join, board))) if alone else board,
            "depth": 0,
            "max_depth": depth,
            "alpha": -self.infinite,
            "beta": self.infinite,
            "is_black": True,
            "current_player": self.players(player),
            "generate_valid_moves": self.provided,
        }
        value, move = function(*(values[each] for each in form.names))
        value, move = (-value, turned(move)) if alone else (value, move)
        return value, plain(move)

    def moves(self, rows, player):
        """Return the sorted moves of `generate_valid_moves`."""
        form = form_of(self.ps2.generate_valid_moves, MOVES, FILE)
        alone = "current_player" not in form.names and player == "white"
        values = {"board": lists(blacks(rows) if alone else rows), "current_player": self.players(player)}
        found = self.ps2.generate_valid_moves(*(values[each] for each in form.names))
        return sorted(plain(turned(move) if alone else move) for move in found)

    def provided(self, board, current_player):
        """The right `generate_valid_moves`, which the course provides for the searches."""
        self.asked.add(("".join(map("".join, board)), current_player.value))
        ahead = 1 if current_player.value == "black" else -1
        own = "B" if ahead == 1 else "W"
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


def plain(move):
    """A move with Python's own integers, as a tuple of two tuples."""
    (r1, c1), (r2, c2) = move
    return ((int(r1), int(c1)), (int(r2), int(c2)))
