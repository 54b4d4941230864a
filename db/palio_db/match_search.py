"""Search for matches: by bot, by opponent, by outcome, by day, by a part of a name.

A name is looked up first, among bots and events; then the newest matches of each are merged, so that a rare name needs
no scan of all matches. Likewise, matches of two bots are those of each game that they played together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Select, literal, select, text
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import InstrumentedAttribute

from palio_db.matches import Matches
from palio_db.meetings import games_of
from palio_db.models import Match, Meeting, ProfileRow, RatingRow, Seat, Tournament
from palio_db.profiles import containing
from palio_db.store_part import ALPHABET, shielded
from palio_db.values import MatchRow, Status

LAST_MS = 2**45 - 1  # of an identity: the year 3084
NAMES = 20  # bots, and events, in one search


@dataclass(frozen=True, slots=True)
class MatchQuery:
    """A filter of matches.

    `outcomes` and `seat` are those of `bot`, `board` goes with its `game`; `since` and `until` are about the time of
    creation.
    """

    game: str | None = None
    board: str | None = None  # only matches that count for this leaderboard, of that game
    bot: str | None = None
    against: str | None = None
    status: Status | None = None
    tournament: int | None = None
    event: str | None = None
    terminations: Sequence[str] = ()
    outcomes: Sequence[str] = ()
    seat: int | None = None
    since: datetime | None = None  # the first moment that counts
    until: datetime | None = None  # the first moment that no longer counts
    rated: bool | None = None
    q: str = ""
    before: str | None = None


class MatchSearch(Matches):
    """Lists of matches, the newest first."""

    @shielded
    async def search(self, query: MatchQuery, limit: int = 50) -> list[MatchRow]:
        """Return at most `limit` matches, the newest first; with `before`, those older than that match."""
        if query.bot is None and query.against is not None:
            query = replace(query, bot=query.against, against=None)
        async with self._database.read() as connection:
            sources = [query] if not query.q else await _sources(connection, query)
            if self._database.has_meetings:
                sources = [each for source in sources for each in await _by_game(connection, source)]
            sources = [each for source in sources for each in await _by_board(connection, source)]
            if len(sources) == 1:
                return await self._rows_of(connection, _ids(sources[0], limit, met=self._database.has_meetings))
            found = [await self._newest(connection, each, limit) for each in sources]
            ids = list(islice(dict.fromkeys(merge(*found, reverse=True)), limit))
            return await self._rows_of(connection, select(Match.id).where(Match.id.in_(ids)).order_by(Match.id.desc()))

    async def _newest(self, connection: AsyncConnection, query: MatchQuery, limit: int) -> list[str]:
        return list((await connection.execute(_ids(query, limit, met=self._database.has_meetings))).scalars())


async def _by_game(connection: AsyncConnection, query: MatchQuery) -> list[MatchQuery]:
    """Return the query for each game that its two bots played together: `meetings` is sorted by game."""
    if query.bot is None or query.against is None or query.game is not None:
        return [query]
    return [replace(query, game=game) for game in await games_of(connection, query.bot, query.against)]


async def _by_board(connection: AsyncConnection, query: MatchQuery) -> list[MatchQuery]:
    """Return the query for each leaderboard that the bot's matches of the game count for: the index of outcomes is
    sorted by leaderboard.
    """
    if query.bot is None or query.game is None or query.against or query.board or not query.outcomes:
        return [query]
    rated = (await connection.execute(select(RatingRow.game).where(RatingRow.bot == query.bot))).scalars()
    return [replace(query, board=board) for board in rated if board.partition(":")[0] == query.game] or [query]


async def _sources(connection: AsyncConnection, query: MatchQuery) -> list[MatchQuery]:
    """Return the same query for each bot and each event whose name contains `q`."""
    pattern, plain = containing(query.q), replace(query, q="")
    like: Any = lambda column: column.ilike(pattern, escape="!")  # noqa: E731
    named = select(RatingRow.bot).where(like(RatingRow.bot)).union(select(ProfileRow.bot).where(like(ProfileRow.bot)))
    bots = (await connection.execute(named.limit(NAMES))).scalars()
    wanted = select(Tournament.id).where(like(Tournament.name)).order_by(Tournament.id.desc()).limit(NAMES)
    events = (await connection.execute(wanted)).scalars()
    found = [replace(plain, against=bot) if query.bot else replace(plain, bot=bot) for bot in bots if bot != query.bot]
    if query.bot and query.against:  # both seats are named: only events remain to be searched
        found = []
    return found + [replace(plain, tournament=event) for event in events if query.tournament in (None, event)]


def _ids(query: MatchQuery, limit: int, *, met: bool) -> Select[str]:
    """Return the SELECT of identities; `met`: there is the table `meetings`, and a query of two bots has a game."""
    if met and query.bot is not None and query.against is not None:
        return _ids_of_two(query, query.bot, query.against, limit)
    wanted, order = select(Match.id), Match.id
    conditions = _of_match(query)
    if query.board is not None and query.bot is None:
        counted = select(Seat.match).where(Seat.match == Match.id, Seat.seat == 0, Seat.game == query.board)
        conditions.append(counted.correlate(Match).exists())
    if query.bot is not None:
        wanted, order = wanted.join(Seat, Seat.match == Match.id), Seat.match
        conditions += [Seat.bot == query.bot, *_of_seat(query)]
    if query.against is not None:
        other = select(Seat.match).where(Seat.bot == query.against, Seat.match == Match.id)
        conditions.append(other.correlate(Match).exists())
    return wanted.where(*conditions, *_when(order, query)).order_by(order.desc()).limit(limit)


def _ids_of_two(query: MatchQuery, bot: str, other: str, limit: int) -> Select[str]:
    """Return the same SELECT for two bots.

    What else is asked is looked up for one match after the other: in a join, SQLite would begin with all finished
    matches.
    """
    first, second = sorted((bot, other))
    conditions = [Meeting.first == first, Meeting.second == second, Meeting.game == query.game]
    for identity, asked in ((Match.id, _of_match(query)), (Seat.match, [Seat.bot == bot, *_of_seat(query)])):
        looked_up = select(literal(1)).where(identity == Meeting.match, *asked).correlate(Meeting)
        conditions.append(looked_up.scalar_subquery() == 1)
    order = Meeting.match
    return select(order).where(*conditions, *_when(order, query)).order_by(order.desc()).limit(limit)


def _of_seat(query: MatchQuery) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if query.outcomes:
        conditions += [Seat.outcome.in_(query.outcomes), Seat.outcome.is_not(None)]
    if query.board is not None:
        conditions.append(Seat.game == query.board)
    if query.seat is not None:
        conditions.append(Seat.seat == query.seat)
    return conditions


def _of_match(query: MatchQuery) -> list[ColumnElement[bool]]:
    equal = (
        (Match.game, query.game),
        (Match.status, query.status),
        (Match.tournament, query.tournament),
        (Match.event, query.event),
        (Match.rated, query.rated),
    )
    conditions = [column == value for column, value in equal if value is not None]
    if query.terminations:
        conditions.append(Match.termination.in_(query.terminations))
        if "rule" not in query.terminations:
            conditions.append(text("matches.termination <> 'rule'"))  # type: ignore[arg-type]  # as its index says
    return conditions


def _when(order: InstrumentedAttribute[str], query: MatchQuery) -> Iterator[ColumnElement[bool]]:
    if query.before is not None:
        yield order < query.before
    if query.since is not None:
        yield order >= _first_id(query.since)
    if query.until is not None:
        yield order < _first_id(query.until)


def _first_id(moment: datetime) -> str:
    """Return the least identity that a match created at `moment` may have: see `store_part.MatchIds`."""
    number = min(max(0, int(moment.timestamp() * 1000)), LAST_MS) << 35
    return "".join(ALPHABET[number >> shift & 31] for shift in range(75, -1, -5))
