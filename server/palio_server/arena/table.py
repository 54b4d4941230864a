"""A table: the seats of a match that people have asked for, who sits there or is waited for, and what was agreed.

TableRefused
├── NoTable     there is none, or not any more
├── NotFree     an opponent is not here, or busy; or the match does not allow it now
├── TooMany     a limit is reached
└── NotYours    without the token of somebody who sits there
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.records.record import Setup
from palio_rules.registry import game as rules_of
from palio_rules.time_control import TimeControl
from palio_server.match.seats import check_setup
from palio_server.tournament.heat import heat, never_ends, terms

STRIKES = 100  # rejected moves: people try things out
GRACE_MS = 120_000  # how long a person's connection may be lost
READY_MS = 120_000  # until they press Start, where there is a clock
STALL_MS = 30 * 60_000  # a turn without a clock
BY_HAND = TimeControl(base_ms=5 * 60_000)  # of an anytime race, where a person draws a tour

Kind = Literal["person", "friend", "bot", "house"]


class TableRefused(Exception):
    """A table that cannot be had; the message says why, and the remedy."""


class NoTable(TableRefused):
    """There is none, or not any more."""


class NotFree(TableRefused):
    """An opponent is not here, or busy; or the match does not allow it now."""


class TooMany(TableRefused):
    """A limit is reached."""


class NotYours(TableRefused):
    """Without the token of somebody who sits there."""


@dataclass(slots=True)
class Place:
    """A seat at a table. A `friend` who has come is a `person`."""

    kind: Kind
    name: str = ""  # "" while a friend is waited for
    code: str = ""  # that lets a friend in
    token: str = ""  # that a person was given


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be played."""

    game: str
    options: dict[str, Any]
    time: TimeControl
    seed: int
    rated: bool = False

    @property
    def rules(self) -> Game[Any, Any]:
        return rules_of(self.game)

    def setup(self, bots: Sequence[str], state: str = "") -> Setup:
        """The match between `bots`, from the position `state`. Raises ValueError. To draw an instance may take long."""
        rules = self.rules
        time = BY_HAND if never_ends(rules, self.time) else self.time
        setup = Setup(
            self.game,
            tuple(bots),
            msgspec.to_builtins(rules.parse_options(self.options)),
            self.seed,
            **terms(rules, time),
            strikes=STRIKES,
            grace_ms=GRACE_MS,
            ready_ms=READY_MS,
            stall_ms=STALL_MS,
            position=state,
            rated=self.rated,
        )
        if rules.kind == "race":
            if state:
                raise BadOption(
                    f"{rules.name} is a race: it begins with its instance; take `same` and play your moves again"
                )
            setup = heat(setup)
        if check_setup(setup).to_move is None:
            raise BadOption("this position ends the game; give one in which somebody is to move")
        return setup


@dataclass(slots=True, eq=False)
class Table:
    """A table of a server, in memory only: its match outlives it."""

    id: str
    order: Order
    places: list[Place]
    setup: Setup  # of its next match; friends who have not come have a name that nobody has
    opened_at: float  # when it was opened, or asked for again
    address: str = ""  # that it was opened from; "" for one that many share
    match: str | None = None
    began: bool = False  # its match has been seen being played
    over_at: float | None = None
    closed: str = ""  # why
    starting: bool = field(default=False)

    @property
    def bots(self) -> list[str]:
        return [place.name for place in self.places]

    @property
    def house(self) -> list[str]:
        """The server's own bots at it."""
        return [place.name for place in self.places if place.kind == "house"]

    @property
    def invites(self) -> list[tuple[str, int]]:
        """Codes of free seats."""
        return [(place.code, seat) for seat, place in enumerate(self.places) if place.kind == "friend"]

    @property
    def people(self) -> list[Place]:
        return [place for place in self.places if place.kind == "person"]

    @property
    def waits(self) -> bool:
        """Whether a match is to begin as soon as all are here."""
        return not self.closed and self.match is None and not self.starting

    @property
    def in_use(self) -> bool:
        """Whether it plays, or is going to."""
        return not self.closed and self.over_at is None


def seated(rules: Game[Any, Any], first: Place, others: Sequence[Place], seat: int | None) -> list[Place]:
    """The places by seat; `seat` None is by lot. Raises BadOption if there are too many or too few."""
    if rules.kind != "race" and len(others) != len(rules.seats) - 1:
        wanted = len(rules.seats) - 1
        raise BadOption(f"{rules.name} has {len(rules.seats)} seats: name {wanted} opponents, {len(others)} are named")
    seats = 1 + len(others)
    if seat is None:
        seat = 0 if rules.kind == "race" else random.randrange(seats)  # noqa: S311  # a lot, not a secret
    if not 0 <= seat < seats:
        raise BadOption(f"there is no seat {seat}; take one from 0 to {seats - 1}, or null for one by lot")
    places = list(others)
    places.insert(seat, first)
    return places
