"""The board of Chexers, and the actions of a piece on it: hexes, lines, exits, actions and their notation.

The rules are in `chexers` (for three) and `chexers_solo` (a puzzle).

A hex is (q, r) in axial coordinates: q grows to the right, r grows downwards, and |q|, |r|, |q + r| <= 3. Cells are a
string of 37 characters, one a hex, in the order of `HEXES`: row by row from the top, each from the left.
"""

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, TypeVar

from palio_rules.errors import BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, State
from palio_rules.position import Readable
from palio_rules.scene import Cell, Edge, Gestures, Mark, Touches

Hex = tuple[int, int]

RED, GREEN, BLUE = 0, 1, 2
COLOURS = ("red", "green", "blue")
LETTERS = "rgb"  # by colour: the letter of a cell that holds a piece
BLOCK, EMPTY = "#", "."
RADIUS = 3
SIDE = 2 * RADIUS + 1  # rows, and hexes in the longest one
HEXES: tuple[Hex, ...] = tuple(
    (q, r)
    for r in range(-RADIUS, RADIUS + 1)
    for q in range(-RADIUS, RADIUS + 1)
    if abs(q + r) <= RADIUS
)  # fmt: skip
INDEX = {hex_: index for index, hex_ in enumerate(HEXES)}
ROWS = tuple(tuple(INDEX[hex_] for hex_ in HEXES if hex_[1] == r) for r in range(-RADIUS, RADIUS + 1))
DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))  # clockwise, from the right
EXITS = (
    frozenset(INDEX[q, r] for q, r in HEXES if q == RADIUS),
    frozenset(INDEX[q, r] for q, r in HEXES if r == RADIUS),
    frozenset(INDEX[q, r] for q, r in HEXES if q + r == -RADIUS),
)  # by colour: the edge opposite to the side's start
_EDGES = ("q = 3", "r = 3", "q + r = -3")


class Action(NamedTuple):
    """An action of a piece: ("MOVE", (from, to)), ("JUMP", (from, to)), ("EXIT", hex) or ("PASS", None)."""

    kind: Literal["MOVE", "JUMP", "EXIT", "PASS"]
    where: Any  # two hexes, one hex, or None, depending on `kind`


PASS = Action("PASS", None)


class HexCells(Readable[Hex, str]):
    """A board of hexes: a place is (q, r), its content a character of `cells`."""

    __slots__ = ()
    cells: str

    def places(self) -> Sequence[Hex]:
        """Return all hexes (q, r), row by row from the top."""
        return HEXES

    def __getitem__(self, place: Hex) -> str:
        """Return the character of the hex (q, r). Raises IndexError if it is off the board."""
        at = INDEX.get(place)
        if at is None:
            raise IndexError(f"{place!r} is off the board, where |q|, |r| and |q + r| are at most 3")
        return self.cells[at]


def action_of(move: object) -> Action:
    """Return `move` as an action; a plain pair ("MOVE", ((0, 0), (0, 1))) means the same. Raises MalformedMove."""
    match move:
        case Action():
            return move
        case ("MOVE" | "JUMP" | "EXIT" | "PASS" as kind, where):
            return Action(kind, where)
    raise MalformedMove("not-an-action", f"an action is a kind and its hexes, got {quoted(move)}")


class Way(NamedTuple):
    """A direction from a hex: the step to the next hex, and the jump over it (None: the jump would leave the board)."""

    near: int
    step: Action
    far: int
    jump: Action | None


def _ways(start: Hex) -> Iterator[Way]:
    q, r = start
    for dq, dr in DIRECTIONS:
        near, far = (q + dq, r + dr), (q + 2 * dq, r + 2 * dr)
        if near in INDEX:
            jump = Action("JUMP", (start, far)) if far in INDEX else None
            yield Way(INDEX[near], Action("MOVE", (start, near)), INDEX.get(far, -1), jump)


WAYS = tuple(tuple(_ways(hex_)) for hex_ in HEXES)
LEAVE = tuple(Action("EXIT", hex_) for hex_ in HEXES)


def actions(cells: str, colour: int) -> list[Action]:
    """Return all actions of `colour` except a pass: by piece in board order, clockwise from the right, exit last."""
    letter, exits = LETTERS[colour], EXITS[colour]
    found: list[Action] = []
    at = cells.find(letter)
    while at >= 0:
        for near, step, far, jump in WAYS[at]:
            if cells[near] == EMPTY:
                found.append(step)
            elif jump is not None and cells[far] == EMPTY:
                found.append(jump)
        if at in exits:
            found.append(LEAVE[at])
        at = cells.find(letter, at + 1)
    return found


def check_action(cells: str, colour: int, action: Action) -> None:
    """Raise IllegalMove, with the reason, unless `colour` can do `action`. `action` must not be a pass."""
    hexes = touched(action)
    for hex_ in hexes:
        if hex_ not in INDEX:
            raise IllegalMove("off-board", f"{quoted(hex_)} is off the board, where |q|, |r| and |q + r| are at most 3")
    piece = cells[INDEX[hexes[0]]]
    if piece == EMPTY:
        raise IllegalMove("no-piece", f"{hexes[0]} is empty")
    if piece != LETTERS[colour]:
        raise IllegalMove("not-your-piece", f"on {hexes[0]} stands no piece of {COLOURS[colour]}")
    if action.kind == "EXIT":
        if INDEX[action.where] not in EXITS[colour]:
            raise IllegalMove("not-an-exit", f"{COLOURS[colour]} exits where {_EDGES[colour]}, not from {action.where}")
        return
    _check_way(cells, action)


def _check_way(cells: str, action: Action) -> None:
    src, dst = action.where
    if action.kind == "MOVE":
        if not any(action == way.step for way in WAYS[INDEX[src]]):
            raise IllegalMove("not-a-step", f"{dst} is not next to {src}")
    else:
        over = next((way.near for way in WAYS[INDEX[src]] if way.jump == action), None)
        if over is None:
            raise IllegalMove("not-a-jump", f"{src} to {dst} is not two hexes in a straight line")
        if cells[over] == EMPTY:
            raise IllegalMove("nothing-to-jump", f"{HEXES[over]}, between {src} and {dst}, is empty")
    if cells[INDEX[dst]] != EMPTY:
        raise IllegalMove("occupied", f"{dst} is taken")


def jumped(action: Action) -> int:
    """Return the cell that a jump passes over."""
    (q1, r1), (q2, r2) = action.where
    return INDEX[(q1 + q2) // 2, (r1 + r2) // 2]


def moved(cells: str, action: Action, *, convert: bool) -> str:
    """Return the cells after an action other than a pass; with `convert` a jumped piece takes the jumper's colour."""
    board = list(cells)
    if action.kind == "EXIT":
        board[INDEX[action.where]] = EMPTY
        return "".join(board)
    src, dst = action.where
    board[INDEX[dst]], board[INDEX[src]] = board[INDEX[src]], EMPTY
    if convert and action.kind == "JUMP":
        board[jumped(action)] = board[INDEX[dst]]
    return "".join(board)


def touched(action: Action) -> tuple[Hex, ...]:
    """Return the hexes of an action, for viewers."""
    return (action.where,) if action.kind == "EXIT" else action.where or ()


# --- actions on the wire and on paper --------------------------------------------------------------------------------


def written(action: Action) -> str:
    """Return the notation: `(0,1)-(1,1)` for a step, `(0,1)^(2,1)` for a jump, `(3,0)-exit`, `pass`."""
    hexes = [f"({q},{r})" for q, r in touched(action)]
    if action.kind == "EXIT":
        return f"{hexes[0]}-exit"
    return ("^" if action.kind == "JUMP" else "-").join(hexes) or "pass"


_NUMBER = "(-?[0-9])"
_HEX = rf"\({_NUMBER},{_NUMBER}\)"
_WRITTEN = re.compile(rf"{_HEX}(?:([-^]){_HEX}|-exit)")


S = TypeVar("S", bound=State[Any])


class ActionGame(Game[S, Action]):
    """The base of the games on this board: reading and writing of actions."""

    def move_from_wire(self, value: object) -> Action:
        """Read `["MOVE", [[q, r], [q, r]]]`, `["JUMP", ...]`, `["EXIT", [q, r]]` or `["PASS", null]`."""
        match value:
            case ["MOVE" | "JUMP" as kind, [[q1, r1], [q2, r2]]] if type(q1) is type(r1) is type(q2) is type(r2) is int:
                return Action(kind, ((q1, r1), (q2, r2)))
            case ["EXIT", [q, r]] if type(q) is type(r) is int:
                return Action("EXIT", (q, r))
            case ["PASS", None]:
                return PASS
        raise MalformedMove(
            "not-an-action",
            'a move is ["MOVE", [[q, r], [q, r]]], ["JUMP", ...], ["EXIT", [q, r]] or ["PASS", null], '
            f"got {quoted(value)}",
        )

    def move_to_wire(self, move: Action) -> list[object]:
        match move:
            case (("MOVE" | "JUMP") as kind, (src, dst)):
                return [kind, [[*src], [*dst]]]
            case ("EXIT", hex_):
                return ["EXIT", [*hex_]]
        return ["PASS", None]

    def notation(self, state: S, move: Action) -> str:
        return written(move)

    def parse_notation(self, state: S, text: str) -> Action:
        action = PASS
        if found := _WRITTEN.fullmatch(text):
            src = (int(found[1]), int(found[2]))
            if found[3] is None:
                action = Action("EXIT", src)
            else:
                action = Action("MOVE" if found[3] == "-" else "JUMP", (src, (int(found[4]), int(found[5]))))
        if written(action) != text:
            raise MalformedMove(
                "not-notation", f"a move is written (0,1)-(1,1), (0,1)^(2,1), (3,0)-exit or pass, got {quoted(text)}"
            )
        return action


# --- actions by hand -------------------------------------------------------------------------------------------------


class HexTouches(Gestures[Any, Action]):
    """Touch a piece, then its destination; touch the piece twice to take it off the board."""

    @abstractmethod
    def colour(self, state: Any) -> int:
        """Return the colour to move."""

    def touches(self, state: Any, move: Action) -> Touches:
        hexes = touched(move) * (2 if move.kind == "EXIT" else 1)
        return tuple(frozenset({cell_of(hex_)}) for hex_ in hexes)

    def meant(self, state: Any, cells: tuple[Cell, ...]) -> Action:
        src, dst = hex_at(cells[0]), hex_at(cells[-1])
        if len(cells) == 1:
            if src in INDEX and state.cells[INDEX[src]] == LETTERS[self.colour(state)]:
                raise IllegalMove("path-blocked", f"the piece on {src} cannot move")
            return Action("MOVE", (src, src))  # the rules check that there is a piece, and its colour
        if src == dst:
            return Action("EXIT", src)
        near = (dst[0] - src[0], dst[1] - src[1]) in DIRECTIONS
        return Action("MOVE" if near else "JUMP", (src, dst))


# --- cells as text and as a picture ----------------------------------------------------------------------------------


def rows_of(cells: Sequence[str]) -> str:
    """Return the rows from the top, separated by `/`: `gggg/...../....../r.....b/r....b/r...b/r..b`."""
    return "/".join("".join(cells[index] for index in row) for row in ROWS)


def read_rows(text: str, known: str) -> str:
    """Read the cells that `rows_of` wrote; each must be one of `known`. Raises BadPosition with the place."""
    rows = text.split("/")
    if len(rows) != SIDE:
        raise BadPosition(f"a board has {SIDE} rows divided by /, got {len(rows)} in {quoted(text)}")
    for number, (row, expected) in enumerate(zip(rows, ROWS, strict=True)):
        if len(row) != len(expected):
            raise BadPosition(f"row {number} has {len(row)} hexes, it should have {len(expected)}")
        for cell, index in zip(row, expected, strict=True):
            if cell not in known:
                raise BadPosition(f"hex {HEXES[index]}: {cell!r} is none of {' '.join(known)}")
    return "".join(rows)


def text_of(cells: Sequence[str], below: str) -> str:
    """Return the board for terminals: each row with its r on the left and its first and last q on the right."""
    lines = [
        f"{HEXES[row[0]][1]:>2}  {' ' * (SIDE - len(row))}{' '.join(cells[index] for index in row)}"
        f"{' ' * (SIDE - len(row))}   q {HEXES[row[0]][0]}..{HEXES[row[-1]][0]}"
        for row in ROWS
    ]
    return "\n".join([*lines, below])


def cell_of(hex_: Hex) -> tuple[int, int]:
    """Return the (row, col) of a hex in a scene of `SIDE` by `SIDE` cells."""
    return hex_[1] + RADIUS, hex_[0] + RADIUS


def hex_at(cell: Cell) -> Hex:
    """Return the hex in a cell of the scene; it may lie off the board."""
    return cell[1] - RADIUS, cell[0] - RADIUS


TILES = tuple(Mark("hex", None, *cell_of(hex_)) for hex_ in HEXES)  # they show the page which cells exist
_SIDES = ((0, 5), (1, 2), (3, 4))  # by colour: the sides of an exit hex, as `DIRECTIONS` counts them


@cache
def goal(seat: int, colour: int, sockets: int = 0, filled: int = 0) -> Edge:
    """Return the edge where the pieces of `colour`, played by `seat`, exit."""
    return Edge(seat, _SIDES[colour], tuple(cell_of(HEXES[at]) for at in sorted(EXITS[colour])), sockets, filled)
