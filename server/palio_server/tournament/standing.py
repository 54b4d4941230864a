"""One line of the standings of an event."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import msgspec


@dataclass(frozen=True, slots=True)
class Standing:
    """Equal ranks share a place. `tie_breaks` are in the order that the format's `tie_breaks` names them.

    In a duel `points` is `wins + draws / 2 + bye_points`.
    """

    rank: int
    bot: str
    points: float
    played: int = 0  # games, or encounters where these are scored as a whole
    wins: int = 0
    draws: int = 0
    losses: int = 0
    tie_breaks: tuple[float, ...] = ()
    left: bool = False  # it has withdrawn, or was given up
    note: str = ""  # "won the final", "group B"
    byes: int = 0  # not among `played`, but in the same unit
    bye_points: float = 0.0
    forfeits: int = 0  # those of `played` that were won or lost without a fight

    @property
    def counted(self) -> int:
        """The games or encounters that could give points: those played, and byes."""
        return self.played + self.byes


def shared_places(merits: Iterable[Hashable]) -> list[str]:
    """Return the place of each line for people: `1`, and 2 to 3 with an en dash for two lines of equal merit.

    `merits` are ranks, or what decides on them, in the order of the lines; lines with None, which come last, have none.
    """
    places: list[str] = []
    for merit, lines in groupby(merits):
        first, count = len(places) + 1, len(list(lines))
        places += (
            ["-"] * count
            if merit is None
            else [str(first) if count == 1 else f"{first}\N{EN DASH}{first + count - 1}"] * count
        )
    return places


def with_reasons(standings: Sequence[Standing], broken: Mapping[str, str]) -> list[Standing]:
    """Return the standings, where bots that did not start, and have won nothing, have the reason in their notes."""
    return [
        replace(line, note="; ".join(filter(None, (line.note, f"did not start: {broken[line.bot]}"))))
        if line.bot in broken and not line.points
        else line
        for line in standings
    ]


# The additions of some formats to standings and rounds: brackets, groups, the state of a test. In the form of the API.


class BracketMatch(msgspec.Struct, frozen=True):
    """One pairing of a knockout. A bot that is not known yet is None, and `sources` names the match
    whose winner comes.
    """

    id: str  # "semi-final 2", "third place"
    bots: list[str | None]
    seeds: list[int | None]
    scores: list[float]  # encounters won so far, level ones half
    sources: list[str]  # ids of the matches before it, by place; "" where there is none
    losers: bool = False  # the losers of `sources` meet
    winner: str | None = None
    decided: str = ""  # "bye", "forfeit", "extra encounter 1", "faster clocks", "better seed"; "" by the encounters
    encounters: list[int] = []  # numbers


class BracketRound(msgspec.Struct, frozen=True):
    title: str  # "quarter-finals"
    number: int  # of the round in the event
    matches: list[BracketMatch]


class Bracket(msgspec.Struct, frozen=True):
    rounds: list[BracketRound]
    third_place: BracketMatch | None = None


class Group(msgspec.Struct, frozen=True):
    name: str  # "A"
    bots: list[str]
    standings: list[Standing]
    advance: int  # so many go on


class LlrPoint(msgspec.Struct, frozen=True):
    games: int
    llr: float


class SprtState(msgspec.Struct, frozen=True):
    """A sequential test of `first` against `second`; `pairs` counts those that gave `first` 0, 1/2, 1, 1 1/2, 2."""

    first: str
    second: str
    model: str  # normalized, logistic, bayesian
    elo0: float
    elo1: float
    alpha: float
    beta: float
    llr: float
    lower: float
    upper: float
    state: str  # "continue", "H0", "H1"
    wins: int
    draws: int
    losses: int
    pairs: list[int] | None  # None: games count by themselves
    elo: float | None
    elo_error: float | None
    los: float
    points: list[LlrPoint] = []  # the history of the ratio, at most a few hundred


class PairFigures(msgspec.Struct, frozen=True):
    """The figures of `first`. `pairs` counts those that gave it 0, 1/2, 1, 1 1/2, 2; the rest is of their games."""

    first: str
    second: str
    pairs: list[int]
    wins: int
    draws: int
    losses: int
    elo: float
    elo_error: float
    nelo: float
    nelo_error: float
    los: float

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def draw_ratio(self) -> float:
        """The share of pairs that both have divided."""
        return self.pairs[2] / sum(self.pairs)

    @property
    def pairs_ratio(self) -> float | None:
        """The pairs won for each that was lost; None if none was."""
        lost, won = sum(self.pairs[:2]), sum(self.pairs[3:])
        return won / lost if lost else None


class Details(msgspec.Struct, frozen=True):
    bracket: Bracket | None = None
    groups: list[Group] = []
    sprt: SprtState | None = None
