"""Calls of a student's Rush Hour, a program `rh` or a Python file with `Solver`, and the check of its solutions."""

import os
import re

from palio_rules.boards.rush_hour import read_board
from palio_rules.games.rush_hour import Move, Position, RushHour
from palio_rules.instances.rush_hour import solve

HEURISTICS = ("BFSHeuristic", "DirectHeuristic", "IndirectHeuristic")  # by their numbers on the command line
FOUND = re.compile(
    r"Solution found with expansions: *[0-9]+\s*\n((?:[ \t]*[a-zA-Z][ \t]+[+-]?[0-9]+[ \t\r]*(?:\n|$))*)"
)
NONE = "No Solution exists!"
EASY = ["......", "...b..", "aa.b..", "......", "......", "......"]  # b has to go


class Program:
    """The program `rh BOARDFILE HEUR`: `?` and `Q` are typed."""

    def __init__(self, student):
        self.student = student

    def solution(self, rows, heur):
        """The moves (vehicle, amount); None if the program says that there are none."""
        board = self.student.file("board.in", "".join(f"{row}\n" for row in rows))
        ran = self.student.run("./rh", board, str(heur), stdin="?\nQ\n")
        found = FOUND.search(ran.stdout)
        if found is None:
            assert NONE in ran.stdout, f"rh printed neither a solution nor {NONE!r}"
            return None
        return [(vehicle, int(amount)) for vehicle, amount in map(str.split, found[1].splitlines())]

    def check_estimate(self, rows, heur, estimate):
        """A program does not print its estimates: with them, it has to find a shortest solution."""
        check_solution(self, rows, heur)


class Python:
    """A file with `Solver`; `Board` and the heuristics are its own, or the modules' `board` and `heur`."""

    def __init__(self, student):
        self.student, self.module = student, student.module("rh")

    def named(self, name, module):
        return getattr(self.module, name, None) or getattr(self.student.module(module), name)

    def board(self, rows):
        text = "".join(f"{row}\n" for row in rows)
        return self.named("Board", "board")(self.student.module("io").StringIO(text))

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


def handed_in(submission, student):
    """The program or the Python file of the student."""
    program = submission / "rh"
    return (Program if program.is_file() and os.access(program, os.X_OK) else Python)(student)


def check_solution(rush_hour, rows, heur):
    """Fail unless the student's moves solve the board, and no fewer do; or there are none."""
    garage, at = read_board(rows, any_size=True)
    moves, shortest = rush_hour.solution(rows, heur), solve(garage, at)
    if moves is None or shortest is None:
        assert (moves is None) == (shortest is None), "there is a solution" if moves is None else "there is no solution"
        assert rush_hour.solution(EASY, heur) is not None, "no solution is found for any board"
        return
    position = Position(garage, at)
    for vehicle, amount in moves:
        move = Move(vehicle, amount)
        RushHour().read_move(position, [vehicle, amount])
        position = position.play(move)
    assert garage.solved(position.at), "after the moves, a cannot escape"
    assert len(moves) == len(shortest), "there is a shorter solution"
