"""What some formats show beside standings and rounds: brackets, groups, the state of a test. As the API gives it."""

import msgspec

from palio_server.tournament.standing import Standing


class BracketMatch(msgspec.Struct, frozen=True):
    """One pairing of a knockout. Where a bot is not known yet it is None, and `sources` says whose winner comes."""

    id: str  # "semi-final 2", "third place"
    bots: list[str | None]
    seeds: list[int | None]
    scores: list[float]  # encounters won so far, level ones half
    sources: list[str]  # ids of the matches before it, by place; "" where there is none
    losers: bool = False  # it is the losers of `sources` who meet
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
    points: list[LlrPoint] = []  # how the ratio went, at most a few hundred


class Details(msgspec.Struct, frozen=True):
    bracket: Bracket | None = None
    groups: list[Group] = []
    sprt: SprtState | None = None
