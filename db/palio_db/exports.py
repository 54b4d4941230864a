"""Export of finished matches with all their data, oldest first: by pages, each after the key of the last one."""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.columns import unpack
from palio_db.errors import Unreadable
from palio_db.event_values import Card, KeptEncounter, KeptEntry, KeptMatch, KeptQuery, TournamentPlace, as_kept
from palio_db.models import AnalysisRow, EntryRow, Match, PlannedEncounter, Seat, Tournament
from palio_db.store_part import StorePart, shielded
from palio_db.tournaments import OVER
from palio_rules.records.record import Analysis, Record, Void

PAGE = 200  # matches read at once, at most
PAGE_BYTES = 4 * 2**20  # and at most so many bytes, or a single match

_COLUMNS = (
    *(Match.id, Match.record, Match.created_at, Match.round, Match.encounter, Match.number, Match.tournament),
    *(Match.voided_at, Match.voided_by, Match.void_reason),
    *(Tournament.name, Tournament.format, Tournament.created_at.label("event_created_at")),
    AnalysisRow.body,
)
_ROWS = (
    select(*_COLUMNS)
    .outerjoin(Tournament, Tournament.id == Match.tournament)
    .outerjoin(AnalysisRow, AnalysisRow.match == Match.id)
    .order_by(Match.id)
)


_EVENT = select(Tournament.__table__)
_ENTRIES = select(EntryRow.__table__).order_by(EntryRow.number)
_ENCOUNTERS = select(PlannedEncounter.__table__).order_by(PlannedEncounter.number)


class Exports(StorePart):
    """Reading of matches for other programs, in bounded memory for any number of matches."""

    async def kept_matches(self, query: KeptQuery) -> AsyncIterator[KeptMatch | Unreadable]:
        """Yield the matches that fit, oldest first; for a damaged match, its error.

        No transaction stays open between two of them. Matches that finish meanwhile may be included.
        """
        after, cards = await self._before_newest(query), set[int]()
        while page := await self._page_of_kept(query, after):
            for row in page:
                kept = _kept(row)
                if isinstance(kept, KeptMatch) and kept.tournament is not UNSET and row.tournament not in cards:
                    cards.add(row.tournament)
                    place = replace(kept.tournament, card=await self._card(row.tournament))
                    kept = replace(kept, tournament=place)
                yield kept
            after = page[-1].id

    @shielded
    async def count_kept(self, query: KeptQuery) -> int:
        """Return how many matches fit."""
        async with self._database.read() as connection:
            wanted = select(func.count()).select_from(Match).where(*fitting(query))
            count = int((await connection.execute(wanted)).scalar_one())
        return count if query.newest is None else min(count, query.newest)

    @shielded
    async def archives(self, query: KeptQuery) -> dict[str, int]:
        """Return how many archived matches fit otherwise, by the name of the file that has their moves."""
        async with self._database.read() as connection:
            wanted = select(Match.archive, func.count()).where(*fitting(query, archived=True)).group_by(Match.archive)
            return {row[0] or "": row[1] for row in await connection.execute(wanted.order_by(Match.archive))}

    @shielded
    async def _before_newest(self, query: KeptQuery) -> str:
        """Return an identity after which at most the wanted number of newest matches follow."""
        if query.newest is None:
            return ""
        async with self._database.read() as connection:
            newest = select(Match.id).where(*fitting(query)).order_by(Match.id.desc()).limit(query.newest).subquery()
            first: str | None = (await connection.execute(select(func.min(newest.c.id)))).scalar_one()
            before = select(func.max(Match.id)).where(Match.id < (first or ""))
            return (await connection.execute(before)).scalar_one() or ""

    @shielded
    async def _card(self, number: int) -> Card:
        """Return all data of a tournament except its matches."""
        async with self._database.read(snapshot=True) as connection:
            event = (await connection.execute(_EVENT.where(Tournament.id == number))).one()
            entries = (await connection.execute(_ENTRIES.where(EntryRow.tournament == number))).all()
            planned = (await connection.execute(_ENCOUNTERS.where(PlannedEncounter.tournament == number))).all()
        return Card(
            event.stage,
            event.admits,
            unpack(f"the rules of tournament {number}", event.rules, dict[str, Any]),
            unpack(f"the settings of tournament {number}", event.settings, dict[str, Any]),
            event.starts_at,
            event.finished_at,
            tuple(_entry(row) for row in entries),
            tuple(_encounter(row) for row in planned),
        )

    @shielded
    async def _page_of_kept(self, query: KeptQuery, after: str) -> Sequence[Any]:
        async with self._database.read() as connection:
            ids = await _ids(connection, query, after)
            return (await connection.execute(_ROWS.where(Match.id.in_(ids)))).all() if ids else ()


async def _ids(connection: AsyncConnection, query: KeptQuery, after: str) -> list[str]:
    wanted = select(Match.id, func.length(Match.record)).where(*fitting(query), Match.id > after)
    ids: list[str] = []
    size = 0
    for match, length in await connection.execute(wanted.order_by(Match.id).limit(PAGE)):
        size += length
        if ids and size > PAGE_BYTES:
            break
        ids.append(match)
    return ids


def fitting(query: KeptQuery, *, archived: bool = False) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of a query as SQL, for matches with their moves, or for `archived` ones."""
    yield Match.status == "finished"
    yield Match.archived_at.is_not(None) if archived else Match.archived_at.is_(None)
    if query.settled:
        over = select(Tournament.id).where(Tournament.stage.in_(OVER))
        yield Match.tournament.is_(None) | Match.tournament.in_(over)
    if query.game is not None:
        yield Match.game == query.game
    if query.tournament is not None:
        yield Match.tournament == query.tournament
    if query.bot is not None:
        yield select(Seat.match).where(Seat.bot == query.bot, Seat.match == Match.id).correlate(Match).exists()
    if query.since is not None:
        yield Match.created_at >= query.since
    if query.until is not None:
        yield Match.created_at < query.until
    if query.matches:
        yield Match.id.in_(query.matches)


def _kept(row: Any) -> KeptMatch | Unreadable:
    try:
        record = unpack(f"the record of match {row.id}", row.record, Record)
        analysis: Analysis | UnsetType = UNSET
        if row.body is not None:
            analysis = unpack(f"the analysis of match {row.id}", row.body, Analysis)
    except Unreadable as error:
        return error
    void: Void | UnsetType = UNSET
    if row.voided_at is not None:
        void = Void(row.void_reason or "", row.voided_by or "", row.voided_at)
    return as_kept(record, created_at=row.created_at, tournament=_place(row), analysis=analysis, void=void)


def _place(row: Any) -> TournamentPlace | UnsetType:
    if row.tournament is None:
        return UNSET
    event = (row.tournament, row.name, row.format, row.event_created_at, row.round)
    return TournamentPlace(*event, row.encounter, row.number)


def _entry(row: Any) -> KeptEntry:
    byes = tuple(sorted(msgspec.json.decode(row.byes, type=list[int])))
    return KeptEntry(row.bot, row.rating, row.joined, row.gone, byes)


def _encounter(row: Any) -> KeptEncounter:
    bots, forfeits = (tuple(msgspec.json.decode(text, type=list[str])) for text in (row.bots, row.forfeits))
    return KeptEncounter(row.round, row.board, bots, row.games, row.opening, row.kind, row.part, forfeits)
