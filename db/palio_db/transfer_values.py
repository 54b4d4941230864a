"""A finished match on its way out of one store and into another: its record, and what the store knows beside it.

As JSON it is the record of `docs/records.md` with up to three fields more, so whoever reads records reads these.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from palio_db.event_values import Entries, PlanKind, Stage
from palio_rules.records.analysis import Analysis
from palio_rules.records.record import Record, Void

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
