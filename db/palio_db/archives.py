"""Archived matches: their moves are in a file, their results and everything that was counted stay.

In place of its record, an archived match has an outline: the record without plies and rejected moves, what the match
added to its bots' counters, and the record's SHA-256, by which `palio import` knows it again. A match is archived only
after it was read back from the file and is the same there; so a crash at any step loses nothing, and to repeat a step
changes nothing.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET
from sqlalchemy import func, select

from palio_db.audit import log_act
from palio_db.columns import checked, now, pack, unpack
from palio_db.connections import ANY, Connection, Sql
from palio_db.counters import Counters, counters_of, outcomes_of, pair_scores_of
from palio_db.errors import StoreError, Unreadable
from palio_db.event_values import KeptMatch, KeptQuery, record_of
from palio_db.exports import fitting
from palio_db.models import Match
from palio_db.names import in_record
from palio_db.store_part import StorePart, shielded
from palio_db.values import PALIO, Act, Actor, ArchivePlace, PairScore
from palio_db.work import Exclusive
from palio_rules.records.record import Analysis, Record, Void

FOUND = Sql.of(
    "SELECT m.id, m.status, m.record, m.archived_at, m.voided_at, m.voided_by, m.void_reason, a.body "
    "FROM matches m LEFT JOIN analyses a ON a.match = m.id WHERE m.id {any} ORDER BY m.id{lock}",
    any=ANY,
    lock=("", " FOR UPDATE OF m"),
)
ARCHIVE = Sql.of("UPDATE matches SET record = ?, archived_at = ?, archive = ? WHERE id = ?")
NO_ANALYSIS = Sql.of("DELETE FROM analyses WHERE match = ?")
RESTORE = Sql.of("UPDATE matches SET record = ?, archived_at = NULL, archive = NULL WHERE id = ?")


class Outline(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body that an archived match has in place of its record."""

    record: Record  # without plies and rejected moves
    counters: tuple[Counters, ...]  # what the match added, by bot
    digest: bytes  # SHA-256 of the whole record as JSON


class Added(NamedTuple):
    """The additions of a match to the sums."""

    game: str  # the leaderboard
    pairs: list[PairScore]
    counters: list[Counters]
    outcomes: list[tuple[str, str | None]]  # by seat: the bot, and the outcome for it


@dataclass(frozen=True, slots=True)
class ArchiveResult:
    """The numbers of matches of a file, by what was done with them."""

    moved: int = 0
    before: int = 0  # were archived already
    gone: int = 0  # are not in the database
    changed: tuple[str, ...] = ()  # differ in the database, and stay there

    def __add__(self, more: "ArchiveResult") -> "ArchiveResult":
        changed = (*self.changed, *more.changed)
        return ArchiveResult(self.moved + more.moved, self.before + more.before, self.gone + more.gone, changed)


class Archives(StorePart):
    """Moving matches out to a file."""

    @shielded
    async def archivable(self, query: KeptQuery) -> int:
        """Return how many matches fit. Raises StoreError if the tables do not allow archives yet."""
        if not self._database.packs:
            label = self._database.address.label
            raise StoreError(f"{label} may be used by an older Palio, which knows no archives; palio migrate {label}")
        async with self._database.read() as connection:
            wanted = select(func.count()).select_from(Match).where(*fitting(query))
            return int((await connection.execute(wanted)).scalar_one())

    async def archive(self, matches: Sequence[KeptMatch], file: str, *, by: Actor = PALIO) -> ArchiveResult:
        """Replace the records of `matches`, as they were read back from `file`, in one transaction."""
        place = ArchivePlace(now(), checked("the file", file, empty=False))
        done: ArchiveResult = await self._database.submit(
            Exclusive(lambda connection: _archive(connection, matches, place, by))
        )
        return done


def digest_of(record: Record) -> bytes:
    """Return the SHA-256 of a record's JSON, without the mark that it is void."""
    return hashlib.sha256(pack("the record", record_of(record))).digest()


def outline_of(record: Record) -> Outline:
    """Return the outline that stays of a record."""
    bare = msgspec.structs.replace(record_of(record), plies=(), refusals=())
    return Outline(bare, tuple(counters_of(record)), digest_of(record))


def renamed(outline: Outline, names: Mapping[str, str], erased: Collection[str] = ()) -> Outline:
    """Return the outline with other names for its bots; its digest stays that of the record in the file."""
    counters = tuple(replace(one, bot=names.get(one.bot, one.bot)) for one in outline.counters)
    return msgspec.structs.replace(outline, record=in_record(outline.record, names, erased), counters=counters)


def read_outline(match: str, data: bytes) -> Outline:
    """Read the outline of an archived match. Raises Unreadable."""
    return unpack(f"the outline of match {match}", data, Outline)


def added_by(match: str, data: bytes, counted_for: str = "", *, is_archived: bool) -> Added:
    """Return what a finished match added to the sums, from its record or its outline. Raises Unreadable.

    `counted_for`: the leaderboard that it was added to, as its seats say; "": the one that its setup means.
    """
    if is_archived:
        outline = read_outline(match, data)
        return addition(outline.record, list(outline.counters), counted_for)
    record = unpack(f"the record of match {match}", data, Record)
    return addition(record, counters_of(record), counted_for)


def addition(record: Record, counters: list[Counters], counted_for: str = "") -> Added:
    """Return what a record, or the record in an outline, adds to the sums."""
    outcomes = list(zip(record.setup.bots, outcomes_of(record), strict=True))
    return Added(counted_for or record.setup.leaderboard, pair_scores_of(record), counters, outcomes)


def place_of(row: Any) -> ArchivePlace | None:
    """Return where the moves of a row's match are; None if they are in the database."""
    return None if row.archived_at is None else ArchivePlace(row.archived_at, row.archive or "")


def left_out(archived: Mapping[str, int]) -> str:
    """Return a sentence on archived matches, counted by the file that has them; "" without any."""
    files = " and ".join(f"palio import {file}" for file in archived)
    places = ", ".join(f"{count} in {file}" for file, count in archived.items())
    brings = "brings" if len(archived) == 1 else "bring"
    return (
        f"{sum(archived.values())} archived matches are left out: {places}; {files} {brings} them back"
        if archived
        else ""
    )


def restore(connection: Connection, matches: Sequence[KeptMatch]) -> None:
    """Put the records of archived matches back, within the transaction of an import."""
    lines = [(pack("the record", record_of(kept), packed=True), kept.match) for kept in matches]
    if lines:
        connection.change(RESTORE, lines)


def _archive(connection: Connection, matches: Sequence[KeptMatch], place: ArchivePlace, by: Actor) -> ArchiveResult:
    given = {kept.match: kept for kept in matches}
    rows = connection.rows(FOUND, (connection.list_(sorted(given)),))
    lines: list[tuple[Any, ...]] = []
    changed: list[str] = []
    before = 0
    for match, status, data, archived_at, *more in rows:
        if archived_at is not None:
            before += 1
        elif status == "finished" and _is_whole(connection, given[match], data, more):
            body = pack("the outline", outline_of(given[match]), packed=True)
            lines.append((body, connection.from_moment(place.at), place.file, match))
        else:
            changed.append(match)
    if lines:
        connection.change(ARCHIVE, lines)
        connection.change(NO_ANALYSIS, [(match,) for *_, match in lines])
        log_act(connection, by, Act("matches archived", f"{len(lines)} matches", place.file))
    return ArchiveResult(len(lines), before, len(given) - len(rows), tuple(changed))


def _is_whole(connection: Connection, kept: KeptMatch, data: bytes, more: Sequence[Any]) -> bool:
    """Return whether the file has all that the database has of a match: record, void mark and analysis."""
    voided_at, voided_by, reason, body = more
    void = UNSET if voided_at is None else Void(reason or "", voided_by or "", connection.to_moment(voided_at))
    try:
        record = unpack(f"the record of match {kept.match}", data, Record)
        analysis = UNSET if body is None else unpack(f"the analysis of match {kept.match}", body, Analysis)
    except Unreadable:
        return False
    own = [pack("the record", record_of(each)) for each in (kept, record)]
    return own[0] == own[1] and kept.void == void and kept.analysis == analysis
