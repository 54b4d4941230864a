"""A move on its way from touches to the board: what has been touched in this turn, and what may be touched next."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from palio_clients.terminal.picture import Look
from palio_rules.errors import IllegalMove
from palio_rules.game import Game
from palio_rules.gestures import Cell, Gestures
from palio_rules.scene import Mark


class Chosen(NamedTuple):
    """The touches make this move, which the rules allow."""

    move: Any


@dataclass(frozen=True, slots=True)
class Selection:
    """`touched` is always the beginning of some legal move, or empty."""

    gestures: Gestures[Any, Any]
    state: Any
    touched: tuple[Cell, ...] = ()

    def targets(self) -> frozenset[Cell]:
        """The cells that lead on from what is touched already."""
        return frozenset(cell for _, touches in self._open() for cell in touches[len(self.touched)])

    def landings(self) -> frozenset[Cell]:
        """Those of the targets that complete a move."""
        length = len(self.touched) + 1
        return frozenset(cell for _, touches in self._open() if len(touches) == length for cell in touches[-1])

    def touch(self, cell: Cell) -> Self | Chosen:
        """Touch `cell` next. Raises IllegalMove with the rules' own reason if that leads nowhere; nothing changes then.

        With a piece in hand, touching another one that can move takes that instead, and touching the same one
        again lets it go, unless that makes a move.
        """
        if self.state.to_move is None:
            raise IllegalMove("game-over", "the game is over")
        ahead = [(move, touches) for move, touches in self._open() if cell in touches[len(self.touched)]]
        for move, touches in ahead:
            if len(touches) == len(self.touched) + 1:
                return Chosen(move)
        if ahead:
            return replace(self, touched=(*self.touched, cell))
        if self.touched and self._piece(cell):
            return replace(self, touched=() if cell in self.held() else (cell,))
        move = self.gestures.meant(self.state, (*self.touched, cell))
        self.state.check(move)
        raise AssertionError(f"{move!r} is legal, but no touches make it")

    def preview(self, rules: Game[Any, Any], cell: Cell) -> tuple[Mark, ...]:
        """The pieces that would newly stand on the board if `cell` were touched and that completed a move."""
        if cell not in self.targets():
            return ()
        chosen = self.touch(cell)
        if not isinstance(chosen, Chosen):
            return ()
        before, after = rules.scene(self.state), rules.scene(self.state.play(chosen.move))
        return tuple(mark for mark in after.marks if mark not in before.marks) if before and after else ()

    def look(self, rules: Game[Any, Any], cursor: Cell | None) -> Look:
        ghosts = self.preview(rules, cursor) if cursor else ()
        refused = cursor is not None and cursor not in self.targets() | self.held()
        return Look(cursor, self.state.to_move, ghosts, self.landings(), self.held(), refused, self.leaves())

    def leaves(self) -> bool:
        """Whether touching the piece in hand once more takes it off the board."""
        return bool(self.held() & self.landings())

    def held(self) -> frozenset[Cell]:
        """All cells of the piece in hand."""
        return self._piece(self.touched[0]) if self.touched else frozenset()

    def _open(self) -> Iterable[tuple[Any, tuple[frozenset[Cell], ...]]]:
        """The legal moves that begin with what is touched, and their touches."""
        for move, touches in self._by_hand():
            if all(cell in cells for cell, cells in zip(self.touched, touches, strict=False)):
                yield move, touches

    def _by_hand(self) -> Iterable[tuple[Any, tuple[frozenset[Cell], ...]]]:
        """The legal moves that are made by touches: a pass is made by none."""
        for move in self.state.legal_moves():
            if touches := self.gestures.touches(self.state, move):
                yield move, touches

    def _piece(self, cell: Cell) -> frozenset[Cell]:
        """All cells of the piece on `cell`, if it can move; else none."""
        return next((touches[0] for _, touches in self._by_hand() if cell in touches[0]), frozenset())
