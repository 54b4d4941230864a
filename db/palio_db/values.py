"""The values that the store takes and returns: frozen, and independent of a database."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import msgspec

from palio_rules.records.record import Ply, RejectedMove, Setup, Void

START_RATING = 1500.0  # Elo; also the mean of every group of bots that have met
PRIOR_ELO = 1000.0  # standard deviation of the prior belief about a bot before its first game
UNRATED_ERROR = 1.96 * PRIOR_ELO  # half-width of the resulting 95 % interval

Status = Literal["scheduled", "running", "finished", "aborted"]
Scope = Literal["play", "watch", "matches", "admin"]


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to play `match` until the lease ends; the next claim gets a higher `epoch`.

    `journal` and `refusals` are the plies and rejected moves under earlier claims.
    """

    match: str
    epoch: int
    setup: Setup
    event: str = ""
    tournament: int | None = None
    started_at: datetime | None = None  # when the match was first claimed
    journal: tuple[Ply, ...] = ()
    refusals: tuple[RejectedMove, ...] = ()


@dataclass(frozen=True, slots=True)
class WaitingMatch:
    """A scheduled match, with the fields that tell whether it could be played now."""

    match: str
    game: str
    bots: tuple[str, ...]  # by seat
    tournament: int | None = None


@dataclass(frozen=True, slots=True)
class Orphan:
    """A running match whose lease has ended, or ends soon unless it is renewed."""

    match: str
    game: str
    bots: tuple[str, ...]  # by seat
    tournament: int | None
    lease_until: float  # the stored value, to compare with an earlier one
    left_s: float  # of the lease, by the database's clock; below 0 it is over


class JournalEntry(msgspec.Struct, frozen=True):
    """One ply or rejected move of a match in progress. `number` counts each kind separately, without gaps."""

    match: str
    epoch: int
    number: int
    entry: Ply | RejectedMove


@dataclass(frozen=True, slots=True)
class ArchivePlace:
    """When the moves of a match left the database, and the name of the file that has them."""

    at: datetime
    file: str


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match as lists show it; `Store.record` has the plies of a finished one."""

    id: str
    game: str
    status: Status
    bots: tuple[str, ...]  # by seat
    scores: tuple[float, ...] | None  # by seat; None until it is finished
    setup: Setup
    event: str
    tournament: int | None
    round: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    worker: str | None
    epoch: int
    termination: str | None
    reason: str | None  # of the result, or why it was aborted
    plies: int | None
    encounter: int | None = None  # its number in the tournament
    rated: bool = True
    void: Void | None = None  # set if it no longer counts
    archived: ArchivePlace | None = None  # set if its moves are in an archive's file
    detail: str | None = None  # what the rules say of a duel beyond its scores: "Black wins by 3.5 points"


@dataclass(frozen=True, slots=True)
class BotRow:
    """A registered bot. `tokens` counts its valid tokens."""

    name: str
    owner: str
    created_at: datetime
    revoked_at: datetime | None
    tokens: int


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token as lists show it: never the secret itself."""

    id: int
    prefix: str
    scopes: frozenset[str]
    bot: str | None
    note: str
    created_at: datetime
    revoked_at: datetime | None
    expires_at: datetime | None = None  # None: never

    def is_valid(self, moment: datetime) -> bool:
        """Return whether it is valid at this moment."""
        return self.revoked_at is None and (self.expires_at is None or moment < self.expires_at)


@dataclass(frozen=True, slots=True)
class Grant:
    """The permissions of a token: `scopes`, and the bot that it authenticates."""

    id: int
    bot: str | None
    scopes: frozenset[str]
    prefix: str = field(default="", compare=False)  # how lists show the token


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The reason why a token in use is no longer valid."""

    bot: str | None
    expired: bool  # not revoked, but expired


@dataclass(frozen=True, slots=True)
class PairScore:
    """The number of times that `first` finished ahead of, level with and behind `second`, over all their matches."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Return the points of `first`; a draw counts half."""
        return self.wins + self.draws / 2

    def __add__(self, more: "PairScore") -> "PairScore":
        """Return both scores of the same two bots together."""
        wins, draws, losses = self.wins + more.wins, self.draws + more.draws, self.losses + more.losses
        return PairScore(self.first, self.second, wins, draws, losses)

    def flipped(self) -> "PairScore":
        """Return the same score from the view of `second`."""
        return PairScore(self.second, self.first, self.losses, self.draws, self.wins)


@dataclass(frozen=True, slots=True)
class Rating:
    """Strength in Elo. `error` is the half-width of the 95 % interval; `provisional`: too little is known to rank."""

    rating: float
    error: float
    provisional: bool


class Leader(msgspec.Struct, frozen=True):
    """One line of a leaderboard. Ratings are Elo; `error` is the half-width of the 95 % interval."""

    rank: int  # 0: none, because it is provisional
    bot: str
    rating: float
    error: float
    provisional: bool  # too few games for a reliable rank
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    illegal_moves: int
    time_losses: int
    mean_ms: float  # thinking time a move
    form: str  # the last ten results, newest last: "WWDL"
    tokens_in: float | None = None  # of a language model: tokens read a move
    tokens_out: float | None = None  # tokens written a move
    cost: float | None = None  # dollars a game, if its price is known
    latency_ms: float | None = None  # milliseconds a move for its answers


class Leaderboard(msgspec.Struct, frozen=True):
    """The leaderboard of one game, as `/api/leaderboard/<game>` and `palio/leaderboard/<game>` give it."""

    game: str
    leaders: list[Leader]


# The actors and acts of the audit log: frozen values, independent of a database.

Outcome = Literal["done", "refused"]


@dataclass(frozen=True, slots=True)
class Actor:
    """The actor of an administrative act: `who` for people, the number of the token, the client's address."""

    who: str
    token: int | None = None
    address: str = ""


PALIO = Actor("palio")  # for acts without a person, and for programs that use the store directly


@dataclass(frozen=True, slots=True)
class Act:
    """An act for the audit log. `name`: "token issued"; `what`, its object: "token 3 of mine"."""

    name: str
    what: str
    detail: str = ""
    outcome: Outcome = "done"


@dataclass(frozen=True, slots=True)
class AuditLine:
    """A line of the audit log; numbers grow with time."""

    id: int
    at: datetime
    who: str
    token: int | None
    address: str
    act: str
    what: str
    outcome: Outcome
    detail: str


# What is known of a bot, as values: its profile, its standing in each game, its opponents.


class Build(msgspec.Struct, frozen=True):
    """A program that has played under a bot's name, and since when it was the newest one."""

    build: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of a bot. `builds`: the programs that played under its name, the newest last."""

    about: str = ""
    builds: tuple[Build, ...] = ()
    first_seen: datetime | None = None
    last_seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A bot that was connected from `first` to `last`. `proven`: its token proves that it owns the name."""

    bot: str
    first: datetime
    last: datetime
    about: str | None = None
    builds: tuple[str, ...] = ()
    proven: bool = False


@dataclass(frozen=True, slots=True)
class BotStanding:
    """A bot's line of one game's leaderboard, and its place: with 95 % between `best` and `worst` of `of` rated bots.

    A provisional bot has no place.
    """

    game: str
    rating: float
    error: float
    provisional: bool
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    mean_ms: float
    place: int | None
    best: int | None
    worst: int | None
    of: int
    tokens_in: float | None = None  # of a language model, as in `Leader`
    tokens_out: float | None = None
    cost: float | None = None
    latency_ms: float | None = None
    cost_total: float | None = None  # dollars for all its games


@dataclass(frozen=True, slots=True)
class BotRating:
    """A bot's rating in one game."""

    game: str
    rating: float
    error: float
    provisional: bool
    games: int


@dataclass(frozen=True, slots=True)
class OpponentScore:
    """A bot's score against `bot`, and the strength of that bot; the rating is None if it was not computed."""

    bot: str
    wins: int
    draws: int
    losses: int
    rating: float | None
    provisional: bool
