"""The matches before and after another: of its event, or else of the same bots."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.models import Match, Seat
from palio_db.store_part import StorePart, shielded


@dataclass(frozen=True, slots=True)
class MatchPlace:
    """Where a match stands: its encounter in its event, which of its games it is from 0, and who stands beside it."""

    encounter: int | None = None
    number: int | None = None
    previous: str | None = None
    next: str | None = None


class Places(StorePart):
    """Looking from a match to those beside it."""

    @shielded
    async def place(self, match: str) -> MatchPlace:
        """Games of an event come as they were planned, round by round; others of the same bots by age."""
        async with self._database.read() as connection:
            wanted = select(Match.game, Match.tournament, Match.encounter, Match.number).where(Match.id == match)
            row = (await connection.execute(wanted)).one_or_none()
            if row is None:
                return MatchPlace()
            if row.tournament is None or row.encounter is None:
                bots = (await connection.execute(select(Seat.bot).where(Seat.match == match))).scalars()
                beside = select(Match.id).where(Match.game == row.game, *(_played_by(bot) for bot in bots))
                here: tuple[Any, Any] = (Match.id, match)
                order: tuple[Any, ...] = (Match.id,)
            else:
                beside = select(Match.id).where(Match.tournament == row.tournament, Match.encounter.is_not(None))
                here = (tuple_(Match.encounter, Match.number), tuple_(row.encounter, row.number))
                order = (Match.encounter, Match.number)
            before = beside.where(here[0] < here[1]).order_by(*(column.desc() for column in order))
            after = beside.where(here[0] > here[1]).order_by(*order)
            return MatchPlace(
                row.encounter, row.number, await _first(connection, before), await _first(connection, after)
            )


def _played_by(bot: str) -> ColumnElement[bool]:
    return Match.id.in_(select(Seat.match).where(Seat.bot == bot))


async def _first(connection: AsyncConnection, wanted: Select[Any]) -> str | None:
    found: str | None = (await connection.execute(wanted.limit(1))).scalar_one_or_none()
    return found
