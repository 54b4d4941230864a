"""Looking for matches: by bot, by opponent, by how they ended, by day, by a part of a name.

A name that is searched for is looked up first, among bots and events; then the newest matches of each are merged, so
that a rare name needs no walk through all matches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Select, select, text
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import InstrumentedAttribute

from palio_db.matches import Matches, rows_of
from palio_db.models import Match, ProfileRow, RatingRow, Seat, Tournament
from palio_db.profiles import containing
from palio_db.store_part import ALPHABET, shielded
from palio_db.values import MatchRow, Status

LAST_MS = 2**45 - 1  # of an identity: the year 3084
NAMES = 20  # bots, and events, that one search looks at


@dataclass(frozen=True, slots=True)
class MatchQuery:
    """Which matches. `outcomes` and `seat` are those of `bot`; `since` and `until` are about when a match was made."""

    game: str | None = None
    bot: str | None = None
    against: str | None = None
    status: Status | None = None
    tournament: int | None = None
    event: str | None = None
    terminations: Sequence[str] = ()
    outcomes: Sequence[str] = ()
    seat: int | None = None
    since: datetime | None = None  # the first moment that counts,
    until: datetime | None = None  # and the first one that does not
    rated: bool | None = None
    q: str = ""
    before: str | None = None


class MatchSearch(Matches):
    """Lists of matches, the newest first."""

    @shielded
    async def search(self, query: MatchQuery, limit: int = 50) -> list[MatchRow]:
        """At most `limit` matches, the newest first; with `before`, those older than that one."""
        async with self._database.read() as connection:
            if not query.q:
                return await rows_of(connection, _ids(query, limit))
            found = [await _newest(connection, each, limit) for each in await _sources(connection, query)]
            ids = list(islice(dict.fromkeys(merge(*found, reverse=True)), limit))
            return await rows_of(connection, select(Match.id).where(Match.id.in_(ids)).order_by(Match.id.desc()))


async def _newest(connection: AsyncConnection, query: MatchQuery, limit: int) -> list[str]:
    return list((await connection.execute(_ids(query, limit))).scalars())


async def _sources(connection: AsyncConnection, query: MatchQuery) -> list[MatchQuery]:
    """The same query for each bot and each event whose name has `q` in it."""
    pattern, plain = containing(query.q), replace(query, q="")
    like: Any = lambda column: column.ilike(pattern, escape="!")  # noqa: E731
    named = select(RatingRow.bot).where(like(RatingRow.bot)).union(select(ProfileRow.bot).where(like(ProfileRow.bot)))
    bots = (await connection.execute(named.limit(NAMES))).scalars()
    wanted = select(Tournament.id).where(like(Tournament.name)).order_by(Tournament.id.desc()).limit(NAMES)
    events = (await connection.execute(wanted)).scalars()
    found = [replace(plain, against=bot) if query.bot else replace(plain, bot=bot) for bot in bots if bot != query.bot]
    if query.bot and query.against:  # both seats are named: what is left to search is the event
        found = []
    return found + [replace(plain, tournament=event) for event in events if query.tournament in (None, event)]


def _ids(query: MatchQuery, limit: int) -> Select[str]:
    wanted = select(Match.id)
    conditions: list[ColumnElement[bool]] = []
    if query.bot is not None:
        wanted = wanted.join(Seat, Seat.match == Match.id)
        conditions.append(Seat.bot == query.bot)
        if query.outcomes:
            conditions += [Seat.outcome.in_(query.outcomes), Seat.outcome.is_not(None)]
            if query.game is not None:
                conditions.append(Seat.game == query.game)
        if query.seat is not None:
            conditions.append(Seat.seat == query.seat)
    order = Match.id if query.bot is None else Seat.match
    conditions += _when(order, query)
    if query.against is not None:
        met = select(Seat.match).where(Seat.bot == query.against, Seat.match == Match.id)
        conditions.append(met.correlate(Match).exists())
    equal = (
        (Match.game, query.game),
        (Match.status, query.status),
        (Match.tournament, query.tournament),
        (Match.event, query.event),
        (Match.rated, query.rated),
    )
    conditions += [column == value for column, value in equal if value is not None]
    if query.terminations:
        conditions.append(Match.termination.in_(query.terminations))
        if "rule" not in query.terminations:
            conditions.append(text("matches.termination <> 'rule'"))  # type: ignore[arg-type]  # as its index says
    return wanted.where(*conditions).order_by(order.desc()).limit(limit)


def _when(order: InstrumentedAttribute[str], query: MatchQuery) -> Iterator[ColumnElement[bool]]:
    if query.before is not None:
        yield order < query.before
    if query.since is not None:
        yield order >= _first_id(query.since)
    if query.until is not None:
        yield order < _first_id(query.until)


def _first_id(moment: datetime) -> str:
    """The least identity that a match made at `moment` may have: see `store_part.Ids`."""
    number = min(max(0, int(moment.timestamp() * 1000)), LAST_MS) << 35
    return "".join(ALPHABET[number >> shift & 31] for shift in range(75, -1, -5))
