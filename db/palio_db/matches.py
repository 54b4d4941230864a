"""Scheduling and listing of matches. `claims.py` claims them, `results.py` ends them."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Select, bindparam, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.archives import place_of, read_outline
from palio_db.audit import log_acts
from palio_db.columns import checked, now, pack, unpack
from palio_db.connections import ANY, Connection, Sql
from palio_db.errors import Archived, NotFound, StoreError, Unreadable
from palio_db.models import Match, Seat, Tournament
from palio_db.playable import bots_of, others_of
from palio_db.store_part import StorePart, shielded
from palio_db.values import Act, Actor, MatchRow, Status, WaitingMatch
from palio_rules.records.record import Record, Setup, Void

EACH = 64  # scheduled matches of each tournament that are always read
_PAGE = 200  # records read at once, at most
RECENT = 200  # newest matches of a bot among which recently ended ones are searched
_PAGE_BYTES = 8 * 2**20  # and at most so many bytes, or a single record

_ASKED = 1000  # matches in one query: every database allows so many parameters

_WAITING = "SELECT id, game, seat0, others, tournament FROM matches WHERE status = 'scheduled'{} ORDER BY id LIMIT ?"
WAITING, WAITING_OF = Sql.of(_WAITING.format("")), Sql.of(_WAITING.format(" AND tournament = ?"))
# The events with scheduled matches, by steps through an index: each finds the next number.
_NEXT_EVENT = "(SELECT min(tournament) FROM matches WHERE status = 'scheduled' AND tournament > {})"
EVENTS_WAITING = Sql.of(
    "WITH RECURSIVE step AS (SELECT {first} AS at UNION ALL SELECT {next} FROM step WHERE at IS NOT NULL) "
    "SELECT at FROM step WHERE at IS NOT NULL",
    first=_NEXT_EVENT.format(0),
    next=_NEXT_EVENT.format("step.at"),
)
COUNT_WAITING = Sql.of("SELECT count(*) FROM matches WHERE status = 'scheduled'")
EVENTS_OF = Sql.of("SELECT id, tournament, event FROM matches WHERE id {any}", any=ANY)
STILL = Sql.of("SELECT id, epoch FROM matches WHERE id {any} AND status = 'scheduled'", any=ANY)

_VOID = (Match.voided_at, Match.voided_by, Match.void_reason)
_ARCHIVED = (Match.archived_at, Match.archive)
_RECORD = (Match.id, Match.record, *_VOID, *_ARCHIVED)
_MADE = ("bots", "scores", "void", "archived")  # computed from other columns
_LISTED = [*(getattr(Match, field.name) for field in fields(MatchRow) if field.name not in _MADE), *_VOID, *_ARCHIVED]
_WITHOUT = [column for column in _LISTED if column is not Match.detail]  # of tables that have none
_OTHER = {column.key for column in (*_VOID, *_ARCHIVED)}

# Prepared once: after a restart a thousand bots ask at the same time for the results that they missed.
_NEWEST = select(Seat.match).where(Seat.bot == bindparam("bot")).order_by(Seat.match.desc()).limit(RECENT)
_ENDED, _ENDED_WITHOUT = (
    select(*columns)
    .where(
        Match.id.in_(_NEWEST) | Match.id.in_(_NEWEST.where(Seat.outcome.is_not(None))),
        Match.finished_at >= bindparam("moment"),
    )
    .order_by(Match.finished_at.desc(), Match.id.desc())
    .limit(bindparam("most"))
    for columns in (_LISTED, _WITHOUT)
)
_SEATS = (
    select(Seat.match, Seat.bot, Seat.score)
    .where(Seat.match.in_(bindparam("matches", expanding=True)))
    .order_by(Seat.match, Seat.seat)
)


class Matches(StorePart):
    """Scheduling and reading of matches."""

    @shielded
    async def schedule(
        self, setup: Setup, *, tournament: int | None = None, round_: int = 0, event: str = "", by: Actor | None = None
    ) -> str:
        """Schedule a match and return its identity. With `by`, the audit log gets a line.

        Raises StoreError, NotFound for an unknown tournament.
        """
        async with self._database.write() as connection:
            if tournament is not None:
                known = await connection.scalar(select(Tournament.id).where(Tournament.id == tournament))
                if known is None:
                    raise NotFound(f"there is no tournament {tournament}; create it first")
            [match] = await self._insert(connection, [(round_, setup)], tournament, event)
            if by is not None:
                await log_acts(connection, by, Act("match scheduled", f"match {match}", _about(setup)))
        return match

    @shielded
    async def schedule_many(self, setups: Sequence[Setup], *, event: str = "") -> list[str]:
        """Schedule matches in one transaction and return their identities. Raises StoreError."""
        if not setups:
            return []
        async with self._database.write() as connection:
            return await self._insert(connection, [(0, setup) for setup in setups], None, event)

    async def waiting(self, limit: int, *, tournament: int | None = None) -> list[WaitingMatch]:
        """Return the scheduled matches, oldest first, at most `limit`; of one tournament only, if given.

        Beyond the limit come the oldest `EACH` of every tournament, so that one with many hides no other.
        """
        rows = await self._database.query(lambda connection: _waiting(connection, limit, tournament))
        return [
            WaitingMatch(match, game, (seat0, *bots_of(others)), event) for match, game, seat0, others, event in rows
        ]

    async def events_of(self, matches: Collection[str]) -> dict[str, tuple[int | None, str]]:
        """Return the tournament of each match, and the name of its event."""
        asked = tuple(matches)
        rows = await self._database.query(lambda connection: connection.rows(EVENTS_OF, (connection.list_(asked),)))
        return {match: (tournament, event) for match, tournament, event in rows}

    async def count_waiting(self) -> int:
        """Return how many matches are scheduled and not claimed, in the whole database."""
        ((count,),) = await self._database.query(lambda connection: connection.rows(COUNT_WAITING, ()))
        return int(count)

    async def still_waiting(self, matches: Collection[str]) -> dict[str, int]:
        """Return those of `matches` that are scheduled, with the epoch of each."""
        asked = tuple(matches)
        return dict(await self._database.query(lambda connection: connection.rows(STILL, (connection.list_(asked),))))

    @property
    def _listed(self) -> list[Any]:
        return _LISTED if self._database.has_details else _WITHOUT

    @shielded
    async def match(self, match: str) -> MatchRow | None:
        """Return the match, or None if there is none with this identity."""
        async with self._database.read() as connection:
            rows = await _rows(connection, select(*self._listed).where(Match.id == match))
        return rows[0] if rows else None

    @shielded
    async def still_open(self, matches: Collection[str]) -> set[str]:
        """Return those of `matches` that are scheduled or running."""
        found: set[str] = set()
        asked = sorted(matches)
        async with self._database.read() as connection:
            for begin in range(0, len(asked), _ASKED):
                some = asked[begin : begin + _ASKED]
                wanted = select(Match.id).where(Match.id.in_(some), Match.status.in_(("scheduled", "running")))
                found.update((await connection.execute(wanted)).scalars())
        return found

    @shielded
    async def matches(
        self,
        game: str | None = None,
        bot: str | None = None,
        status: Status | None = None,
        tournament: int | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[MatchRow]:
        """Return the newest matches first, at most `limit`; with `before`, those older than that match."""
        wanted = select(*self._listed).order_by(Match.id.desc()).limit(limit)
        for column, value in ((Match.game, game), (Match.status, status), (Match.tournament, tournament)):
            if value is not None:
                wanted = wanted.where(column == value)
        if bot is not None:
            seats = select(Seat.match).where(Seat.bot == bot)
            if before is not None:
                seats = seats.where(Seat.match < before)
            wanted = wanted.where(Match.id.in_(seats))
        if before is not None:
            wanted = wanted.where(Match.id < before)
        async with self._database.read() as connection:
            return await _rows(connection, wanted)

    @shielded
    async def ended_since(self, bot: str, moment: datetime, limit: int) -> list[MatchRow]:
        """Return the bot's newest `limit` matches that were finished or aborted since `moment`, oldest first.

        Only its `RECENT` newest matches are searched, and as many of its newest finished, rated ones, because an event
        may schedule thousands at once.
        """
        async with self._database.read() as connection:
            ended = _ENDED if self._database.has_details else _ENDED_WITHOUT
            return (await _rows(connection, ended, {"bot": bot, "moment": moment, "most": limit}))[::-1]

    async def record(self, match: str) -> Record | None:
        """Return the whole record of a finished match; None if it is not finished, or unknown. Raises Archived."""
        found = await self._found(match)
        if found is not None and (place := place_of(found)) is not None:
            raise Archived(match, place)
        return None if found is None else _read(found)

    async def outline(self, match: str) -> Record | None:
        """Return the record of a finished match; of an archived one without plies and rejected moves."""
        found = await self._found(match)
        return None if found is None else _read(found)

    @shielded
    async def _found(self, match: str) -> Any:
        async with self._database.read() as connection:
            found = (await connection.execute(select(*_RECORD).where(Match.id == match))).one_or_none()
        return None if found is None or found.record is None else found

    async def records(self, game: str | None = None) -> AsyncIterator[Record | Unreadable]:
        """Yield the records of all finished matches, oldest first; for a damaged one, its error.

        Archived matches are left out. No transaction stays open between two of them.
        """
        after = ""
        while page := await self._page(after, game):
            for found in page:
                if found.archived_at is None:
                    yield _record(found)
            after = page[-1].id

    @shielded
    async def _page(self, after: str, game: str | None) -> Sequence[Any]:
        async with self._database.read() as connection:
            return await page_of_records(connection, after, game)

    async def _rows_of(self, connection: AsyncConnection, ids: Select[str]) -> list[MatchRow]:
        """Return the matches that `ids` finds, in its order."""
        found = list((await connection.execute(ids)).scalars())
        rows = {row.id: row for row in await _rows(connection, select(*self._listed).where(Match.id.in_(found)))}
        return [rows[match] for match in found if match in rows]

    async def _insert(
        self,
        connection: AsyncConnection,
        setups: Sequence[tuple[int, Setup]],
        tournament: int | None,
        event: str,
        places: Sequence[tuple[int, int]] | None = None,
    ) -> list[str]:
        """Insert matches; `places` has the encounter of each, and which of its games it is."""
        created = now()
        checked("the event", event)
        ids = [self._ids.next() for _ in setups]
        at: Sequence[tuple[int | None, int | None]] = places or [(None, None)] * len(setups)
        seats = [
            {"match": match, "seat": seat, "bot": bot}
            for match, (_, setup) in zip(ids, setups, strict=True)
            for seat, bot in enumerate(_distinct(setup.bots))
        ]
        matches = [
            {
                "id": match,
                "game": checked("the game", setup.game, empty=False),
                "status": "scheduled",
                "seat0": setup.bots[0],
                "others": others_of(setup.bots),
                "tournament": tournament,
                "round": round_,
                "event": event,
                "created_at": created,
                "epoch": 0,
                "setup": pack("the setup", setup, packed=self._database.packs),
                "encounter": encounter,
                "number": game,
                "rated": setup.rated,
            }
            for match, (round_, setup), (encounter, game) in zip(ids, setups, at, strict=True)
        ]
        await connection.execute(insert(Match), matches)
        await connection.execute(insert(Seat), seats)
        return ids


def _waiting(connection: Connection, limit: int, tournament: int | None) -> list[Any]:
    if tournament is not None:
        return connection.rows(WAITING_OF, (tournament, limit))
    rows = connection.rows(WAITING, (limit,))
    if len(rows) < limit:
        return rows
    events = [event for (event,) in connection.rows(EVENTS_WAITING)]
    more = [row for event in events for row in connection.rows(WAITING_OF, (event, min(limit, EACH)))]
    return sorted({row[0]: row for row in map(tuple, (*rows, *more))}.values())


async def page_of_records(connection: AsyncConnection, after: str, game: str | None) -> Sequence[Any]:
    """Return the next finished matches after the identity `after`, a few megabytes of them: rows of `_RECORD`."""
    wanted = select(Match.id, func.length(Match.record)).where(Match.status == "finished", Match.id > after)
    if game is not None:
        wanted = wanted.where(Match.game == game)
    ids: list[str] = []
    size = 0
    for match, length in await connection.execute(wanted.order_by(Match.id).limit(_PAGE)):
        size += length
        if ids and size > _PAGE_BYTES:
            break
        ids.append(match)
    if not ids:
        return ()
    return (await connection.execute(select(*_RECORD).where(Match.id.in_(ids)).order_by(Match.id))).all()


def _record(found: Any) -> Record | Unreadable:
    try:
        return _read(found)
    except Unreadable as error:
        return error


def _read(found: Any) -> Record:
    """Read a row of `_RECORD`. The record is unchanged; a void match gets its mark."""
    if found.archived_at is not None:
        record = read_outline(found.id, found.record).record
    else:
        record = unpack(f"the record of match {found.id}", found.record, Record)
    void = _void(found)
    return record if void is None else msgspec.structs.replace(record, void=void)


def _void(found: Any) -> Void | None:
    if found.voided_at is None:
        return None
    return Void(found.void_reason or "", found.voided_by or "", found.voided_at)


def _about(setup: Setup) -> str:
    return f"{setup.game}: {', '.join(setup.bots)}"


def _distinct(bots: Sequence[str]) -> Sequence[str]:
    if not bots:
        raise StoreError("a match needs a bot in each seat; this setup has none")
    if len(set(bots)) < len(bots):
        raise StoreError(f"the bots of a match all differ; this setup has {', '.join(bots)}")
    for bot in bots:
        checked("the bot", bot, empty=False)
    return bots


async def _rows(
    connection: AsyncConnection, wanted: Select[Any], asked: Mapping[str, Any] | None = None
) -> list[MatchRow]:
    found = (await connection.execute(wanted, asked)).all()
    if not found:
        return []
    seats: dict[str, list[Any]] = {row.id: [] for row in found}
    for seat in await connection.execute(_SEATS, {"matches": list(seats)}):
        seats[seat.match].append(seat)
    return [_row(row, seats[row.id]) for row in found]


def _row(row: Any, seats: Sequence[Any]) -> MatchRow:
    setup = unpack(f"the setup of match {row.id}", row.setup, Setup)
    scores = tuple(seat.score for seat in seats) if row.status == "finished" else None
    own = {name: value for name, value in row._asdict().items() if name not in _OTHER}
    bots = tuple(seat.bot for seat in seats)
    return MatchRow(**{**own, "setup": setup}, bots=bots, scores=scores, void=_void(row), archived=place_of(row))
