"""CSCI 104, homework 3, `board.py`: the board of Rush Hour, its vehicles, and the moves made on it.

A move is (vehicle, amount): the letter, and how far it slides, right and down being positive.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from palio_rules.boards.rush_hour import At, Garage, read_board
from palio_rules.games.rush_hour import Position, RushHour
from palio_rules.instances.rush_hour import read_in
from palio_rules.instances.source import Source

MovePair = tuple[str, int]
_RULES = RushHour()


class Board:
    """A garage, and the history of its vehicles' places."""

    def __init__(self, source: str | Path | Iterable[str]) -> None:
        """Read a board from an open file, from its rows, from their text, or from the file of that name.

        A board is a square of any size. White space at the ends of rows is ignored. Raises ValueError, with row and
        column, for an invalid board.
        """
        self.garage, stands = _read(source)
        self.history: list[At] = [stands]  # the places after each move, the newest last

    @property
    def stands(self) -> At:
        """Return the first cell of each of the garage's vehicles, along its line."""
        return self.history[-1]

    def size(self) -> int:
        """Return the number of rows, which is also that of columns."""
        return self.garage.side

    def rows(self) -> list[str]:
        """Return the rows from the top."""
        return self.garage.rows(self.stands)

    def solved(self) -> bool:
        """Return whether no vehicle stands to the right of vehicle `a` in its row."""
        return self.garage.solved(self.stands)

    def is_legal_move(self, vid: str, amount: int) -> bool:
        """Return whether the vehicle `vid` exists and can slide by `amount`; 0 is not a slide."""
        try:
            _RULES.read_move(Position(self.garage, self.stands), [vid, amount])
        except ValueError:
            return False
        return True

    def move(self, vid: str, amount: int) -> bool:
        """Slide a vehicle. Returns False, and changes nothing, if the move is not legal."""
        if not self.is_legal_move(vid, amount):
            return False
        index = next(i for i, vehicle in enumerate(self.garage.vehicles) if vehicle.letter == vid)
        self.history.append(_slid(self.stands, index, amount))
        return True

    def undo_last_move(self) -> None:
        """Restore the board before the last `move`. Raises IndexError without one."""
        if len(self.history) == 1:
            raise IndexError("there is no move to undo")
        self.history.pop()

    def potential_moves(self) -> list[MovePair]:
        """Return every legal move, by vehicle in the order of their letters; left or up first, the shortest first."""
        return [(self.garage.vehicles[index].letter, amount) for index, amount in self.garage.slides(self.stands)]

    def successors(self) -> Iterator[tuple[MovePair, Self]]:
        """Yield each of `potential_moves` with the board after it, on which there is no move to undo."""
        for index, amount in self.garage.slides(self.stands):
            after = self.copy()
            after.history = [_slid(self.stands, index, amount)]
            yield (self.garage.vehicles[index].letter, amount), after

    def copy(self) -> Self:
        """Return an independent board, with the moves that can be undone."""
        twin = type(self).__new__(type(self))
        twin.garage, twin.history = self.garage, self.history.copy()
        return twin

    def __lt__(self, other: "Board") -> bool:
        """Compare the cells of the boards, row by row from the top."""
        return str(self) < str(other)

    def __eq__(self, other: object) -> bool:
        return self.rows() == other.rows() if isinstance(other, Board) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it changes with each move: `str(board)` is the key

    def __str__(self) -> str:
        return "\n".join(self.rows())

    def __repr__(self) -> str:
        return f"Board({str(self)!r})"


def _slid(stands: At, index: int, amount: int) -> At:
    return (*stands[:index], stands[index] + amount, *stands[index + 1 :])


def _read(source: str | Path | Iterable[str]) -> tuple[Garage, At]:
    if isinstance(source, Path) or (isinstance(source, str) and source and "\n" not in source):
        found = Source.read(source)
    else:
        lines = source.split("\n") if isinstance(source, str) else [line.rstrip("\r\n") for line in source]
        found = Source("board", "\n".join(lines))
    return read_board(read_in(found, any_size=True)["board"].split("/"), any_size=True)
