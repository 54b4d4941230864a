"""Events as `/api/tournaments` returns them, for the page, the terminal and programs."""

from datetime import datetime
from typing import Any

import msgspec

from palio_server.tournament.standing import Bracket, Group, PairFigures, SprtState


class TournamentItem(msgspec.Struct, frozen=True):
    """An event, and the number of its matches in each state. `total`: in all, if that is known; otherwise those
    planned.
    """

    id: int
    name: str
    game: str
    format: str  # "round_robin", "swiss", ...
    title: str  # of the format, for people
    stage: str  # "open", "running", "paused", "finished", "cancelled"
    bots: list[str]
    created_at: datetime
    starts_at: datetime | None
    total: int
    scheduled: int
    running: int
    finished: int
    aborted: int
    round: int  # the last one that is planned, 0: none
    rounds: int | None  # in all, where that is known
    leader: str | None  # in the first place
    verdict: str | None  # of a sequential test: "continue", "H0", "H1"; null: it is no test, or has no game yet


class EntryItem(msgspec.Struct, frozen=True):
    bot: str
    number: int
    rating: float | None
    joined: int
    left: int | None
    byes: list[int]
    connected: bool


class ScoreItem(msgspec.Struct, frozen=True):
    wins: int
    draws: int
    losses: int


class CostItem(msgspec.Struct, frozen=True):
    """The costs of a bot in its races; `over_best`: how much more than the best of each, 0.05 for 5 %, on average."""

    races: int
    solved: int
    mean: float | None
    over_best: float | None


class RoundCell(msgspec.Struct, frozen=True):
    """The result of one bot in one round."""

    round: int
    how: str  # "played", "forfeit", "pairing-bye", "half-bye", "absent"; "" while it is being played
    points: float | None
    opponents: list[str]
    colour: str  # "white", "black", ""


class StandingItem(msgspec.Struct, frozen=True):
    """A line of the standings: `tie_breaks` in the order of `TournamentDetail.tie_breaks`."""

    rank: int
    bot: str
    points: float
    played: int
    wins: int
    draws: int
    losses: int
    tie_breaks: list[float]
    left: bool
    note: str
    rating: float | None  # from this event's results
    error: float | None  # half the width of the 95 % interval
    performance: float | None
    rounds: list[RoundCell]
    against: dict[str, ScoreItem]
    costs: CostItem | None
    byes: int = 0  # not among `played`, but in the same unit
    bye_points: float = 0.0
    forfeits: int = 0  # those of `played` that were won or lost without a fight


class FaultItem(msgspec.Struct, frozen=True):
    """A count of games that a bot lost other than on the board: "illegal", "time", "crashed", "disconnected", ..."""

    bot: str
    termination: str
    games: int


class Wait(msgspec.Struct, frozen=True):
    """Bots of which `matches` have not begun, the first one in `encounter`, and `why`: what they wait for."""

    encounter: int
    bots: list[str]
    matches: int
    why: str


class TournamentDetail(TournamentItem, frozen=True):
    settings: dict[str, Any]
    rules: dict[str, Any]
    entries: list[EntryItem]
    tie_breaks: list[str]
    standings: list[StandingItem]
    bracket: Bracket | None
    groups: list[Group]
    sprt: SprtState | None
    games_per_s: float | None  # over the last minutes
    seconds_left: float | None  # an estimate
    first_move_advantage: float | None  # Elo; null while its error is above 200
    admits: str  # "listed", "token", "open": who may enter besides those that the organiser names
    worker: str  # the server, or `palio run`, that directs it
    finished_at: datetime | None
    note: str  # a sentence about a problem: why it has not begun, a format that is not installed
    faults: list[FaultItem] = []  # of duels, by bot
    waits: list[Wait] = []  # of the first open pairings, while it is played on this server
    pair_figures: PairFigures | None = None  # of an event of two bots that play pairs of games


class EncounterMatch(msgspec.Struct, frozen=True):
    match: str
    bots: list[str]
    status: str
    scores: list[float] | None
    detail: str | None = None  # what the rules say of a duel beyond its scores, as in a list of matches


class EncounterItem(msgspec.Struct, frozen=True):
    number: int
    round: int
    board: int
    bots: list[str]
    kind: str  # "played", "pairing-bye", "half-bye", "absent"
    part: str
    games: int
    over: bool
    points: list[float]  # of the games, by bot
    before: list[float]  # points of the event before this round, by bot
    forfeits: list[str]
    matches: list[EncounterMatch]


class RoundItem(msgspec.Struct, frozen=True):
    round: int
    rounds: int | None
    over: bool
    encounters: list[EncounterItem]


class Why(msgspec.Struct, frozen=True):
    """The reasons why these meet."""

    encounter: int
    sentences: list[str]


class FormatItem(msgspec.Struct, frozen=True):
    """A format that is installed, and its settings, with the defaults."""

    name: str
    title: str
    rules: dict[str, Any]
