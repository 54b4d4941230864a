"""Chexers by hand, on a board of hexagons."""

from typing import Any

from palio_rules.boards import chexers as board
from palio_rules.boards.chexers import COLOURS, DIRECTIONS, HEXES, INDEX, LETTERS, PASS, RADIUS, Action, Hex
from palio_rules.errors import IllegalMove
from palio_rules.games.chexers import OUT, TO_WIN, Position
from palio_rules.gestures import Cell, Gestures, Touches


class Hexes(Gestures[Any, Action]):
    """Chexers: a piece, then the hex where it goes; the piece twice where it can leave the board."""

    how = (
        "Click a piece, then where it goes: a step, or a jump, which\n"
        "turns the piece below into your colour. On your edge (red:\n"
        "right, green: below, blue: upper left) click it again, and it\n"
        "leaves the board. Who has taken four pieces off has won."
    )

    def touches(self, state: Position, move: Action) -> Touches:
        touched = board.touched(move) * (2 if move.kind == "EXIT" else 1)
        return tuple(frozenset({board.cell_of(hex_)}) for hex_ in touched)

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> Action:
        src, dst = _hex(cells[0]), _hex(cells[-1])
        if len(cells) == 1:
            if src in INDEX and state.cells[INDEX[src]] == LETTERS[self._colour(state)]:
                raise IllegalMove("path-blocked", f"the piece on {src} cannot move")
            return Action("MOVE", (src, src))  # whose it is, or whether there is one, say the rules
        near = (dst[0] - src[0], dst[1] - src[1]) in DIRECTIONS
        return Action("MOVE" if near else "JUMP", (src, dst))

    def forced(self, state: Position) -> Action | None:
        moves = list(state.legal_moves())
        return PASS if moves == [PASS] else None

    def effect(self, state: Position, move: Action) -> str:
        """Who has lost a piece by a jump."""
        if move.kind != "JUMP" or (lost := state.cells[at := board.jumped(move)]) == LETTERS[state.turn]:
            return ""
        return f", {HEXES[at]} turns from {COLOURS[LETTERS.index(lost)]} to {COLOURS[state.turn]}"

    def count(self, state: Position) -> str:
        off = (f"{name} {'out' if n == OUT else n}" for name, n in zip(COLOURS, state.exits, strict=True))
        return f"off the board: {', '.join(off)} (of {TO_WIN})"

    def _colour(self, state: Any) -> int:
        return int(state.turn)


def _hex(cell: Cell) -> Hex:
    return cell[1] - RADIUS, cell[0] - RADIUS
