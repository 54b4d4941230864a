"""Go, by Tromp and Taylor's rules: own more of the board than your opponent.

The rules are in `go_position`, positions in writing in `go_text`, tables in `boards/go`. Here is the game: its options,
its moves on the wire, its picture, and how it is played by hand.

A move is a text as GTP has it, on the wire, in programs and in records: `C3`, a letter for the column (without I) and a
number for the row, from 1 at the bottom; or `pass`. With the option `cleanup` a pass may claim stones dead:
`pass:D4,E5`.
"""

from dataclasses import replace
from typing import Annotated, Literal

from msgspec import Meta

from palio_rules.boards.go import CLAIM, COLS, LARGEST, PASS, board_of, is_pass
from palio_rules.errors import BadPosition, IllegalMove, MalformedMove, quoted
from palio_rules.game import Game, Options
from palio_rules.games.go_position import BLACK, MOST_CLAIMED, SIDES, STONES, WHITE, Position, placed, told
from palio_rules.games.go_text import format_position, parse_position, read_position
from palio_rules.scene import Cell, Gestures, Mark, Scene, Touches

POINTS = {f"{col}{row}": f"{col}{row}" for col in COLS for row in range(1, LARGEST + 1)}
Compensation = Literal["none", "N", "N-1"]
_CHIPS = (Mark("stone", BLACK, 0, 0), Mark("stone", WHITE, 0, 0))  # stand beside the players' names


class OnePoint(Gestures[Position, str]):
    """Touch a point to place a stone; to pass, choose the move by its name."""

    how = (
        "Click a point to place a stone. Stones without a free point\n"
        "beside their group are taken. No board may come back. Pass\n"
        "when no move gains; two passes end the game. All stones on\n"
        "the board count as alive, so take dead ones first. Stones\n"
        "and the points they surround count, and White has the komi."
    )

    def touches(self, state: Position, move: str) -> Touches:
        return () if is_pass(move) else (frozenset({state.board.cell(state.board.bits[move])}),)

    def meant(self, state: Position, cells: tuple[Cell, ...]) -> str:
        name = state.board.names[state.board.bit(*cells[0])]
        if len(cells) > 1:
            raise IllegalMove("one-point", f"a move is one point; touch {name} alone")
        return name

    def by_name(self, state: Position) -> tuple[str, ...]:
        return (PASS,)

    def effect(self, state: Position, move: str) -> str:
        """Name the number of stones that are taken, or the ones that are claimed dead."""
        if is_pass(move):
            return f", calls {', '.join(move.removeprefix(CLAIM).split(','))} dead" if move != PASS else ""
        after = state.play(move)
        own, other = (after.captures[seat] - state.captures[seat] for seat in (state.turn, 1 - state.turn))
        taken = f", takes {_stones(own)}" if own else ""
        return f", loses {_stones(other)}" if other else taken

    def count(self, state: Position) -> str:
        if state.to_move is None:
            return told(state.margin())
        black, white = state.captures
        passed = "; the last move was a pass" if state.passes else ""
        if state.disputed and not state.passes and state.moves and is_pass(state.moves[-1]):
            passed = "; the sides differ about dead stones and play on"
        return f"Black has taken {_stones(black)}, White {_stones(white)}, komi {state.komi:g}{passed}"


def _stones(count: int) -> str:
    return "1 stone" if count == 1 else f"{count} stones"


class GoOptions(Options, frozen=True):
    size: Annotated[int, Meta(ge=1, le=LARGEST, description="rows and columns of the board", examples=[9, 13, 19])] = 9
    komi: Annotated[
        Annotated[float, Meta(ge=-400, le=400, multiple_of=0.25)] | Literal["usual"],
        Meta(
            description="points for White, in quarters; usual: 7 on 9x9, else 7.5, with a handicap 0.5",
            examples=["usual", 0.5, 5.5, 6.5, 7.5],
        ),
    ] = "usual"
    handicap: Annotated[
        int,
        Meta(
            ge=0,
            le=9,
            description="black stones on fixed points at the start; White then moves first",
            examples=[0, 2, 3, 4, 6, 9],
        ),
    ] = 0
    compensation: Annotated[
        Compensation, Meta(description="points for White, beside the komi, for N black stones at the start")
    ] = "none"
    suicide: Annotated[bool, Meta(description="stones may be placed so that their own group is taken")] = False
    cleanup: Annotated[
        Literal["none", "final_status_list"],
        Meta(description="passes may claim stones dead: equal claims end the game, else it goes on"),
    ] = "none"


class Go(Game[Position, str]):
    name = "go"
    title = "Go"
    line = "Surround more of the board than your opponent; stones without a free point are taken."
    seats = SIDES
    options_type = GoOptions
    rating_settings = ("size", "cleanup", "suicide")
    uneven_settings = ("handicap",)
    exchanged_as = "sgf"
    gestures = OnePoint()

    def start(self, options: GoOptions, seed: int = 0) -> Position:
        stones = board_of(options.size).handicap(options.handicap)
        turn = WHITE if stones else BLACK
        cleanup = options.cleanup != "none"
        return placed(options.size, stones, 0, turn, komi=komi_of(options), suicide=options.suicide, cleanup=cleanup)

    def move_from_wire(self, value: object) -> str:
        """Read `C3`, `c3`, `pass` or `pass:D4,E5`."""
        if isinstance(value, str) and len(value) <= MOST_CLAIMED and value.isascii():
            if (name := POINTS.get(value.upper())) is not None:
                return name
            if value.lower() == PASS:
                return PASS
            if value[: len(CLAIM)].lower() == CLAIM:
                names = value[len(CLAIM) :].upper().split(",")
                if all(name in POINTS for name in names):
                    return CLAIM + ",".join(names)
        raise MalformedMove("not-a-point", f"a move is written C3, or pass, got {quoted(value)}")

    def move_to_wire(self, move: str) -> str:
        return move

    def notation(self, state: Position, move: str) -> str:
        """Return `C3`, `pass` or `pass:D4,E5`."""
        return move

    def parse_notation(self, state: Position, text: str) -> str:
        return self.move_from_wire(text)

    def format_state(self, state: Position) -> str:
        """Return the rows, the side to move, passes, stones taken, komi, and the moves so far: see `go_text`."""
        return format_position(state)

    def parse_state(self, text: str) -> Position:
        return parse_position(text)

    def read_state(self, text: str, options: GoOptions | None = None) -> Position:
        """Read a position as `format_state` writes it, or its rows and side to move: `9/9/2X6/9/9/9/9/9/9 w`.

        The latter has komi and suicide as `options` say; both have their `cleanup`. Raises BadPosition, also for a
        board of another size.
        """
        usual = options or GoOptions(size=min(LARGEST, text.count("/") + 1))
        state = read_position(text, komi_of(usual), suicide=usual.suicide)
        if usual.cleanup != "none" and not state.cleanup:
            origin = None if state.origin is None else replace(state.origin, cleanup=True)
            state = replace(state, cleanup=True, origin=origin)
        if options is not None and state.board.size != options.size:
            size = state.board.size
            raise BadPosition(f"the position has {size} rows, and the match {options.size}; say size={size}")
        return state

    def way(self, state: Position) -> tuple[Position, tuple[str, ...]] | None:
        return state if state.origin is None else state.origin, state.moves

    def render(self, state: Position) -> str:
        return str(state)

    def scene(self, state: Position) -> Scene:
        """Return the stones on the lines; after the end also the points that each side surrounds."""
        board = state.board
        marks = [
            Mark("stone", STONES.index(cell), row, col)
            for row, cells in enumerate(state.rows())
            for col, cell in enumerate(cells)
            if cell in STONES
        ]
        tallies = [f"{taken} taken" for taken in state.captures]
        if state.to_move is None:
            areas = state.areas()
            for seat, stones in enumerate((state.black, state.white)):
                marks += [
                    Mark("area", seat, *board.cell(bit)) for bit in board.points(areas[seat] & ~(stones & ~state.dead))
                ]
            black, white = areas[BLACK].bit_count(), areas[WHITE].bit_count() + state.komi
            tallies = [f"{black} points", f"{white:g} points"]
        last = state.moves[-1] if state.moves else PASS
        return Scene(
            board.size,
            board.size,
            tuple(marks),
            "lines",
            board.row_names,
            board.col_names,
            last=() if is_pass(last) else (board.cell(board.bits[last]),),
            dots=tuple(map(board.cell, board.hoshi())),
            chips=_CHIPS,
            tallies=tuple(tallies),
        )


def komi_of(options: GoOptions) -> float:
    """Return the points that White gets: the komi that the options set, or the usual one, and the compensation."""
    usual = 0.5 if options.handicap else 7.0 if options.size == 9 else 7.5
    komi = usual if options.komi == "usual" else options.komi
    return komi + compensated(options.compensation, options.handicap) + 0.0  # -0.0 is written 0


def compensated(compensation: Compensation, stones: int) -> int:
    """Return the points that White gets for so many handicap stones.

    >>> compensated("none", 4), compensated("N", 4), compensated("N-1", 4), compensated("N-1", 0)
    (0, 4, 3, 0)
    """
    return {"none": 0, "N": stones, "N-1": max(0, stones - 1)}[compensation]
