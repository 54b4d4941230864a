"""A table: the seats of a match that people have requested, who sits there or is expected, and the agreed setup.

TableRefused
├── NoTable     there is no such table, or no longer
├── NotFree     an opponent is absent or busy; or the match does not allow it now
├── TooMany     a limit is reached
└── NotYours    without the token of a person at the table
"""

import random
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import UNSET

from palio_rules.errors import BadOption
from palio_rules.game import Game
from palio_rules.records.record import Setup
from palio_rules.registry import game as rules_of
from palio_rules.time_control import TimeControl
from palio_server.match.seats import check_setup
from palio_server.tournament.round_robin import heat, never_ends, terms

STRIKES = 100  # rejected moves, many because people try moves out
GRACE_MS = 120_000  # how long a person's connection may be lost
READY_MS = 120_000  # until they press Start, if there is a clock
STALL_MS = 30 * 60_000  # a turn without a clock
BY_HAND = TimeControl(base_ms=5 * 60_000)  # of an anytime race, where a person draws a tour

PlaceKind = Literal["person", "friend", "bot", "house"]


class TableRefused(Exception):
    """A table that is not possible; the message says why, and the remedy."""


class NoTable(TableRefused):
    """There is no such table, or no longer."""


class NotFree(TableRefused):
    """An opponent is absent or busy; or the match does not allow it now."""


class TooMany(TableRefused):
    """A limit is reached."""


class NotYours(TableRefused):
    """The request is without the token of a person at the table."""


@dataclass(slots=True)
class TablePlace:
    """A seat at a table. A `friend` who has come is a `person`."""

    kind: PlaceKind
    name: str = ""  # "" while a friend is expected
    code: str = ""  # with which a friend joins
    token: str = ""  # that a person was given


class TableOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the match to play."""

    game: str
    options: dict[str, Any]
    time: TimeControl
    seed: int
    rated: bool = False

    @property
    def rules(self) -> Game[Any, Any]:
        return rules_of(self.game)

    def setup(self, bots: Sequence[str], state: str = "", *, people: bool = False) -> Setup:
        """Return the match between `bots`, from the position `state`; only `people` who play each other may agree on a
        draw. Raises ValueError. Drawing an instance may take long.
        """
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
            draw_offers=True if people and rules.kind == "duel" and rules.has_draws else UNSET,
        )
        if rules.kind == "race":
            if state:
                raise BadOption(
                    f"{rules.name} is a race: it begins with its instance; take `same` and play your moves again"
                )
            setup = heat(setup)
        if check_setup(setup).to_move is None:
            raise BadOption("this position ends the game; give one with a seat to move")
        return setup


@dataclass(slots=True, eq=False)
class Table:
    """A table of a server, in memory only: its match outlives it."""

    id: str
    order: TableOrder
    places: list[TablePlace]
    setup: Setup  # of its next match; a friend who has not come has a name that no bot can have
    opened_at: float  # when it was opened or used last
    address: str = ""  # that it was opened from; "" for one that many share
    match: str | None = None
    began: bool = False  # True: its match was seen in play
    over_at: float | None = None
    closed: str = ""  # the reason
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
        """The codes of free seats."""
        return [(place.code, seat) for seat, place in enumerate(self.places) if place.kind == "friend"]

    @property
    def people(self) -> list[TablePlace]:
        return [place for place in self.places if place.kind == "person"]

    @property
    def waits(self) -> bool:
        """True if a match is to begin as soon as all players are here."""
        return not self.closed and self.match is None and not self.starting

    @property
    def in_use(self) -> bool:
        """True if it plays, or is going to."""
        return not self.closed and self.over_at is None


def seated(
    rules: Game[Any, Any], first: TablePlace, others: Sequence[TablePlace], seat: int | None
) -> list[TablePlace]:
    """Return the places by seat; `seat` None is by lot. Raises BadOption if there are too many or too few."""
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


# Limits on tables: in all, with the server's own bots, of one address, and how fast they may be opened.
#
# An address is the one the connection comes from. Headers that the client chooses, such as X-Forwarded-For, do not
# count: a client that wants many tables would send a different one each time.

MOST = 64  # tables in use, with any opponents
HOUSE_A_TABLE = 3  # of the server's own bots at one table
BURST, PER_SECOND = 10, 2.0  # tables that may be opened at once, and per second after that
OF_ONE = 16  # tables in use that one address may have
ONES_BURST = 5  # the part of `BURST` that one address may use
KNOWN = 1024  # addresses, the last ones that opened tables


class Use(NamedTuple):
    """Tables in use: `all` of them, and those with the server's own bots, `house`."""

    all: int = 0
    house: int = 0


NONE = Use()


class TableLimits:
    """The limits on tables; a refusal raises with a sentence. `house`: tables with the server's own bots at once."""

    def __init__(self, house: int) -> None:
        self._house = house
        self.house_of_one = (house + 1) // 2  # so that one visitor cannot take them all
        self._opened: deque[float] = deque(maxlen=BURST)  # when the last ones were opened
        self._by: OrderedDict[str, deque[float]] = OrderedDict()  # the same by address

    def opened(self, now: float, address: str = "") -> None:
        """Count a table that was opened."""
        self._opened.append(now)
        if address:
            self._by.setdefault(address, deque(maxlen=ONES_BURST)).append(now)
            self._by.move_to_end(address)
            if len(self._by) > KNOWN:
                self._by.popitem(last=False)

    def check(self, now: float, house: int, use: Use, address: str = "", own: Use = NONE) -> None:
        """Raise TooMany unless another table may be opened, with `house` of the server's own bots.

        `own`: the tables of `address`, which is "" for one that many share: then it has no limits of its own.
        """
        before = self._by.get(address, ())
        if _full(self._opened, BURST, now) or (address and _full(before, ONES_BURST, now)):
            raise TooMany("too many tables are being opened on this server; try again in a few seconds")
        if use.all >= MOST:
            raise TooMany(f"{MOST} tables are in use on this server, which is all; try again when one is free")
        if address and own.all >= OF_ONE:
            raise TooMany(f"{OF_ONE} tables are in use from your address, which is all for one; leave one of them")
        if house > HOUSE_A_TABLE:
            raise TooMany(f"{house} of the house's bots are wanted; take {HOUSE_A_TABLE} at most")
        if house and use.house >= self._house:
            tables = _tables(self._house)
            raise TooMany(f"{tables} in use against the house's bots, which is all; try again when one is free")
        if house and address and own.house >= self.house_of_one:
            tables = _tables(self.house_of_one)
            raise TooMany(
                f"{tables} in use against the house's bots from your address, which is all for one; leave one of them"
            )


def _full(opened: Sequence[float], burst: int, now: float) -> bool:
    return len(opened) == burst and now - opened[0] < burst / PER_SECOND


def _tables(count: int) -> str:
    return f"{count} table{'s are' if count > 1 else ' is'}"


# How long a table is kept for people who do not come. Pure: the time is an argument.

HELLO_S = 120.0  # in which the person who opened a table must say hello
FRIEND_S = 30 * 60.0  # in which a friend must come
KEPT_S = 10 * 60.0  # from the end of its match: for another game


def why_close(table: Table, now: float, *, stays: bool, failed: Mapping[str, str]) -> str:
    """Return why the table is to be closed; "" if it is not.

    `stays`: one of its people is still connected; `failed`: the server's own bots that are not available, and why.
    """
    if table.over_at is not None:
        over_s = now - table.over_at
        return "no player has asked for another game" if over_s >= (KEPT_S if stays else HELLO_S) else ""
    if table.began:
        return ""
    for name in table.house if table.waits else ():
        if name in failed:
            return failed[name]
    waited = now - table.opened_at
    if table.invites:
        return "no friend has come" if waited >= FRIEND_S else ""
    return "an expected player has not come" if waited >= HELLO_S else ""
