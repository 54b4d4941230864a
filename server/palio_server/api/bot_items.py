"""A bot as `/api/bots/NAME` gives it: what its page shows."""

from datetime import datetime

import msgspec

from palio_db.profile_values import Build


class RatingOf(msgspec.Struct, frozen=True):
    """A bot's rating in one game; `error` is half the width of the 95 % interval."""

    game: str
    title: str
    rating: float
    error: float
    provisional: bool
    games: int


class ProfileItem(msgspec.Struct, frozen=True):
    """A bot in the list of all. `playing` counts its matches now."""

    name: str
    about: str
    connected: bool
    playing: int
    last_seen: datetime | None
    ratings: list[RatingOf]
    rested: bool = False


class Profiles(msgspec.Struct, frozen=True):
    """A page of bots, of `total` in all."""

    total: int
    bots: list[ProfileItem]


class OutcomeCount(msgspec.Struct, frozen=True):
    """`outcome`: won, drawn, lost, played (alone), adjudicated, or the bot's own fault."""

    outcome: str
    games: int


class GameOf(msgspec.Struct, frozen=True):
    """How a bot stands in one game. `place` is null while it is provisional; with 95 % it is between `best` and
    `worst`, of `of` bots that are rated for certain. `outcomes`: how its rated matches ended for it.
    Of a language model the last five say what it costs: tokens that it reads and writes a move, dollars a game,
    milliseconds until it has answered, dollars in all; null where that is not known.
    """

    game: str
    title: str
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
    outcomes: list[OutcomeCount]
    tokens_in: float | None = None
    tokens_out: float | None = None
    cost: float | None = None
    latency_ms: float | None = None
    cost_total: float | None = None


class BotDetail(msgspec.Struct, frozen=True):
    """A bot, here or not. `matches` are those it is playing, `games` those it offers to play now; `conflict` has the
    builds of programs that play under its name at the same time, and is mostly empty. The ladder gives a `rested` bot
    no matches until it shows that it is there.
    """

    name: str
    about: str
    registered: bool
    guest: bool
    connected: bool
    games: list[str]
    instances: int
    slots: int
    rested: bool
    matches: list[str]
    first_seen: datetime | None
    last_seen: datetime | None
    builds: list[Build]
    conflict: list[str]
    ratings: list[GameOf]


class OpponentItem(msgspec.Struct, frozen=True):
    """What a bot has scored against another one. `expected` is the share that their ratings lead one to expect."""

    bot: str
    rating: float | None
    provisional: bool
    wins: int
    draws: int
    losses: int
    share: float
    expected: float | None


class OpeningItem(msgspec.Struct, frozen=True):
    """The first plies of matches in which the bot had `seat`, and its share of the points in them."""

    seat: int
    name: str
    moves: list[str]
    games: int
    share: float


class TimeBin(msgspec.Struct, frozen=True):
    """Moves that took `least` milliseconds or more, and less than `most`."""

    least: int
    most: int
    moves: int


class TimesItem(msgspec.Struct, frozen=True):
    """How long the bot thinks about a move, in milliseconds."""

    moves: int
    median: float
    p99: float
    bins: list[TimeBin]


class BotReport(msgspec.Struct, frozen=True):
    """A bot in one game: `form` has the outcomes of its last matches, the newest last; `opponents` are those it has met
    most, the strongest first, of `met` in all. Openings and times are of its newest `sample` rated matches.
    """

    game: str
    bot: str
    form: list[str]
    met: int
    opponents: list[OpponentItem]
    sample: int
    openings: list[OpeningItem]
    times: TimesItem | None


class HistoryPoint(msgspec.Struct, frozen=True):
    at: datetime
    rating: float
    error: float
    provisional: bool


class BotHistory(msgspec.Struct, frozen=True):
    """How the rating of a bot went, and when another program began to play under its name."""

    game: str
    bot: str
    points: list[HistoryPoint]
    builds: list[Build]
