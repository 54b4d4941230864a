"""What the store keeps of an event beyond its matches: who is entered, what has been planned, what has come of it.

Frozen values, none of which knows a database. `palio_server.tournament.event` puts them together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from palio_db.values import Status
from palio_rules.records.record import Analysis, Record, Void

Stage = Literal["open", "running", "paused", "finished", "cancelled"]
PlanKind = Literal["played", "pairing-bye", "half-bye", "absent"]
Entries = Literal["listed", "token", "open"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot that takes part. `number` is its starting number, from 1, in the order of entry."""

    bot: str
    number: int
    rating: float | None = None  # that seeds it; None: nobody knows
    joined: int = 1  # the first round in which it may be paired
    left: int | None = None  # the first round in which it is paired no more; None: it is here
    byes: frozenset[int] = frozenset()  # rounds for which it has been granted half a point
    spec: str = ""  # what `palio join` takes, where `palio run` starts the bot

    def plays_in(self, round_: int) -> bool:
        """Whether it is to be paired in this round, a bye granted to it aside."""
        return self.joined <= round_ and (self.left is None or round_ < self.left)


@dataclass(frozen=True, slots=True)
class Plan:
    """An encounter as a format asks for it: some bots, one opening or instance, in so many orders of the seats.

    A bye is a plan, too: of one bot and no games.
    """

    round: int  # from 1
    board: int  # from 1 within the round
    bots: tuple[str, ...]  # by seat in the first game
    games: int = 1  # matches; in the first so many of `round_robin.orders`
    opening: int = 0  # which opening, or instance of a race, from 0
    kind: PlanKind = "played"
    part: str = ""  # of the event: "group A", "semi-final 2", "third place"


@dataclass(frozen=True, slots=True)
class EventMatch:
    """A match of an encounter, as far as an event needs to know it. `game` counts them from 0."""

    match: str
    encounter: int
    game: int
    bots: tuple[str, ...]  # by seat
    status: Status
    scores: tuple[float, ...] | None = None  # by seat; None until it is finished
    ms: tuple[int, ...] = ()  # thinking time by seat, where it is finished
    costs: tuple[float | None, ...] | None = None  # of a race; None there: no solution
    fought: bool = True  # False: decided without a ply, since somebody was not there
    termination: str | None = None  # of the result, where it is finished


@dataclass(frozen=True, slots=True)
class EncounterRow:
    """A planned encounter; `number` counts from 1. `forfeits`: bots that have given up what is not finished of it."""

    number: int
    plan: Plan
    forfeits: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TournamentDraft:
    """An event that is to be made."""

    name: str
    game: str
    format: str  # its name
    rules: Mapping[str, Any]  # of the format
    settings: Mapping[str, Any]  # how matches are set up, and what whoever runs it wants to keep
    entries: tuple[Entry, ...] = ()
    worker: str = ""  # who directs it
    stage: Stage = "open"
    admits: Entries = "listed"  # besides those that the organiser names: whoever has a token, or is connected
    starts_at: datetime | None = None
    announced: str | None = None  # "" where somebody is told of every result, None elsewhere


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """An event, and how many of its matches stand where."""

    id: int
    name: str
    game: str
    format: str
    rules: Mapping[str, Any]
    settings: Mapping[str, Any]
    stage: Stage
    admits: Entries
    worker: str
    entries: tuple[Entry, ...]  # by starting number
    created_at: datetime
    starts_at: datetime | None
    finished_at: datetime | None
    announced: str | None  # games whose result was told, as in "1-40,43"; None: nobody keeps count
    scheduled: int
    running: int
    finished: int
    aborted: int

    @property
    def bots(self) -> tuple[str, ...]:
        """In order of entry."""
        return tuple(entry.bot for entry in self.entries)

    @property
    def total(self) -> int:
        """Matches that are planned."""
        return self.scheduled + self.running + self.finished + self.aborted


# A finished match on its way out of one store and into another: its record, and what the store knows beside it.
#
# As JSON it is the record of `docs/reference/records.md` with up to three more fields: readers of records read these.

Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class KeptEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that takes part, as `event_values.Entry` has it but for its spec: a command line is nobody else's."""

    bot: str
    rating: float | None = None
    joined: Number = 1
    left: Number | None = None
    byes: tuple[Number, ...] = ()


class KeptEncounter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What has been planned, as `event_values.EncounterRow` has it; the first one of an event is number 1."""

    round: Number
    board: Number
    bots: tuple[str, ...]
    games: Number
    opening: Number
    kind: PlanKind
    part: str
    forfeits: tuple[str, ...] = ()


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that is known of a tournament beside its matches."""

    stage: Stage
    admits: Entries
    rules: dict[str, Any]  # of the format
    settings: dict[str, Any]
    starts_at: datetime | None
    finished_at: datetime | None
    entries: tuple[KeptEntry, ...]  # in order
    encounters: tuple[KeptEncounter, ...]  # by number, without a gap


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a match stands in its tournament. `encounter` and `game` are None where nobody has planned encounters."""

    number: Annotated[int, Meta(ge=1, le=2**31 - 1)]  # of the tournament
    name: str
    format: str  # "round_robin", "swiss", ...
    created_at: datetime  # UTC
    round: Number
    encounter: Number | None = None  # from 1,
    game: Annotated[int, Meta(ge=0, le=32_767)] | None = None  # and which of its games, from 0
    card: Card | UnsetType = UNSET  # with the first of the matches that are exported


class KeptMatch(Record, frozen=True, forbid_unknown_fields=True):
    """A record, when the match was scheduled, where it stands in its tournament, what was found out about it."""

    created_at: datetime | UnsetType = UNSET  # UTC
    tournament: Place | UnsetType = UNSET
    analysis: Analysis | UnsetType = UNSET


_FIELDS = Record.__struct_fields__


def record_of(kept: Record) -> Record:
    """What was played and nothing beside it, as a store keeps it: without the note that it is void."""
    return Record(**{name: getattr(kept, name) for name in _FIELDS if name != "void"})


def as_kept(
    record: Record,
    *,
    created_at: datetime | UnsetType = UNSET,
    tournament: Place | UnsetType = UNSET,
    analysis: Analysis | UnsetType = UNSET,
    void: Void | UnsetType = UNSET,
) -> KeptMatch:
    """`record`, and what is known beside it."""
    own = {name: getattr(record, name) for name in _FIELDS if name != "void"}
    void = record.void if void is UNSET else void
    return KeptMatch(**own, void=void, created_at=created_at, tournament=tournament, analysis=analysis)


@dataclass(frozen=True, slots=True)
class KeptQuery:
    """Which finished matches: those that fit all of it. `since` and `until` are about when a match was scheduled."""

    game: str | None = None
    bot: str | None = None
    tournament: int | None = None
    since: datetime | None = None  # the first moment that counts,
    until: datetime | None = None  # and the first one that does not
    newest: int | None = None  # no more than so many, the newest ones
    matches: tuple[str, ...] = ()  # only these


@dataclass(frozen=True, slots=True)
class Brought:
    """What came of matches that were brought into a store."""

    added: int = 0
    known: int = 0  # there before, with the same content
    games: frozenset[str] = frozenset()  # whose results have grown

    def __add__(self, more: "Brought") -> "Brought":
        return Brought(self.added + more.added, self.known + more.known, self.games | more.games)
