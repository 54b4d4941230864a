"""Rush Hour: slide the vehicles of a full car park until the exit is free.

Nob Yoshigahara's puzzle (1970s), played here as in CSCI 104 (University of Southern California). Deciding whether such
a puzzle has a solution is PSPACE-complete on boards of any size: Flake and Baum, "Rush Hour is PSPACE-complete" (2002).

On a square board stand vehicles, each a straight row of cells with one letter. A vehicle slides along its own line over
any number of empty cells; a slide of any length is one move. Vehicle `a` lies and must leave to the right: the puzzle
is solved as soon as nothing stands between it and the right edge. That may be so from the beginning.

It is a race: every entrant gets the same board, and fewer moves rank higher. Boards from a seed have been solved:
exactly `moves` are needed.

A move is a vehicle and an amount, which is positive to the right and down, negative to the left and up. In notation
`b+2` and `c-1`. Rows and columns count from 0, in the upper left corner.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from msgspec import Meta

from palio_rules.boards.rush_hour import LETTERS, MAX_SIDE, MIN_SIDE, At, BadBoard, Garage, read_board
from palio_rules.errors import BadOption, BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, Options, Outcome, only_moves
from palio_rules.instances import rush_hour as generator
from palio_rules.position import Moves, Squares
from palio_rules.scene import Cell, Gestures, Line, Mark, Scene, Touches

LONGEST = 10_000  # moves


class Move(NamedTuple):
    """A slide of `vehicle` by `amount` cells: right and down are positive."""

    vehicle: str
    amount: int


@dataclass(frozen=True, slots=True)
class Position(Squares):
    """A position: the garage, and where its vehicles stand. Make one with `of`.

    Two positions are equal when these are; the number of moves so far is not compared.

    `state[row, col]` is the letter of the vehicle on a cell, "." on an empty one; row 0 is at the top, and vehicle "a"
    must leave to the right.
    """

    garage: Garage
    at: At
    moves: int = field(default=0, compare=False)
    max_moves: int = field(default=500, compare=False)
    result: Outcome | None = field(default=None, compare=False)
    last: tuple[tuple[int, int], ...] = field(default=(), compare=False)  # cells, for viewers

    @classmethod
    def of(
        cls, garage: Garage, at: At, moves: int = 0, max_moves: int = 500, last: tuple[tuple[int, int], ...] = ()
    ) -> Self:
        """Make a position and compute its result."""
        result = None
        if garage.solved(at):
            result = Outcome("solved", (1.0,))
        elif moves >= max_moves:
            result = Outcome("max-moves", (0.0,))
        elif next(garage.slides(at), None) is None:
            result = Outcome("no-moves", (0.0,))
        return cls(garage, at, moves, max_moves, result, last)

    @property
    def to_move(self) -> int | None:
        """Return 0, the solver; None when the race is over."""
        return 0 if self.result is None else None

    def __str__(self) -> str:
        return RushHour().render(self)

    def legal_moves(self) -> Moves[Move]:
        """Return slides by vehicle, in the order of their letters; left or up first, and the shortest slide first."""
        return Moves(self._moves)

    def _moves(self) -> Iterator[Move]:
        if self.result is None:
            vehicles = self.garage.vehicles
            for index, amount in self.garage.slides(self.at):
                yield Move(vehicles[index].letter, amount)

    @only_moves
    def check(self, move: Move) -> None:
        """Raise IllegalMove, with the reason, unless `move` can be played here."""
        letter, amount = move
        if self.result is not None:
            raise IllegalMove("game-over", "the game is over")
        index = self._index(letter)
        if index is None:
            raise IllegalMove("no-such-vehicle", f"there is no vehicle {quoted(letter)} on the board")
        if amount == 0:
            raise IllegalMove("no-move", f"{letter} does not move at all")
        garage, k = self.garage, self.at[index]
        car = garage.vehicles[index]
        way = ("left", "right") if car.lies else ("up", "down")
        problem = f"{letter} cannot slide {quoted(abs(amount))} {way[amount > 0]}"
        if not 0 <= k + amount <= garage.side - car.length:
            raise IllegalMove("off-board", f"{problem}: that is off the {garage.side}x{garage.side} board")
        rows = garage.rows(self.at)
        passed = range(k - 1, k + amount - 1, -1) if amount < 0 else range(k + car.length, k + car.length + amount)
        for cell in passed:
            row, col = (car.line, cell) if car.lies else (cell, car.line)
            if rows[row][col] != ".":
                raise IllegalMove("blocked", f"{problem}: {rows[row][col]} is in the way on row {row}, column {col}")

    def play(self, move: Move) -> Self:
        letter, amount = move
        index = self._index(letter)
        assert index is not None  # `check` made sure of it
        k = self.at[index]
        at = (*self.at[:index], k + amount, *self.at[index + 1 :])
        last = (*self.garage.covered(index, k), *self.garage.covered(index, k + amount))
        return self.of(self.garage, at, self.moves + 1, self.max_moves, tuple(dict.fromkeys(last)))

    def outcome(self) -> Outcome | None:
        """Return "solved" with a score of 1, "max-moves" or "no-moves" with 0; None while the race goes on."""
        return self.result

    def rows(self) -> list[str]:
        """Return the board as text, from the top."""
        return self.garage.rows(self.at)

    def _index(self, letter: str) -> int | None:
        return next((index for index, car in enumerate(self.garage.vehicles) if car.letter == letter), None)


class Slides(Gestures[Position, Move]):
    """Touch any cell of a vehicle, then the cell that its front is to reach."""

    how = "Click a vehicle, then the cell that its front is to reach.\nClear the way to the right of vehicle a."

    def touches(self, state: Position, move: Move) -> Touches:
        cells, lies = _vehicle(state, move.vehicle)
        front_row, front_col = cells[-1 if move.amount > 0 else 0]
        front = (front_row, front_col + move.amount) if lies else (front_row + move.amount, front_col)
        return frozenset(cells), frozenset({front})

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> Move:
        row, col = cells[0]
        letter = state.rows()[row][col]
        if letter == ".":
            raise IllegalMove("no-such-vehicle", f"there is no vehicle on row {row}, column {col}")
        if len(cells) == 1:
            raise IllegalMove("blocked", f"{letter} cannot slide either way")
        (covered, lies), (to_row, to_col) = _vehicle(state, letter), cells[-1]
        if (to_row if lies else to_col) != (row if lies else col):
            raise IllegalMove("off-line", f"{letter} slides along its own {'row' if lies else 'column'} only")
        to, first, last = (to_col, covered[0][1], covered[-1][1]) if lies else (to_row, covered[0][0], covered[-1][0])
        return Move(letter, to - first if to < first else max(0, to - last))


def _vehicle(state: Position, letter: str) -> tuple[list[Cell], bool]:
    """Return the cells of a vehicle, from the left or from the top, and whether it lies."""
    index = [car.letter for car in state.garage.vehicles].index(letter)
    return list(state.garage.covered(index, state.at[index])), state.garage.vehicles[index].lies


class RushHourOptions(Options, frozen=True):
    board: Annotated[
        str,
        Meta(
            max_length=MAX_SIDE * (MAX_SIDE + 1),
            description="the board: rows of . (empty) and letters (vehicles), divided by /; replaces size, moves and "
            "solvable",
        ),
    ] = ""
    size: Annotated[int, Meta(ge=MIN_SIDE, le=MAX_SIDE, description="rows and columns of a random board")] = 6
    moves: Annotated[int, Meta(ge=1, le=generator.MAX_MOVES, description="moves that a random board needs, proven")] = 8
    solvable: Annotated[
        bool, Meta(description="whether a random board has a solution; if not, that is proven, and moves is ignored")
    ] = True
    max_moves: Annotated[int, Meta(ge=1, le=LONGEST, description="moves after which the race is over, unsolved")] = 500


_TEXT = re.compile(r"(?P<rows>[^ ]*) (?P<moves>0|[1-9][0-9]{0,4})/(?P<max>[1-9][0-9]{0,4})")
_NOTATION = re.compile(r"([a-zA-Z])([+-][1-9])")


class RushHour(Game[Position, Move]):
    name = "rush_hour"
    title = "Rush Hour"
    line = "Slide the vehicles along their lines until a can leave through the gap, in the fewest moves."
    seats = ("solver",)
    options_type = RushHourOptions
    gestures = Slides()
    hard: ClassVar[Mapping[str, Any]] = {"moves": 14}  # found within seconds; harder boards take longer

    def start(self, options: RushHourOptions, seed: int = 0) -> Position:
        if not options.board:
            rows = generator.generate(seed, options.size, options.moves if options.solvable else None)
            return Position.of(*read_board(rows), 0, options.max_moves)
        try:
            return Position.of(*read_board(options.board.split("/")), 0, options.max_moves)
        except BadBoard as error:
            raise BadOption(f"rush_hour option board={quoted(options.board)}: {error}") from None

    def instance(self, options: RushHourOptions, seed: int = 0) -> dict[str, Any]:
        return {"board": "/".join(self.start(options, seed).rows()), "max_moves": options.max_moves}

    def move_from_wire(self, value: object) -> Move:
        """Read `["b", 2]`."""
        match value:
            case [str(letter), amount] if len(letter) == 1 and letter in LETTERS and type(amount) is int:
                return Move(letter, amount)
        raise MalformedMove("not-a-slide", f"a move is [letter, amount] as in ['b', 2], got {quoted(value)}")

    def move_to_wire(self, move: Move) -> list[str | int]:
        return [*move]

    def notation(self, state: Position, move: Move) -> str:
        """Return `b+2` to the right or down, `c-1` to the left or up."""
        return f"{move.vehicle}{move.amount:+}"

    def parse_notation(self, state: Position, text: str) -> Move:
        if found := _NOTATION.fullmatch(text):
            return Move(found[1], int(found[2]))
        raise MalformedMove("not-notation", f"a move is written b+2 or c-1, got {quoted(text)}")

    def cost(self, state: Position) -> float | None:
        """Return the number of moves, once the exit is free."""
        return float(state.moves) if state.result is not None and state.result.reason == "solved" else None

    def format_state(self, state: Position) -> str:
        """Return the rows from the top, and moves/max_moves: `...b../...b../aa.b.d/..cccd/....../...... 0/500`."""
        return f"{'/'.join(state.rows())} {state.moves}/{state.max_moves}"

    def parse_state(self, text: str) -> Position:
        found = _TEXT.fullmatch(text)
        if found is None:
            raise BadPosition(f"a position is rows divided by / and moves/max_moves as in 0/500, got {quoted(text)}")
        made, most = int(found["moves"]), int(found["max"])
        if most > LONGEST or made > most:
            raise BadPosition(f"{made}/{most} moves are out of range: at most {LONGEST}, and none beyond the last")
        return Position.of(*read_board(found["rows"].split("/")), made, most)

    def render(self, state: Position) -> str:
        side = state.garage.side
        lines = [f"{row} {' '.join(cells)}" for row, cells in enumerate(state.rows())]
        status = "a escapes to the right" if state.result is None else state.result.reason
        below = f"{status}, {state.moves} of {state.max_moves} moves"
        return "\n".join([*lines, f"  {' '.join(map(str, range(side)))}", below])

    def scene(self, state: Position) -> Scene:
        """Draw bars with their letters; `a` belongs to the solver, the others have no owner."""
        garage, marks = state.garage, []
        for index, (car, k) in enumerate(zip(garage.vehicles, state.at, strict=True)):
            row, col = next(garage.covered(index, k))
            extent = (1, car.length) if car.lies else (car.length, 1)
            marks.append(Mark("bar", 0 if index == garage.escaping else None, row, col, *extent, car.letter))
        names = tuple(map(str, range(garage.side)))
        car, k = garage.vehicles[garage.escaping], state.at[garage.escaping]
        way = tuple((car.line, col) for col in range(k + car.length - 1, garage.side))
        return Scene(
            garage.side,
            garage.side,
            tuple(marks),
            "plain",
            names,
            names,
            state.last,
            gaps=((car.line, garage.side - 1, 0),),
            lines=(Line("way", 0, way),),
        )
