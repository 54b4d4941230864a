"""Calls of a student's Rush Hour, a program `rh` or a Python file with `Solver`, and the check of its solutions."""

import importlib
import io
import os
import re
import subprocess

from palio_rules.boards.rush_hour import read_board
from palio_rules.games.rush_hour import Move, Position, RushHour
from palio_rules.instances.rush_hour import solve

HEURISTICS = ("BFSHeuristic", "DirectHeuristic", "IndirectHeuristic")  # by their numbers on the command line
FOUND = re.compile(
    r"Solution found with expansions: *[0-9]+\s*\n((?:[ \t]*[a-zA-Z][ \t]+[+-]?[0-9]+[ \t\r]*(?:\n|$))*)"
)
NONE = "No Solution exists!"


class Program:
    """The program `rh BOARDFILE HEUR`: `?` and `Q` are typed."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder

    def solution(self, rows, heur):
        """The moves (vehicle, amount); None if the program says that there are none."""
        board = self.folder / "board.in"
        board.write_text("".join(f"{row}\n" for row in rows))
        ran = subprocess.run(
            [str(self.path), str(board), str(heur)], input="?\nQ\n", capture_output=True, text=True, check=False
        )
        found = FOUND.search(ran.stdout)
        if found is None:
            assert NONE in ran.stdout, f"rh printed neither a solution nor {NONE!r}"
            return None
        return [(vehicle, int(amount)) for vehicle, amount in map(str.split, found[1].splitlines())]

    def check_estimate(self, rows, heur, estimate):
        """A program does not print its estimates: with them, it has to find a shortest solution."""
        check_solution(self.solution(rows, heur), rows)


class Python:
    """A file with `Solver`; `Board` and the heuristics are its own, or the modules' `board` and `heur`."""

    def __init__(self, module):
        self.module = importlib.import_module(module)

    def named(self, name, module):
        return getattr(self.module, name, None) or getattr(importlib.import_module(module), name)

    def board(self, rows):
        return self.named("Board", "board")(io.StringIO("".join(f"{row}\n" for row in rows)))

    def solution(self, rows, heur):
        """The moves (vehicle, amount); None if `run` says that there are none."""
        solver = self.module.Solver(self.board(rows), self.named(HEURISTICS[heur], "heur")())
        solved = solver.run()
        moves = [(str(vehicle), int(amount)) for vehicle, amount in solver.solution()]
        if not solved:
            assert moves == [], "without a solution, solution() returns an empty list"
            return None
        return moves

    def check_estimate(self, rows, heur, estimate):
        assert self.named(HEURISTICS[heur], "heur")().compute(self.board(rows)) == estimate


def handed_in(submission, folder):
    """The program or the Python file of the student; `folder` is for a program's board."""
    program = submission / "rh"
    if program.is_file() and os.access(program, os.X_OK):
        return Program(program, folder)
    return Python("rh")


def check_solution(moves, rows):
    """Fail unless `moves` solve the board, and no fewer do."""
    garage, at = read_board(rows, any_size=True)
    shortest = solve(garage, at)
    if moves is None or shortest is None:
        assert (moves is None) == (shortest is None), "there is a solution" if moves is None else "there is no solution"
        return
    position = Position(garage, at)
    for vehicle, amount in moves:
        move = Move(vehicle, amount)
        RushHour().read_move(position, [vehicle, amount])
        position = position.play(move)
    assert garage.solved(position.at), "after the moves, a cannot escape"
    assert len(moves) == len(shortest), "there is a shorter solution"
