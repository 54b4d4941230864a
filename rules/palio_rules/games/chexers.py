"""Chexers: three colours, each crossing a hexagon to the edge opposite.

Matthew Farrugia-Roberts and others for COMP30024 (University of Melbourne, 2019), out of Chinese Checkers and Reversi.

The board has 37 hexes (q, r). Red begins on the left edge, Green on the top edge, Blue on the lower right one, four
pieces each. Red moves first, then Green, then Blue. In a turn a side does one thing with one of its pieces:

- MOVE to an empty hex next to it;
- JUMP over a piece next to it to the empty hex straight behind; an enemy piece so jumped takes the jumper's colour;
- EXIT from the edge opposite to where it began: Red from q = 3, Green from r = 3, Blue from q + r = -3;
- PASS, only if nothing else is possible.

The first side that takes four pieces off the board wins, whether the pieces were its own or converted. A side that has
lost all of its pieces passes. A game is drawn when a position, that is the board and the side to move, occurs for the
fourth time (the first one counts), and after 256 turns of each side.

A side that forfeits leaves its pieces behind as blocks: they never move again, but they can be jumped, and then change
their colour like any other piece. The other sides continue and its turns are skipped; the last side in the game wins.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Annotated, Self

from msgspec import Meta

from palio_rules.boards import chexers as board
from palio_rules.boards.chexers import COLOURS, EMPTY, HEXES, LETTERS, PASS, RED, SIDE, TILES, Action, Hex
from palio_rules.errors import BadPosition, IllegalMove, quoted
from palio_rules.game import Options, Outcome, only_moves
from palio_rules.position import Moves
from palio_rules.scene import Mark, Scene

SEATS = len(COLOURS)
START = "gggg" + "....." + "......" + "r.....b" + "r....b" + "r...b" + "r..b"
TO_WIN = 4  # exits
OCCURRENCES = 4  # of one position, for a draw
LONGEST = 256  # turns a side; the history of more would not fit into a message
OUT = -1  # instead of the exits of a seat that has forfeited
PIECES = 12


@dataclass(frozen=True, slots=True)
class Position(board.HexCells):
    """A position: the cells, how many pieces each seat has taken off, and the side to move. Make one with `of`.

    Positions are equal when these three are: a good key for a transposition table. The history for the draw rules is
    stored with the position, but not compared.

    `state[q, r]` is "r", "g" or "b" for a piece, "." for an empty hex, |q|, |r| and |q + r| at most 3. `state.exits`
    counts the pieces that each seat has taken off.
    """

    cells: str  # "r", "g", "b" or "." for each of `HEXES`
    exits: tuple[int, ...] = (0,) * SEATS  # OUT: the seat has forfeited
    turn: int = RED
    ply: int = field(default=0, compare=False)  # turns so far, including the skipped turns of seats that are out
    max_turns: int = field(default=LONGEST, compare=False)
    history: str = field(default="", compare=False)  # the `word_of` each position since the last exit
    result: Outcome | None = field(default=None, compare=False)
    last: tuple[Hex, ...] = field(default=(), compare=False)  # for viewers

    @classmethod
    def of(
        cls,
        cells: str = START,
        exits: tuple[int, ...] = (0,) * SEATS,
        ply: int = 0,
        max_turns: int = LONGEST,
        history: str = "",
        last: tuple[Hex, ...] = (),
    ) -> Self:
        """Make a position and compute its result; turns of seats that have forfeited are skipped."""
        while exits[ply % SEATS] == OUT and ply < SEATS * max_turns:
            ply += 1
        result = _result(cells, exits, ply, max_turns, history)
        return cls(cells, exits, ply % SEATS, ply, max_turns, history, result, last)

    @property
    def to_move(self) -> int | None:
        return self.turn if self.result is None else None

    def __str__(self) -> str:
        return Chexers().render(self)

    def legal_moves(self) -> Moves[Action]:
        """Return actions by piece, row by row from the top; each clockwise from the right; its exit last."""
        return Moves(self._moves)

    def _moves(self) -> Sequence[Action]:
        if self.result is not None:
            return ()
        return board.actions(self.cells, self.turn) or (PASS,)

    @only_moves
    def check(self, move: Action) -> None:
        """Raise IllegalMove, with the reason, unless `move` can be played here."""
        if self.result is not None:
            raise IllegalMove("game-over", "the game is over")
        if (move := board.action_of(move)).kind != "PASS":
            board.check_action(self.cells, self.turn, move)
        elif possible := board.actions(self.cells, self.turn):
            told = f"{COLOURS[self.turn]} can pass only when it cannot move, and it can: {board.written(possible[0])}"
            raise IllegalMove("must-move", told)

    def play(self, move: Action) -> Self:
        move = board.action_of(move)
        ply, last = self.ply + 1, board.touched(move)
        if move.kind == "EXIT":  # there is one piece fewer: no earlier position can occur again
            exits = tuple(count + (seat == self.turn) for seat, count in enumerate(self.exits))
            return self.of(board.moved(self.cells, move, convert=True), exits, ply, self.max_turns, "", last)
        cells = self.cells if move.kind == "PASS" else board.moved(self.cells, move, convert=True)
        word = word_of(self.cells, self.turn)
        history = f"{self.history} {word}" if self.history else word
        return self.of(cells, self.exits, ply, self.max_turns, history, last)

    def without(self, seat: int) -> Self:
        """Return the position after `seat` forfeits.

        Its pieces become blocks, so no earlier position can occur again.
        """
        if self.result is not None or self.exits[seat] == OUT:
            return self
        exits = (*self.exits[:seat], OUT, *self.exits[seat + 1 :])
        return self.of(self.cells, exits, self.ply, self.max_turns)

    def outcome(self) -> Outcome | None:
        """Return a win by "four-exits" or "last-seat", a draw by "repetition" or "max-turns", or None."""
        return self.result


_TRIPLES = {"".join(cells): code for code, cells in enumerate(product(EMPTY + LETTERS, repeat=3))}
_CODES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_WORDS = {cells: _CODES[code] for cells, code in _TRIPLES.items()}
_STARTS = tuple(range(0, len(START), 3))


def word_of(cells: str, turn: int) -> str:
    """Return a position in 14 letters, for the history: r, g or b to move, then a letter for each three hexes."""
    padded = cells + EMPTY * 2
    return LETTERS[turn] + "".join([_WORDS[padded[at : at + 3]] for at in _STARTS])


def _result(cells: str, exits: tuple[int, ...], ply: int, max_turns: int, history: str) -> Outcome | None:
    """Return the result of a position by the rules; a win comes before any draw."""
    playing = [seat for seat in range(SEATS) if exits[seat] != OUT]
    if TO_WIN in exits:
        return Outcome("four-exits", tuple(float(count == TO_WIN) for count in exits))
    if len(playing) == 1:
        return Outcome("last-seat", tuple(float(seat in playing) for seat in range(SEATS)))
    if history.count(word_of(cells, ply % SEATS)) >= OCCURRENCES - 1:
        reason = "repetition"
    elif ply >= SEATS * max_turns:
        reason = "max-turns"
    else:
        return None
    return Outcome(reason, tuple((seat in playing) / len(playing) for seat in range(SEATS)))


class Hexes(board.HexTouches):
    """Gestures for three colours: a jump converts, and a side without an action passes."""

    how = (
        "Click a piece, then where it goes: a step, or a jump, which\n"
        "turns the piece below into your colour. On your edge (red:\n"
        "right, green: below, blue: upper left) click it again, and it\n"
        "leaves the board. Who has taken four pieces off has won."
    )

    def colour(self, state: Position) -> int:
        return state.turn

    def forced(self, state: Position) -> Action | None:
        moves = list(state.legal_moves())
        return PASS if moves == [PASS] else None

    def effect(self, state: Position, move: Action) -> str:
        """Name the side that loses a piece by a jump."""
        if move.kind != "JUMP" or (lost := state.cells[at := board.jumped(move)]) == LETTERS[state.turn]:
            return ""
        return f", {HEXES[at]} turns from {COLOURS[LETTERS.index(lost)]} to {COLOURS[state.turn]}"

    def count(self, state: Position) -> str:
        off = (f"{name} {'out' if n == OUT else n}" for name, n in zip(COLOURS, state.exits, strict=True))
        return f"off the board: {', '.join(off)} (of {TO_WIN})"


class ChexersOptions(Options, frozen=True):
    max_turns: Annotated[
        int, Meta(ge=1, le=LONGEST, description="turns of each side after which the game is drawn")
    ] = LONGEST


_WORD = "[rgb][A-Za-z0-9_-]{12}[AQgw]"  # the last letter encodes one hex and two that do not exist
_EXITS = "(?:[0-4]|out)"
_TEXT = re.compile(
    rf"(?P<rows>[^ ]*) (?P<exits>{_EXITS},{_EXITS},{_EXITS}) (?P<turn>red|green|blue) "
    rf"(?P<round>0|[1-9][0-9]{{0,2}})/(?P<max>[1-9][0-9]{{0,2}})(?P<history>(?: {_WORD})*)"
)


class Chexers(board.ActionGame[Position]):
    name = "chexers"
    title = "Chexers"
    line = "Step, jump and convert what you jump over; the first to take four pieces off its own edge wins."
    seats = COLOURS
    options_type = ChexersOptions
    gestures = Hexes()

    def start(self, options: ChexersOptions, seed: int = 0) -> Position:
        return Position.of(max_turns=options.max_turns)

    def forfeit(self, state: Position, seat: int) -> Position:
        """Return the position without `seat`; a game that is over stays unchanged."""
        return state.without(seat)

    def format_state(self, state: Position) -> str:
        """Return the rows from the top, the exits, the side to move, its turns so far and the most; then the history.

        The first position is `gggg/...../....../r.....b/r....b/r...b/r..b 0,0,0 red 0/256`.
        """
        exits = ",".join("out" if count == OUT else str(count) for count in state.exits)
        told = f"{board.rows_of(state.cells)} {exits} {COLOURS[state.turn]} {state.ply // SEATS}/{state.max_turns}"
        return f"{told} {state.history}" if state.history else told

    def parse_state(self, text: str) -> Position:
        found = _TEXT.fullmatch(text)
        if found is None:
            raise BadPosition(
                f"a position is rows, exits, turn, turns/max_turns and a history, as in "
                f"{board.rows_of(START)} 0,0,0 red 0/256, got {quoted(text)}"
            )
        cells = board.read_rows(found["rows"], EMPTY + LETTERS)
        exits = tuple(OUT if word == "out" else int(word) for word in found["exits"].split(","))
        turn, max_turns, history = self.seats.index(found["turn"]), int(found["max"]), found["history"][1:]
        ply = int(found["round"]) * SEATS + turn
        if max_turns > LONGEST or ply > SEATS * max_turns:
            raise BadPosition(f"turn {found['round']}/{max_turns} is out of range: at most {LONGEST}")
        if set(exits) == {OUT} or exits.count(TO_WIN) > 1:
            raise BadPosition(f"exits {found['exits']}: somebody plays, and at most one side has won")
        pieces = sum(cell != EMPTY for cell in cells)
        if pieces + sum(count for count in exits if count != OUT) > PIECES:
            raise BadPosition(f"{pieces} pieces and exits {found['exits']} are more than {PIECES} together")
        if (words := len(history.split())) > ply:
            raise BadPosition(f"the history has {words} positions, but only {ply} turns have come round")
        state = Position.of(cells, exits, ply, max_turns, history)
        if state.ply != ply:
            raise BadPosition(f"{found['turn']} is out, it has no turn")
        return state

    def render(self, state: Position) -> str:
        exits = ", ".join(
            f"{name} {'is out' if count == OUT else count}" for name, count in zip(self.seats, state.exits, strict=True)
        )
        ended = f"{self.seats[state.turn]} to move" if state.result is None else state.result.reason
        return board.text_of(state.cells, f"{ended}, turn {state.ply // SEATS} of {state.max_turns}, exits: {exits}")

    def scene(self, state: Position) -> Scene:
        """Draw discs; behind each edge as many sockets as it takes exits to win."""
        pieces = [
            Mark("disc", LETTERS.index(cell), *board.cell_of(hex_))
            for hex_, cell in zip(HEXES, state.cells, strict=True)
            if cell != EMPTY
        ]
        return Scene(
            SIDE,
            SIDE,
            (*TILES, *pieces),
            "hex",
            last=tuple(map(board.cell_of, state.last)),
            edges=tuple(
                board.goal(seat, seat, TO_WIN, count) for seat, count in enumerate(state.exits) if count != OUT
            ),
            out=tuple(seat for seat, count in enumerate(state.exits) if count == OUT),
            tallies=tuple(map(_tally, state.exits)),
        )


def _tally(exits: int) -> str:
    return "out" if exits == OUT else f"{exits} exit{'' if exits == 1 else 's'}"
