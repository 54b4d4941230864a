"""CSCI 104, homework 3, `rh.py`: Rush Hour in the terminal: `python rh.py BOARD HEUR [--closed-list strict]`.

BOARD is a file with a board, HEUR the heuristic by which A* cheats: 0 none, 1 direct, 2 indirect. A vehicle and an
amount make a move, `?` shows a shortest solution, `Z` takes a move back and `Q` gives up, as does the end of the input.

The handout asks for a closed list from which no board comes back ("never duplicate it again"), and for a shortest
solution; with its own heuristics these can differ. By default the solution is a shortest one; with `--closed-list
strict` the search is the literal one, whose expansions are the course's.
"""

# ruff: noqa: T201  # a program in the terminal prints

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palio_clients.handouts.rush_hour.board import Board
    from palio_clients.handouts.rush_hour.heur import (
        HEURISTICS,
        BFSHeuristic,
        DirectHeuristic,
        Heuristic,
        IndirectHeuristic,
    )
    from palio_clients.handouts.rush_hour.solver import Solver
else:
    from board import Board  # as in the course: the files beside this one
    from heur import HEURISTICS, BFSHeuristic, DirectHeuristic, Heuristic, IndirectHeuristic
    from solver import Solver

__all__ = ["BFSHeuristic", "Board", "DirectHeuristic", "Heuristic", "IndirectHeuristic", "Solver"]

PROMPT = "Enter a vehicle and move amount (+ = dn/rt, - = up/lt), 'Q', '?', or 'Z' : "
CLOSED_LISTS = ("shortest", "strict")  # the first is the default
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")  # "02" is 2, as the course's program reads it
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}(?![0-9])")


class Typed:
    """The typed input, as a C++ stream reads it: white space and ends of lines only separate words."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines, self._rest = lines, ""

    def character(self) -> str | None:
        """Return the next character; None at the end."""
        if not self._more():
            return None
        first, self._rest = self._rest[0], self._rest[1:]
        return first

    def number(self) -> int | None:
        """Return the next number. Without one, returns None and skips the rest of the line."""
        same_line = bool(self._rest.strip())
        found = _NUMBER.match(self._rest) if self._more() else None
        if found is not None:
            self._rest = self._rest[found.end() :]
            return int(found[0])
        if same_line:
            self._rest = ""
        return None

    def _more(self) -> bool:
        self._rest = self._rest.lstrip()
        while not self._rest:
            line = next(self._lines, None)
            if line is None:
                return False
            self._rest = line.lstrip()
        return True


def play(board: Board, heuristic: Heuristic, typed: Typed, *, strict: bool = False) -> None:
    """Let the user play until `a` has a free path, maybe from the beginning, or until the user gives up."""
    print(board)
    cheated = False
    while not board.solved():
        print(PROMPT, end="", flush=True)
        command = typed.character()
        if command in (None, "Q"):
            print("Don't give up that easily!")
            return
        if command == "?":
            cheated = True
            cheat(board, heuristic, strict=strict)
        elif command == "Z":
            undo(board)
        elif not move(board, command, typed.number()):
            print("Illegal move...try again!")
        elif board.solved() and not cheated:
            print("You win!")  # the handout's winner without a cheat gets the message at once, too
        print(f"\n{board}")
    print("You win!")


def cheat(board: Board, heuristic: Heuristic, *, strict: bool = False) -> None:
    solver = Solver(board, heuristic, strict=strict)
    if not solver.run():
        print("No Solution exists!")
        return
    print(f"Solution found with expansions: {solver.num_expansions()}")
    for vid, amount in solver.solution():
        print(vid, amount)


def undo(board: Board) -> None:
    try:
        board.undo_last_move()
    except IndexError:
        print("No move to undo")


def move(board: Board, vid: str, amount: int | None) -> bool:
    """Make a move; a move by 0 is accepted, and can be undone, as in the course's program."""
    if amount == 0 and any(vehicle.letter == vid for vehicle in board.garage.vehicles):
        board.history.append(board.stands)
        return True
    return amount is not None and board.move(vid, amount)


def main(arguments: list[str]) -> int:
    """Play; return the exit code."""
    closed_list, arguments = _closed_list(arguments)
    if closed_list not in CLOSED_LISTS:
        print(f"--closed-list is {' or '.join(CLOSED_LISTS)}, got {closed_list!r}", file=sys.stderr)
        return 1
    if len(arguments) < 2:
        print("Provide the input file name and heuristic", file=sys.stderr)
        return 1
    file, number = arguments[:2]
    if _WHOLE.fullmatch(number) is None or int(number) not in range(len(HEURISTICS)):
        print("Heuristic must be in the range 0 to 2...exiting", file=sys.stderr)
        return 1
    try:
        board = Board(Path(file))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]  # it is a text stream
    try:
        play(board, HEURISTICS[int(number)](), Typed(sys.stdin), strict=closed_list == "strict")
    except KeyboardInterrupt:
        print()
        return 130
    return 0


def _closed_list(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the value of `--closed-list strict`, or `--closed-list=strict`, at any place, and the other arguments."""
    closed_list, others, words = CLOSED_LISTS[0], [], iter(arguments)
    for word in words:
        option, equals, value = word.partition("=")
        if option == "--closed-list":
            closed_list = value if equals else next(words, "")
        else:
            others.append(word)
    return closed_list, others


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
