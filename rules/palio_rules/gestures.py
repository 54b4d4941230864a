"""How a move is made by hand: which cells are touched, one after the other, and what else such touches would mean.

A cell is (row, col) of the game's scene, from the top left corner. Nothing here knows of a screen.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, Literal, TypeVar

from palio_rules.errors import IllegalMove

Cell = tuple[int, int]
Touches = tuple[frozenset[Cell], ...]

S = TypeVar("S", bound=Any)
MoveT = TypeVar("MoveT")


class Gestures(ABC, Generic[S, MoveT]):
    """How one game is played by touch, with mouse or keys."""

    # "touches": cells one after the other. "order": all marks of the scene, each once, in the order of the move, where
    # there are too many moves to list; a mark is touched by its number in the scene, for two may lie in one cell.
    kind: ClassVar[Literal["touches", "order"]] = "touches"
    how: ClassVar[str]  # for the page of help: how a move is made and what wins, in lines of some 60 characters

    @abstractmethod
    def touches(self, state: S, move: MoveT) -> Touches:
        """The touches that make a legal `move`: one cell out of each set, in this order; none for a pass."""

    @abstractmethod
    def meant(self, state: S, cells: tuple[Cell, ...]) -> MoveT:
        """The move that touching `cells` asks for, though the rules may forbid it.

        The cells, one or more, lie on the scene. A single one that begins legal moves is never asked about, so that
        the answer to one may be that the piece there cannot move. Raises IllegalMove where the touches ask for no move
        at all, with a reason as the rules would give it.
        """

    def made(self, state: S, cells: tuple[Cell, ...]) -> MoveT | None:
        """The legal move that touching `cells` makes; None while they are the beginning of one.

        Raises IllegalMove, with the reason, if they lead to none. For "touches".
        """
        if state.to_move is None:
            raise IllegalMove("game-over", "the game is over")
        begun = False
        move: MoveT
        for move in state.legal_moves():
            touches = self.touches(state, move)
            if len(touches) >= len(cells) and all(cell in each for cell, each in zip(cells, touches, strict=False)):
                if len(touches) == len(cells):
                    return move
                begun = True
        if begun or not cells:
            return None
        move = self.meant(state, cells)
        state.check(move)
        return move

    def ordered(self, state: S, marks: tuple[int, ...]) -> MoveT:
        """The move that visits the marks of the scene in this order, though the rules may forbid it; for "order"."""
        raise NotImplementedError

    def marks(self, state: S, move: MoveT) -> tuple[int, ...]:
        """The marks of the scene in the order that makes `move`; for "order"."""
        raise NotImplementedError

    def forced(self, state: S) -> MoveT | None:
        """The move that is made without being asked for, because there is nothing to choose: a pass; or None."""
        return None

    def effect(self, state: S, move: MoveT) -> str:
        """What `move` does that its notation does not show, in words; mostly nothing."""
        return ""

    def count(self, state: S) -> str:
        """What cannot be seen on the board, in words; mostly nothing."""
        return ""
