"""The kinds of work for the writer. Each has one caller; many of them share one transaction (`group.py`)."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from palio_db.columns import pack, unpack
from palio_db.connections import Connection, Sql
from palio_db.values import Claim, JournalEntry
from palio_rules.records.record import Ply, Record, RejectedMove

# The journal of matches in progress: a line has successive entries, as one JSON array.
#
# Some tens of thousands of plies a second are written a few times a second: a row for each would cost more than to play
# it. A line is identified by its first entry's number. If it is written again, because the commit's outcome is unknown,
# it may be longer; then the longer one stays. Lines may overlap, with equal content.

T = TypeVar("T", Ply, RejectedMove)

WRITE = Sql.of(
    "INSERT INTO journal (match, kind, number, epoch, body) {rows} ON CONFLICT (match, kind, number) "
    "DO UPDATE SET epoch = excluded.epoch, body = excluded.body WHERE length(excluded.body) > length(journal.body)",
    rows=("VALUES (?, ?, ?, ?, ?)", "SELECT * FROM unnest(?::text[], ?::text[], ?::int[], ?::int[], ?::bytea[])"),
)
READ = Sql.of("SELECT kind, number, body FROM journal WHERE match = ? ORDER BY kind, number")


class JournalLine(NamedTuple):
    """A row: the entries of one kind from `number` on."""

    match: str
    kind: str
    number: int
    epoch: int
    body: bytes


def lines_of(entries: Iterable[JournalEntry]) -> list[JournalLine]:
    """Return the entries as lines, in their order. Raises StoreError for one that has no JSON form."""
    runs: list[tuple[JournalEntry, list[Ply | RejectedMove]]] = []  # by the first entry
    for entry in entries:
        if runs:
            first, run = runs[-1]
            if (
                entry.match == first.match
                and entry.number == first.number + len(run)
                and entry.epoch == first.epoch
                and type(entry.entry) is type(first.entry)
            ):
                run.append(entry.entry)
                continue
        runs.append((entry, [entry.entry]))
    return [
        JournalLine(first.match, _kind(first.entry), first.number, first.epoch, pack("the journal's entry", run))
        for first, run in runs
    ]


def write(connection: Connection, lines: Iterable[JournalLine]) -> None:
    """Write lines within a transaction that holds the matches."""
    longest: dict[tuple[str, str, int], JournalLine] = {}  # PostgreSQL changes no row twice in one statement
    for line in lines:
        key = line[:3]
        if key not in longest or len(longest[key].body) < len(line.body):
            longest[key] = line
    if longest:
        connection.change_bulk(WRITE, list(longest.values()))


def read(connection: Connection, match: str) -> tuple[tuple[Ply, ...], tuple[RejectedMove, ...]]:
    """Return a match's plies and rejected moves from the journal. Raises Unreadable."""
    rows = connection.rows(READ, (match,))
    return _entries(match, rows, "ply", Ply), _entries(match, rows, "refusal", RejectedMove)


def _entries(match: str, rows: Sequence[tuple[str, int, bytes]], kind: str, type_: type[T]) -> tuple[T, ...]:
    what, found = f"the journal of match {match}", list[T]()
    for of, number, body in rows:
        if of == kind:
            # before tables 0003 each entry had its own row, without the brackets
            line = unpack(what, body, list[type_]) if body[:1] == b"[" else [unpack(what, body, type_)]  # type: ignore[valid-type]  # msgspec takes what a type checker does not
            found += line[max(0, len(found) + 1 - number) :]
    return tuple(found)


def _kind(entry: Ply | RejectedMove) -> str:
    return "ply" if isinstance(entry, Ply) else "refusal"


@dataclass(frozen=True, slots=True)
class Journaling:
    lines: Sequence[JournalLine]


@dataclass(frozen=True, slots=True)
class Finishing:
    claim: Claim
    record: Record
    data: bytes  # the record as JSON
    detail: str | None = None  # what lists show of the rules' sentence; None if the tables have no place for it
    addresses: Sequence[str] = ()  # by seat, that the bots played from, as limits count; "" unknown; (): not stored


@dataclass(frozen=True, slots=True)
class Releasing:
    match: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Renewing:
    held: Collection[tuple[str, int]]  # match and epoch
    lease_s: float


@dataclass(frozen=True, slots=True)
class Claiming:
    worker: str
    lease_s: float
    free: Mapping[str, frozenset[str]] | None
    tournament: int | None
    moment: datetime
    most: int = 1


@dataclass(frozen=True, slots=True)
class ClaimingThese:
    worker: str
    lease_s: float
    matches: Collection[str]
    moment: datetime


@dataclass(frozen=True, slots=True)
class Exclusive:
    """Work that must not share its transaction, because it locks rows in another order."""

    run: Callable[[Connection], Any]


Work = Journaling | Finishing | Releasing | Renewing | Claiming | ClaimingThese | Exclusive
