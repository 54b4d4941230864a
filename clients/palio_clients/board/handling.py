"""How a move is made by hand: which cells are touched, one after the other, and what else such touches would mean.

One `Handling` a game. A cell is (row, col) of the game's scene, from the top left corner.
"""

from abc import ABC, abstractmethod
from typing import Any

from palio_rules.errors import IllegalMove
from palio_rules.games import breakthrough, chexers, dominoes, end_of_track, rush_hour
from palio_rules.games.chexers_board import (
    COLOURS,
    DIRECTIONS,
    HEXES,
    INDEX,
    LETTERS,
    PASS,
    RADIUS,
    Action,
    Hex,
    cell_of,
    jumped,
)
from palio_rules.games.end_of_track_board import BALL, BLOCKS, COLS, ROWS, SIDE, name_of

Cell = tuple[int, int]
Touches = tuple[frozenset[Cell], ...]


class Handling(ABC):
    """The hand's side of one game."""

    @abstractmethod
    def touches(self, state: Any, move: Any) -> Touches:
        """The touches that make a legal `move`: one cell out of each set, in this order; none for a pass."""

    @abstractmethod
    def meant(self, state: Any, cells: tuple[Cell, ...]) -> Any:
        """The move that touching `cells` asks for, though the rules may forbid it.

        Raises IllegalMove where the touches ask for no move at all, with a reason as the rules would give it.
        """

    def forced(self, _state: Any) -> Any | None:
        """The move that is made without being asked for, because there is nothing to choose: a pass; or None."""
        return None

    def effect(self, _state: Any, _move: Any) -> str:
        """What `move` does that its notation does not tell, in words; mostly nothing."""
        return ""

    def count(self, _state: Any) -> str:
        """What cannot be seen on the board, in words; mostly nothing."""
        return ""


class OneTouch(Handling):
    """Dominoes: a touch places the domino whose upper or left square is there, as in the course's own window."""

    def touches(self, state: dominoes.Position, move: dominoes.Move) -> Touches:
        return (frozenset({(move.row, move.col)}),)

    def meant(self, state: dominoes.Position, cells: tuple[Cell, ...]) -> dominoes.Move:
        return dominoes.Move(*cells[0])


class PawnSteps(Handling):
    """Breakthrough: a pawn, then the square where it goes."""

    def touches(self, state: breakthrough.Position, move: breakthrough.Move) -> Touches:
        return frozenset({move.src}), frozenset({move.dst})

    def meant(self, state: breakthrough.Position, cells: tuple[Cell, ...]) -> breakthrough.Move:
        if len(cells) == 1:
            own = state.white if state.turn else state.black
            if own & state.board.bit(*cells[0]):
                raise IllegalMove("path-blocked", f"the pawn on {state.board.name(cells[0])} cannot move")
        return breakthrough.Move(cells[0], cells[-1])


class BlocksAndBall(Handling):
    """End of the Track: a block, then its square; or the block with the ball, then the block that gets it."""

    def touches(self, state: end_of_track.Position, move: end_of_track.Move) -> Touches:
        at = state.pieces[SIDE * state.turn + move.piece]
        return frozenset({_cell(at)}), frozenset({_cell(move.to)})

    def meant(self, state: end_of_track.Position, cells: tuple[Cell, ...]) -> end_of_track.Move:
        first = SIDE * state.turn
        own = state.pieces[first : first + BLOCKS]
        src, dst = _at(cells[0]), _at(cells[-1])
        if src not in own:
            raise IllegalMove("no-block", f"none of your blocks stands on {name_of(src)}")
        holds = src == state.pieces[first + BALL]
        if len(cells) == 1:
            told = f"no pass from {name_of(src)} is open" if holds else f"the block on {name_of(src)} cannot move"
            raise IllegalMove("path-blocked", told)
        return end_of_track.Move(BALL if holds else own.index(src), dst)


class Slides(Handling):
    """Rush Hour: a vehicle, wherever one takes hold of it, then the cell that its front is to reach."""

    def touches(self, state: rush_hour.Position, move: rush_hour.Move) -> Touches:
        cells = _vehicle(state, move.vehicle)
        (front_row, front_col), lies = cells[-1 if move.amount > 0 else 0], _lies(state, move.vehicle)
        front = (front_row, front_col + move.amount) if lies else (front_row + move.amount, front_col)
        return frozenset(cells), frozenset({front})

    def meant(self, state: rush_hour.Position, cells: tuple[Cell, ...]) -> rush_hour.Move:
        row, col = cells[0]
        letter = state.rows()[row][col]
        if letter == ".":
            raise IllegalMove("no-such-vehicle", f"there is no vehicle on row {row}, column {col}")
        if len(cells) == 1:
            raise IllegalMove("blocked", f"{letter} cannot slide either way")
        covered, lies, (to_row, to_col) = _vehicle(state, letter), _lies(state, letter), cells[-1]
        if (to_row if lies else to_col) != (row if lies else col):
            raise IllegalMove("off-line", f"{letter} slides along its own {'row' if lies else 'column'} only")
        to, first, last = (to_col, covered[0][1], covered[-1][1]) if lies else (to_row, covered[0][0], covered[-1][0])
        return rush_hour.Move(letter, to - first if to < first else max(0, to - last))


class Hexes(Handling):
    """Chexers: a piece, then the hex where it goes; the piece twice where it can leave the board."""

    def touches(self, state: chexers.Position, move: Action) -> Touches:
        match move:
            case ("PASS", _):
                return ()
            case ("EXIT", hex_):
                return frozenset({cell_of(hex_)}), frozenset({cell_of(hex_)})
        return tuple(frozenset({cell_of(hex_)}) for hex_ in move.where)

    def meant(self, state: chexers.Position, cells: tuple[Cell, ...]) -> Action:
        src, dst = _hex(cells[0]), _hex(cells[-1])
        if len(cells) == 1:
            if src in INDEX and state.cells[INDEX[src]] == LETTERS[self._colour(state)]:
                raise IllegalMove("path-blocked", f"the piece on {src} cannot move")
            return Action("MOVE", (src, src))  # whose it is, or whether there is one, say the rules
        near = (dst[0] - src[0], dst[1] - src[1]) in DIRECTIONS
        return Action("MOVE" if near else "JUMP", (src, dst))

    def forced(self, state: chexers.Position) -> Action | None:
        moves = list(state.legal_moves())
        return PASS if moves == [PASS] else None

    def effect(self, state: chexers.Position, move: Action) -> str:
        """Who has lost a piece by a jump."""
        if move.kind != "JUMP" or (lost := state.cells[jumped(move)]) == LETTERS[state.turn]:
            return ""
        return f", {HEXES[jumped(move)]} turns from {COLOURS[LETTERS.index(lost)]} to {COLOURS[state.turn]}"

    def count(self, state: chexers.Position) -> str:
        off = (f"{name} {'out' if n == chexers.OUT else n}" for name, n in zip(COLOURS, state.exits, strict=True))
        return f"off the board: {', '.join(off)} (of {chexers.TO_WIN})"

    def _colour(self, state: Any) -> int:
        return int(state.turn)


class HexesAlone(Hexes):
    """Chexers Solo: the same hands, with one colour; nothing is converted, and nobody passes."""

    def effect(self, _state: Any, _move: Any) -> str:
        return ""

    def count(self, state: Any) -> str:
        return f"{state.cells.count(LETTERS[state.colour])} still on the board"

    def _colour(self, state: Any) -> int:
        return int(state.colour)


def _hex(cell: Cell) -> Hex:
    return cell[1] - RADIUS, cell[0] - RADIUS


def _cell(at: int) -> Cell:
    return ROWS - 1 - at // COLS, at % COLS


def _at(cell: Cell) -> int:
    return (ROWS - 1 - cell[0]) * COLS + cell[1]


def _vehicle(state: rush_hour.Position, letter: str) -> list[Cell]:
    """The cells of a vehicle, from the left or from the top."""
    rows = enumerate(state.rows())
    return [(row, col) for row, cells in rows for col, cell in enumerate(cells) if cell == letter]


def _lies(state: rush_hour.Position, letter: str) -> bool:
    return next(car.lies for car in state.garage.vehicles if car.letter == letter)


HANDLINGS: dict[str, Handling] = {
    "breakthrough": PawnSteps(),
    "chexers": Hexes(),
    "chexers_solo": HexesAlone(),
    "dominoes": OneTouch(),
    "end_of_the_track": BlocksAndBall(),
    "rush_hour": Slides(),
}
