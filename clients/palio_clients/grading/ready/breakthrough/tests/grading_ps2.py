"""Calls of a student's `ps2.py`, by the signatures of any term of CS2109S.

Values are from Black's view. Searches and move generators of 2023/24 know Black only: they get White's boards with rows
reversed and colours swapped, and their answers are turned back.
"""

import grading_provided as provided

SEARCHES = ("minimax", "negamax", "minimax_alpha_beta", "negamax_alpha_beta")
SWAPPED = str.maketrans("BW", "WB")
LEAST_WIN = 1000  # no evaluation of pawns is so high


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

    def __init__(self, student):
        self.student, self.provided = student, student.define(provided)
        self.ps2, self.breakthrough = student.module("ps2"), student.module("breakthrough")
        self.players = self.named("Player")
        self.win, self.infinite, self.none = self.named("WIN"), self.named("INF"), self.named("MOVE_NONE")
        assert self.win > LEAST_WIN, "WIN is not higher than all other values"
        self.board = None  # that the last search was given, and its rows
        self.asked = set()  # the positions for whose moves `counted` was asked

    def named(self, name):
        return getattr(self.ps2 if hasattr(self.ps2, name) else self.breakthrough, name)

    def search(self, name, rows, depth, player, *, counts=False):
        """Return (value, move) of a search; `player` is "black" or "white"."""
        function = getattr(self.ps2, name)
        names = self.provided.arguments(function, name)
        alone = "current_player" not in names and player == "white"
        given = lists(blacks(rows) if alone else rows)
        self.board = self.student.keep(given), given
        values = {
            "board": self.board[0],
            "depth": 0,
            "max_depth": depth,
            "alpha": -self.infinite,
            "beta": self.infinite,
            "is_black": True,
            "current_player": self.players(player),
            "generate_valid_moves": self.counted if counts else self.provided.moves,
        }
        value, move = function(*(values[each] for each in names))
        value, move = (-value, turned(move)) if alone else (value, move)
        return value, plain(move)

    def is_board_kept(self):
        """Return whether the last search has left its board unchanged."""
        board, rows = self.board
        return self.student.value(board) == rows

    def moves(self, rows, player):
        """Return the sorted moves of `generate_valid_moves`."""
        function = self.ps2.generate_valid_moves
        names = self.provided.arguments(function, "")
        alone = "current_player" not in names and player == "white"
        values = {"board": lists(blacks(rows) if alone else rows), "current_player": self.players(player)}
        found = function(*(values[each] for each in names))
        return sorted(plain(turned(move) if alone else move) for move in found)

    def counted(self, board, current_player):
        """The provided moves, for a search whose positions are counted."""
        colour = current_player.value
        self.asked.add(("".join(map("".join, board)), colour))
        return provided.moves_of(board, colour)


def plain(move):
    """A move with Python's own integers, as a tuple of two tuples."""
    (r1, c1), (r2, c2) = move
    return ((int(r1), int(c1)), (int(r2), int(c2)))
