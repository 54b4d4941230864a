"""What is known of a bot, as values: its profile, its standing in each game, its opponents."""

from dataclasses import dataclass
from datetime import datetime

import msgspec


class Build(msgspec.Struct, frozen=True):
    """A program that has played under a bot's name, and since when it was the newest one."""

    build: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Profile:
    """`builds`: which programs played under its name, the newest last."""

    about: str = ""
    builds: tuple[Build, ...] = ()
    first_seen: datetime | None = None
    last_seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A bot that was here from `first` to `last`. `proven`: its token says that the name is its own."""

    bot: str
    first: datetime
    last: datetime
    about: str | None = None
    builds: tuple[str, ...] = ()
    proven: bool = False


@dataclass(frozen=True, slots=True)
class BotStanding:
    """A bot's line of one game's leaderboard, and its place: with 95 % between `best` and `worst`, of `of` that are
    rated. A provisional bot has no place.
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
    tokens_in: float | None = None  # of a language model, as `Leader` has them
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
    """What a bot has scored against `bot`, and how strong that is; its rating is None where nobody has computed one."""

    bot: str
    wins: int
    draws: int
    losses: int
    rating: float | None
    provisional: bool
