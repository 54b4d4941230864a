"""CSCI 104, homework 3, `heur.py`: three estimates of the moves that a board still needs, none of which is too high.

With an estimate that is never too high A* finds a shortest solution. Each vehicle that one of these counts has to move
at least once, and none is counted twice.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from palio_rules.boards.rush_hour import EMPTY, Vehicle

if TYPE_CHECKING:
    from palio_clients.handouts.rush_hour.board import Board
else:
    from board import Board  # as in the course: the file beside this one


class Heuristic(ABC):
    """An estimate."""

    @abstractmethod
    def compute(self, b: Board) -> int:
        """Return a lower bound of the moves that `b` needs."""


class BFSHeuristic(Heuristic):
    """No estimate: A* becomes a breadth-first search."""

    def compute(self, b: Board) -> int:
        return 0


class DirectHeuristic(Heuristic):
    """The vehicles to the right of `a` in its row: those that block it directly."""

    def compute(self, b: Board) -> int:
        return len(_direct(b))


class IndirectHeuristic(Heuristic):
    """Vehicles that block `a` directly, and those that block one of them on its only side out of the row."""

    def compute(self, b: Board) -> int:
        rows, garage, direct = b.rows(), b.garage, _direct(b)
        row = garage.vehicles[garage.escaping].line
        indirect: set[str] = set()
        for vehicle, top in zip(garage.vehicles, b.stands, strict=True):
            if vehicle.letter in direct and not vehicle.lies:
                indirect |= _in_its_way(rows, vehicle, top, row)
        return len(direct | indirect)


HEURISTICS = (BFSHeuristic, DirectHeuristic, IndirectHeuristic)  # by the number on the command line


def _direct(b: Board) -> set[str]:
    garage = b.garage
    escaping, left = garage.vehicles[garage.escaping], b.stands[garage.escaping]
    return set(b.rows()[escaping.line][left + escaping.length :]) - {EMPTY}


def _in_its_way(rows: list[str], vehicle: Vehicle, top: int, row: int) -> set[str]:
    """Return the vehicles that this one has to pass to clear `row`; none if it has room on both sides or none.

    If it can go up as well as down, it is unknown which of the vehicles above and below has to move.
    """
    above, below = vehicle.length <= row, vehicle.length < len(rows) - row
    if above == below:
        return set()
    passed = range(row - vehicle.length, top) if above else range(top + vehicle.length, row + vehicle.length + 1)
    return {rows[r][vehicle.line] for r in passed} - {EMPTY}
