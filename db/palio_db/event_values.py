"""The stored values of an event beyond its matches: entries, planned encounters and their results.

Frozen values, independent of a database. `palio_server.tournament.event` combines them.
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
    rating: float | None = None  # for seeding; None: unknown
    joined: int = 1  # the first round in which it may be paired
    left: int | None = None  # the first round in which it is no longer paired; None: still present
    byes: frozenset[int] = frozenset()  # rounds for which it was granted half a point
    spec: str = ""  # the argument of `palio join`, if `palio run` starts the bot

    def plays_in(self, round_: int) -> bool:
        """Return whether it is to be paired in this round, ignoring granted byes."""
        return self.joined <= round_ and (self.left is None or round_ < self.left)


@dataclass(frozen=True, slots=True)
class Plan:
    """A requested encounter: some bots, one opening or instance, in a number of seat orders.

    A bye is a plan, too: of one bot and no games.
    """

    round: int  # from 1
    board: int  # from 1 within the round
    bots: tuple[str, ...]  # by seat in the first game
    games: int = 1  # matches; in the first so many of `round_robin.orders`
    opening: int = 0  # which opening, or instance of a race, from 0
    kind: PlanKind = "played"
    part: str = ""  # the part of the event: "group A", "semi-final 2", "third place"


@dataclass(frozen=True, slots=True)
class EventMatch:
    """A match of an encounter, with the fields that an event needs. `game` counts from 0."""

    match: str
    encounter: int
    game: int
    bots: tuple[str, ...]  # by seat
    status: Status
    scores: tuple[float, ...] | None = None  # by seat; None until it is finished
    ms: tuple[int, ...] = ()  # thinking time by seat, if finished
    costs: tuple[float | None, ...] | None = None  # of a race; an item None: no solution
    fought: bool = True  # False: decided without a ply, because a bot was absent
    termination: str | None = None  # of the result, if finished
    detail: str | None = None  # what the rules say of a duel beyond its scores, as in `MatchRow`


@dataclass(frozen=True, slots=True)
class EncounterRow:
    """A planned encounter; `number` counts from 1. `forfeits`: bots that forfeited its unfinished matches."""

    number: int
    plan: Plan
    forfeits: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class TournamentDraft:
    """An event that is to be created."""

    name: str
    game: str
    format: str  # its name
    rules: Mapping[str, Any]  # of the format
    settings: Mapping[str, Any]  # match settings, and values that the event's director wants to store
    entries: tuple[Entry, ...] = ()
    worker: str = ""  # the worker that directs it
    stage: Stage = "open"
    admits: Entries = "listed"  # bots beside those that the organiser names: any with a token, or any connected
    starts_at: datetime | None = None
    announced: str | None = None  # "" if a notifier is told every result, else None


@dataclass(frozen=True, slots=True)
class TournamentRow:
    """An event, and the number of its matches in each state."""

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
    announced: str | None  # games whose result was announced, as in "1-40,43"; None: not tracked
    scheduled: int
    running: int
    finished: int
    aborted: int

    @property
    def bots(self) -> tuple[str, ...]:
        """Return the bots in order of entry."""
        return tuple(entry.bot for entry in self.entries)

    @property
    def total(self) -> int:
        """Return the number of planned matches."""
        return self.scheduled + self.running + self.finished + self.aborted


# A finished match for export and import: its record, and what the store knows about it.
#
# As JSON it is the record of `docs/reference/records.md` with up to three more fields: readers of records read it.

Number = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class KeptEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot that takes part, as `event_values.Entry` but without its spec: a command line is private."""

    bot: str
    rating: float | None = None
    joined: Number = 1
    left: Number | None = None
    byes: tuple[Number, ...] = ()


class KeptEncounter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A planned encounter, as `event_values.EncounterRow`; the first one of an event is number 1."""

    round: Number
    board: Number
    bots: tuple[str, ...]
    games: Number
    opening: Number
    kind: PlanKind
    part: str
    forfeits: tuple[str, ...] = ()


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All data of a tournament except its matches."""

    stage: Stage
    admits: Entries
    rules: dict[str, Any]  # of the format
    settings: dict[str, Any]
    starts_at: datetime | None
    finished_at: datetime | None
    entries: tuple[KeptEntry, ...]  # in order
    encounters: tuple[KeptEncounter, ...]  # by number, without a gap


class TournamentPlace(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The place of a match in its tournament. `encounter` and `game` are None without planned encounters."""

    number: Annotated[int, Meta(ge=1, le=2**31 - 1)]  # of the tournament
    name: str
    format: str  # "round_robin", "swiss", ...
    created_at: datetime  # UTC
    round: Number
    encounter: Number | None = None  # from 1
    game: Annotated[int, Meta(ge=0, le=32_767)] | None = None  # which game of the encounter, from 0
    card: Card | UnsetType = UNSET  # with the first of the exported matches


class KeptMatch(Record, frozen=True, forbid_unknown_fields=True):
    """A record with the time of scheduling, the place in its tournament, and its analysis."""

    created_at: datetime | UnsetType = UNSET  # UTC
    tournament: TournamentPlace | UnsetType = UNSET
    analysis: Analysis | UnsetType = UNSET


_FIELDS = Record.__struct_fields__


def record_of(kept: Record) -> Record:
    """Return the record alone, as a store keeps it: without the mark that it is void."""
    return Record(**{name: getattr(kept, name) for name in _FIELDS if name != "void"})


def as_kept(
    record: Record,
    *,
    created_at: datetime | UnsetType = UNSET,
    tournament: TournamentPlace | UnsetType = UNSET,
    analysis: Analysis | UnsetType = UNSET,
    void: Void | UnsetType = UNSET,
) -> KeptMatch:
    """Return `record` with what is known about it."""
    own = {name: getattr(record, name) for name in _FIELDS if name != "void"}
    void = record.void if void is UNSET else void
    return KeptMatch(**own, void=void, created_at=created_at, tournament=tournament, analysis=analysis)


@dataclass(frozen=True, slots=True)
class KeptQuery:
    """A filter of finished matches: all conditions must hold. `since` and `until` are about the time of scheduling."""

    game: str | None = None
    bot: str | None = None
    tournament: int | None = None
    since: datetime | None = None  # the first moment that counts
    until: datetime | None = None  # the first moment that no longer counts
    newest: int | None = None  # at most so many, the newest ones
    matches: tuple[str, ...] = ()  # only these
    settled: bool = False  # only those of no tournament, or of one that is over


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of an import of matches."""

    added: int = 0
    known: int = 0  # existed already, with the same content
    games: frozenset[str] = frozenset()  # games that got new results
    restored: int = 0  # of the known ones: were archived, and have their moves again

    def __add__(self, more: "ImportResult") -> "ImportResult":
        games = self.games | more.games
        return ImportResult(self.added + more.added, self.known + more.known, games, self.restored + more.restored)
