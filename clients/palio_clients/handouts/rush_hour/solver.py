"""CSCI 104, homework 3, `solver.py`: a shortest solution by A*.

Hart, Nilsson and Raphael, "A formal basis for the heuristic determination of minimum cost paths" (1968). Of two boards
with the same f = g + h the one with the smaller h comes first, and then the smaller board.
"""

from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple, Optional

if TYPE_CHECKING:
    from palio_clients.handouts.rush_hour.board import Board, MovePair
    from palio_clients.handouts.rush_hour.heur import Heuristic
else:
    from board import Board, MovePair  # as in the course: the files beside this one
    from heur import Heuristic


class Move(NamedTuple):
    """A board on the path, the move before it, and its estimate."""

    board: Board
    g: int  # moves made
    h: int  # moves to come, estimated
    prev: Optional["Move"] = None
    made: MovePair | None = None  # the move from `prev`

    def way(self) -> list[MovePair]:
        """Return the moves from the start to here."""
        made: list[MovePair] = []
        move: Move | None = self
        while move is not None and move.made is not None:
            made.append(move.made)
            move = move.prev
        return made[::-1]


class Solver:
    """A solver that finds a shortest solution of a board; later moves on that board do not matter.

    `strict` reads the handout literally: a known board is never entered again. Its expansions are then the course's
    own, but with the handout's direct and indirect heuristics a solution may be longer than the shortest.
    """

    def __init__(self, b: Board, heur: Heuristic, *, strict: bool = False) -> None:
        self._board, self._heur, self._strict = b.copy(), heur, strict
        self._solution: list[MovePair] = []
        self._expansions = 0

    def run(self) -> bool:
        """Search; return whether there is a solution.

        Unless it is strict, a known board is entered again if it has been reached in fewer moves than before: the
        handout's own closed list, which never does, misses shortest solutions.
        """
        self._solution, self._expansions = [], 0
        closed: dict[str, int] = {}  # board to g
        opened: list[tuple[int, int, str, Move]] = []

        def enter(text: str, move: Move) -> None:
            closed[text] = move.g
            heappush(opened, (move.g + move.h, move.h, text, move))
            self._expansions += 1

        enter(str(self._board), Move(self._board, 0, self._heur.compute(self._board)))
        while opened:
            _, _, text, move = heappop(opened)
            if move.g > closed[text]:
                continue  # it has been entered again since
            if move.board.solved():
                self._solution = move.way()
                return True
            for made, after in move.board.successors():
                text = str(after)
                if text not in closed or (not self._strict and move.g + 1 < closed[text]):
                    enter(text, Move(after, move.g + 1, self._heur.compute(after), move, made))
        return False

    def solution(self) -> list[MovePair]:
        """Return the moves that `run` has found; none without a solution, and none if none is needed."""
        return self._solution.copy()

    def num_expansions(self) -> int:
        """Return how many boards `run` has entered into its open list, the first one included."""
        return self._expansions
