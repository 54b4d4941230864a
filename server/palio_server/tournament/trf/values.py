"""What a TRF file says of a tournament (FIDE C.04, annex "TRF16", and the usual extensions)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from palio_rules.errors import BadOption
from palio_server.tournament.cards import Card, Cell, Colour

FIRST_CELL = 91  # column of round 1, from 0
CELL = 10  # columns from one round to the next


class TrfError(BadOption):
    """A TRF file that cannot be read; the message names the file, the line, the column and the remedy."""


@dataclass(frozen=True, slots=True)
class PointSystem:
    """What results are worth (162 lines, and BBW, BBD, BBL, BBZ, BBF, BBU)."""

    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0
    absent: float = 0.0
    forfeit: float = 0.0  # lost
    bye: float | None = None  # pairing-allocated; None: as much as a win


@dataclass(frozen=True, slots=True)
class TrfPlayer:
    """A 001 line. `cells` has None where the file says nothing of a round."""

    number: int
    name: str
    rating: int | None
    points: float  # as the file says
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
    forbidden: tuple[tuple[frozenset[int], int, int], ...] = ()  # who must not meet, in which rounds
    virtual: Mapping[int, Sequence[float]] = field(default_factory=dict)  # points of an acceleration, by round
    drawn: Mapping[tuple[int, int], Colour] = field(
        default_factory=dict
    )  # by number and round: forfeits have them, too
    byes: Mapping[int, frozenset[int]] = field(default_factory=dict)  # half-point ones of 240 lines: rounds, by number

    @property
    def played(self) -> int:
        """How many rounds have been paired. Cells beyond are byes that were granted in advance, however many."""
        return max(
            (cell.round for player in self.players for cell in player.cells if cell and took_part(cell)), default=0
        )

    def cards(self, before: int | None = None) -> list[Card]:
        """What has come of the rounds before this one; of all rounds, without it."""
        return [
            Card(
                player.number,
                player.name,
                player.rating,
                tuple(cell for cell in player.cells if cell and (before is None or cell.round < before)),
            )
            for player in self.players
        ]

    def kept_apart(self, round_: int) -> list[frozenset[int]]:
        """Pairs that must not meet in this round."""
        return [
            frozenset((one, other))
            for group, first, last in self.forbidden
            if first <= round_ <= last
            for one in group
            for other in group
            if one < other
        ]


def took_part(cell: Cell) -> bool:
    """Whether it was paired in that round, or had the pairing-allocated bye."""
    return bool(cell.opponents) or cell.how == "pairing-bye"
