"""Tournaments: an event, its entrants, and all of its matches from the start."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import msgspec
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.errors import StoreError
from palio_db.matches import Matches
from palio_db.models import Entry, Match, Tournament
from palio_db.packing import checked, now, pack
from palio_db.store_part import shielded
from palio_db.values import Status, TournamentRow
from palio_rules.records.record import Setup


class Tournaments(Matches):
    """Making tournaments and looking at them."""

    @shielded
    async def create_tournament(
        self, name: str, game: str, settings: Mapping[str, Any], setups: Sequence[tuple[int, Setup]]
    ) -> int:
        """Make a tournament with all its matches, given as (round, setup) in the order of play; its number."""
        if stray := next((setup.game for _, setup in setups if setup.game != game), None):
            raise StoreError(f"a tournament of {game} has a match of {stray}; make one for each game")
        line = {
            "name": checked("the tournament", name, empty=False),
            "game": checked("the game", game, empty=False),
            "settings": pack("the settings", dict(settings)),
            "created_at": now(),
        }
        bots = dict.fromkeys(bot for _, setup in setups for bot in setup.bots)
        async with self._database.write() as connection:
            number = (await connection.execute(insert(Tournament).values(line).returning(Tournament.id))).scalar_one()
            if setups:
                entries = [{"tournament": number, "number": place, "bot": bot} for place, bot in enumerate(bots)]
                await self._insert(connection, setups, number, name)
                await connection.execute(insert(Entry), entries)
        return number

    @shielded
    async def tournaments(self, limit: int = 50) -> list[TournamentRow]:
        """The newest tournaments first."""
        async with self._database.read() as connection:
            found = await connection.execute(select(Tournament.__table__).order_by(Tournament.id.desc()).limit(limit))
            return await _rows(connection, found.all())

    @shielded
    async def tournament(self, number: int) -> TournamentRow | None:
        """The tournament, or None if there is none of this number."""
        async with self._database.read() as connection:
            found = await connection.execute(select(Tournament.__table__).where(Tournament.id == number))
            rows = await _rows(connection, found.all())
        return rows[0] if rows else None


async def _rows(connection: AsyncConnection, found: Sequence[Any]) -> list[TournamentRow]:
    numbers = [row.id for row in found]
    bots: dict[int, list[str]] = {number: [] for number in numbers}
    for number, bot in await connection.execute(
        select(Entry.tournament, Entry.bot)
        .where(Entry.tournament.in_(numbers))
        .order_by(Entry.tournament, Entry.number)
    ):
        bots[number].append(bot)
    counts: dict[tuple[int | None, str], int] = {}
    for line in await connection.execute(
        select(Match.tournament, Match.status, func.count().label("matches"))
        .where(Match.tournament.in_(numbers))
        .group_by(Match.tournament, Match.status)
    ):
        counts[line.tournament, line.status] = line.matches
    return [
        TournamentRow(
            id=row.id,
            name=row.name,
            game=row.game,
            settings=msgspec.json.decode(row.settings),
            bots=tuple(bots[row.id]),
            created_at=row.created_at,
            **{status: counts.get((row.id, status), 0) for status in get_args(Status)},
        )
        for row in found
    ]
