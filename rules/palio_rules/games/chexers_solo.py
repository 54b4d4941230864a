"""Chexers for one: take all pieces off the board in as few actions as possible, around blocks and by jumping over them.

The first project of COMP30024 (University of Melbourne, 2019). The board is that of `chexers`: one to four pieces of
one colour stand on it, and blocks that have no colour. A block never moves, leaves or changes, but a piece may jump
over it, as over another piece. An exit hex under a block cannot be used.

It is a race: every entrant gets the same position, and fewer actions rank higher. Positions from a seed have been
solved: if `actions` is given, exactly so many are needed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import Meta

from palio_rules.boards import chexers as board
from palio_rules.boards.chexers import BLOCK, COLOURS, EMPTY, HEXES, LETTERS, SIDE, TILES, Action, Hex
from palio_rules.errors import BadOption, BadPosition, IllegalMove, quoted
from palio_rules.game import Options, Outcome, only_moves
from palio_rules.instances import chexers_solo as generator
from palio_rules.position import Moves
from palio_rules.scene import Mark, Scene

LONGEST = 10_000  # actions
MAX_PIECES = 4
MAX_BLOCKS = 30


@dataclass(frozen=True, slots=True)
class Position(board.HexCells):
    """A position: the cells and the colour that plays. Make one with `of`.

    Two positions are equal when these are; the number of actions so far is not compared.

    `state[q, r]` is "r", "g" or "b" for a piece, "#" for a block, "." for an empty hex, |q|, |r| and |q + r| at most 3.
    """

    cells: str  # a letter of the colour, "#" or "." for each of `HEXES`
    colour: int
    actions: int = field(default=0, compare=False)
    max_actions: int = field(default=256, compare=False)
    result: Outcome | None = field(default=None, compare=False)
    last: tuple[Hex, ...] = field(default=(), compare=False)  # for viewers

    @classmethod
    def of(cls, cells: str, colour: int, actions: int = 0, max_actions: int = 256, last: tuple[Hex, ...] = ()) -> Self:
        """Make a position and compute its result."""
        return cls(cells, colour, actions, max_actions, _result(cells, colour, actions, max_actions), last)

    @property
    def to_move(self) -> int | None:
        """Return 0, the solver; None when the race is over."""
        return 0 if self.result is None else None

    def __str__(self) -> str:
        return ChexersSolo().render(self)

    def legal_moves(self) -> Moves[Action]:
        """Return actions by piece, row by row from the top; each clockwise from the right; its exit last."""
        return Moves(self._moves)

    def _moves(self) -> Sequence[Action]:
        return () if self.result is not None else board.actions(self.cells, self.colour)

    @only_moves
    def check(self, move: Action) -> None:
        """Raise IllegalMove, with the reason, unless `move` can be played here."""
        if self.result is not None:
            raise IllegalMove("game-over", "the game is over")
        if (move := board.action_of(move)).kind == "PASS":
            raise IllegalMove("must-move", "nobody passes when alone")
        board.check_action(self.cells, self.colour, move)

    def play(self, move: Action) -> Self:
        move = board.action_of(move)
        cells = board.moved(self.cells, move, convert=False)
        return self.of(cells, self.colour, self.actions + 1, self.max_actions, board.touched(move))

    def outcome(self) -> Outcome | None:
        """Return "solved" with a score of 1, "no-moves" or "max-actions" with 0; None while the race goes on."""
        return self.result


def _result(cells: str, colour: int, taken: int, max_actions: int) -> Outcome | None:
    if LETTERS[colour] not in cells:
        return Outcome("solved", (1.0,))
    if taken >= max_actions:
        return Outcome("max-actions", (0.0,))
    return None if board.actions(cells, colour) else Outcome("no-moves", (0.0,))


class HexesAlone(board.HexTouches):
    """Gestures for one colour: nothing is converted, and there is no pass."""

    how = (
        "Click a piece, then where it goes: a step, or a jump over a\n"
        "piece or block. On its edge (red: right, green: below, blue:\n"
        "upper left) click it again, and it leaves. All are to leave."
    )

    def colour(self, state: Position) -> int:
        return state.colour

    def count(self, state: Position) -> str:
        return f"{state.cells.count(LETTERS[state.colour])} still on the board"


class ChexersSoloOptions(Options, frozen=True):
    board: Annotated[
        str,
        Meta(
            max_length=len(HEXES) + SIDE - 1,
            description="the position: seven rows of . (empty), # (block) and r, g or b (a piece), divided by /; "
            "replaces colour, pieces, blocks and actions",
        ),
    ] = ""
    colour: Annotated[Literal["red", "green", "blue"], Meta(description="the colour of a random position")] = "red"
    pieces: Annotated[int, Meta(ge=1, le=MAX_PIECES, description="pieces of a random position")] = 3
    blocks: Annotated[int, Meta(ge=0, le=MAX_BLOCKS, description="blocks of a random position")] = 6
    actions: Annotated[
        int, Meta(ge=0, le=40, description="actions that a random position needs, proven; 0: whatever it needs")
    ] = 0
    max_actions: Annotated[
        int, Meta(ge=1, le=LONGEST, description="actions after which the race is over, unsolved")
    ] = 256


_TEXT = re.compile(
    r"(?P<rows>[^ ]*) (?P<colour>red|green|blue) (?P<actions>0|[1-9][0-9]{0,4})/(?P<max>[1-9][0-9]{0,4})"
)


class ChexersSolo(board.ActionGame[Position]):
    name = "chexers_solo"
    title = "Chexers Solo"
    line = "Step and jump over pieces and blocks; take all pieces off the far edge in the fewest actions."
    seats = ("solver",)
    options_type = ChexersSoloOptions
    gestures = HexesAlone()
    hard: ClassVar[Mapping[str, Any]] = {"pieces": 4, "blocks": 12, "actions": 18}

    def start(self, options: ChexersSoloOptions, seed: int = 0) -> Position:
        if not options.board:
            colour = COLOURS.index(options.colour)
            cells = generator.generate(seed, colour, options.pieces, options.blocks, options.actions)
            return Position.of(cells, colour, 0, options.max_actions)
        try:
            cells, colour = _read_board(options.board)
        except BadPosition as error:
            raise BadOption(f"chexers_solo option board={quoted(options.board)}: {error}") from None
        return Position.of(cells, colour, 0, options.max_actions)

    def instance(self, options: ChexersSoloOptions, seed: int = 0) -> dict[str, Any]:
        rows = options.board or board.rows_of(self.start(options, seed).cells)
        return {"board": rows, "max_actions": options.max_actions}

    def cost(self, state: Position) -> float | None:
        """Return the number of actions, once all pieces are off."""
        return float(state.actions) if LETTERS[state.colour] not in state.cells else None

    def format_state(self, state: Position) -> str:
        """Return the rows from the top, the colour, actions/max_actions.

        For example, `..../.#.../...r../......./....../...../.... red 0/256`.
        """
        return f"{board.rows_of(state.cells)} {COLOURS[state.colour]} {state.actions}/{state.max_actions}"

    def parse_state(self, text: str) -> Position:
        found = _TEXT.fullmatch(text)
        if found is None:
            raise BadPosition(f"a position is rows, colour and actions/max_actions, got {quoted(text)}")
        colour = COLOURS.index(found["colour"])
        cells = board.read_rows(found["rows"], EMPTY + BLOCK + LETTERS[colour])
        _check_pieces(cells, colour)
        taken, most = int(found["actions"]), int(found["max"])
        if most > LONGEST or taken > most:
            raise BadPosition(f"{taken}/{most} actions are out of range: at most {LONGEST}, and none beyond the last")
        return Position.of(cells, colour, taken, most)

    def render(self, state: Position) -> str:
        status = f"{COLOURS[state.colour]} to move" if state.result is None else state.result.reason
        return board.text_of(state.cells, f"{status}, {state.actions} of {state.max_actions} actions")

    def scene(self, state: Position) -> Scene:
        """Draw discs and blocks."""
        pieces = [
            Mark("block", None, *board.cell_of(hex_)) if cell == BLOCK else Mark("disc", 0, *board.cell_of(hex_))
            for hex_, cell in zip(HEXES, state.cells, strict=True)
            if cell != EMPTY
        ]
        last = tuple(map(board.cell_of, state.last))
        edges = (board.goal(0, state.colour),)
        left = f"{state.cells.count(LETTERS[state.colour])} left"
        return Scene(SIDE, SIDE, (*TILES, *pieces), "hex", last=last, edges=edges, tallies=(left,))


def _read_board(text: str) -> tuple[str, int]:
    """Return the cells and their colour."""
    cells = board.read_rows(text, EMPTY + BLOCK + LETTERS)
    colours = [colour for colour, letter in enumerate(LETTERS) if letter in cells]
    if len(colours) != 1:
        raise BadPosition(f"there are pieces of {len(colours)} colours, one plays")
    _check_pieces(cells, colours[0])
    return cells, colours[0]


def _check_pieces(cells: str, colour: int) -> None:
    if (count := cells.count(LETTERS[colour])) > MAX_PIECES:
        raise BadPosition(f"{count} pieces are too many: one plays with 1 to {MAX_PIECES}")
