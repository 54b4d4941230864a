"""One round of one player in a TRF file: `  12 w 1`, `0000 - U`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from palio_rules.errors import BadOption
from palio_server.tournament.cards import Card, Cell, Colour, How

# The contents of a TRF file of a tournament (FIDE C.04, annex "TRF16", and the usual extensions).

FIRST_CELL = 91  # column of round 1, from 0
CELL = 10  # columns from one round to the next


class TrfError(BadOption):
    """A TRF file that cannot be read; the message names the file, the line, the column and the remedy."""


@dataclass(frozen=True, slots=True)
class PointSystem:
    """The values of results (162 lines, and BBW, BBD, BBL, BBZ, BBF, BBU)."""

    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0
    absent: float = 0.0
    forfeit: float = 0.0  # lost
    bye: float | None = None  # pairing-allocated; None: as much as a win


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """A 001 line. `cells` has None where the file has nothing for a round."""

    number: int
    name: str
    rating: int | None
    points: float  # by the file
    rank: int | None
    cells: tuple[Cell | None, ...]
    line: int = 0

    def cell(self, round_: int) -> Cell | None:
        return self.cells[round_ - 1] if round_ <= len(self.cells) else None


@dataclass(frozen=True, slots=True)
class TrfFile:
    """`rounds`: how many there will be in all, if the file says so. `colours` are those of forfeits, too."""

    name: str
    players: tuple[TrfPlayer, ...]
    rounds: int | None = None
    initial: Colour = ""
    system: PointSystem = field(default_factory=PointSystem)
    forbidden: tuple[tuple[frozenset[int], int, int], ...] = ()  # pairs that must not meet, in which rounds
    virtual: Mapping[int, Sequence[float]] = field(default_factory=dict)  # points of an acceleration, by round
    drawn: Mapping[tuple[int, int], Colour] = field(
        default_factory=dict
    )  # by number and round: forfeits have them, too
    byes: Mapping[int, frozenset[int]] = field(default_factory=dict)  # half-point ones of 240 lines: rounds, by number

    @property
    def played(self) -> int:
        """The number of rounds that have been paired. Cells beyond are byes granted in advance,
        in any number.
        """
        return max(
            (cell.round for player in self.players for cell in player.cells if cell and took_part(cell)), default=0
        )

    def cards(self, before: int | None = None) -> list[Card]:
        """Return the results of the rounds before this one; of all rounds, without it."""
        return [
            Card(
                player.number,
                player.name,
                player.rating,
                tuple(cell for cell in player.cells if cell and (before is None or cell.round < before)),
            )
            for player in self.players
        ]

    def forbidden_pairs(self, round_: int) -> list[frozenset[int]]:
        """Return the pairs that must not meet in this round."""
        return [
            frozenset((one, other))
            for group, first, last in self.forbidden
            if first <= round_ <= last
            for one in group
            for other in group
            if one < other
        ]


def took_part(cell: Cell) -> bool:
    """Return True if it was paired in that round, or had the pairing-allocated bye."""
    return bool(cell.opponents) or cell.how == "pairing-bye"


BYES: dict[str, How] = {"U": "pairing-bye", "H": "half-bye", "F": "full-bye", "Z": "absent"}
LETTERS = {how: letter for letter, how in BYES.items()}
COLOURS: dict[str, Colour] = {"w": "white", "b": "black", "-": "", " ": ""}
AHEAD = {"1": 1.0, "W": 1.0, "+": 1.0, "=": 0.5, "D": 0.5, "0": 0.0, "L": 0.0, "-": 0.0}


class Read(NamedTuple):
    """A cell and its colour, which a forfeit has in a file, too. `problem`: why it cannot be read."""

    cell: Cell | None = None
    colour: Colour = ""
    problem: tuple[int, str] | None = None


def is_whole(word: str) -> bool:
    """Return True if it is a whole number in ASCII digits: `int` would also read those of other scripts."""
    return word.isascii() and word.isdigit() and len(word) <= 9


def read_cell(text: str, round_: int, system: PointSystem) -> Read:
    """Read eight characters: four for the opponent, then the colour and the result."""
    who, colour, result = text[:4].strip(), (text[5:6] or " ").lower(), (text[7:8] or " ").upper()
    if who and not is_whole(who):
        return _wrong(0, f"{who!r} is no starting number; write 0000 for a bye")
    if colour not in COLOURS:
        return _wrong(5, f"{colour!r} is no colour; write w, b or -")
    opponent = int(who or "0")
    if not opponent:
        return _bye(who, colour, result, round_, system)
    if result not in AHEAD:
        return _wrong(7, f"{result!r} is no result of a game; write 1, 0, =, + or -")
    if result in "+-":
        points = system.win if result == "+" else system.forfeit
        return Read(Cell(round_, "forfeit", points, (opponent,), (AHEAD[result],)), COLOURS[colour])
    if not COLOURS[colour]:
        return _wrong(5, "a game that was played has a colour; write w or b, or + and - for a forfeit")
    points = {1.0: system.win, 0.5: system.draw, 0.0: system.loss}[AHEAD[result]]
    cell = Cell(round_, "played", points, (opponent,), (AHEAD[result],), COLOURS[colour])
    return Read(cell, COLOURS[colour])


def _bye(who: str, colour: str, result: str, round_: int, system: PointSystem) -> Read:
    if not who and colour == " " and result == " ":
        return Read()
    if COLOURS[colour]:
        return _wrong(5, "a colour without an opponent; write the opponent's starting number, or - for no colour")
    if result in BYES:
        bye = system.win if system.bye is None else system.bye
        points = {"U": bye, "H": system.draw, "F": system.win, "Z": system.absent}[result]
        return Read(Cell(round_, BYES[result], points))
    if result == "+":  # a forfeit of an unnamed opponent
        return Read(Cell(round_, "pairing-bye", system.win))
    if result in "=D":
        return Read(Cell(round_, "half-bye", system.draw))
    if result in "-0L ":
        return Read(Cell(round_, "absent", system.absent))
    if result in "1W":
        return Read(Cell(round_, "full-bye", system.win))
    return _wrong(7, f"{result!r} is no result of a bye; write U, H, F or Z")


def _wrong(column: int, why: str) -> Read:
    return Read(problem=(column, why))


def cell_text(cell: Cell | None, colour: Colour = "") -> str:
    """Return eight characters, as `read_cell` reads them. `colour`: who was White where the cell does not say."""
    if cell is None:
        return " " * 8
    if not cell.opponents:
        return f"0000 - {LETTERS.get(cell.how, 'Z')}"
    ahead = cell.ahead[0] if cell.ahead else 0.5
    result = {1.0: "1", 0.5: "=", 0.0: "0"}[ahead] if cell.how == "played" else "+" if ahead == 1.0 else "-"
    letter = {"white": "w", "black": "b", "": "-"}[cell.colour or colour]
    return f"{cell.opponents[0]:4} {letter} {result}"
