"""Encounters of an event: plans, the matches of each, and forfeits.

A number is planned once, and each of its games scheduled once, by any processes: the primary key and a unique index
enforce it. A plan and its matches are written in one transaction.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import delete, exists, insert, null, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.columns import checked
from palio_db.errors import AlreadyPlanned, NotFound, StoreError
from palio_db.event_values import EncounterRow, EventMatch, Plan
from palio_db.matches import Matches
from palio_db.models import JournalRow, Match, PlannedEncounter, Seat, Tournament
from palio_db.store_part import shielded
from palio_rules.records.record import Setup


class Encounters(Matches):
    """Planning of encounters, scheduling and unscheduling of their matches."""

    @shielded
    async def plan(
        self, number: int, rows: Sequence[EncounterRow], matches: Sequence[tuple[int, int, Setup]], event: str
    ) -> list[str]:
        """Store planned encounters of tournament `number` and schedule `matches`: (encounter, game, setup), in order.

        Returns the identities of the matches. Raises AlreadyPlanned if an encounter exists, NotFound, StoreError.
        """
        async with self._database.write() as connection:
            await self._check(connection, number, rows, matches)
            if rows:
                await connection.execute(insert(PlannedEncounter), [_line(number, row) for row in rows])
            if not matches:
                return []
            rounds = await _rounds(connection, number, [encounter for encounter, _, _ in matches])
            setups = [(rounds[encounter], setup) for encounter, _, setup in matches]
            places = [(encounter, game) for encounter, game, _ in matches]
            return await self._insert(connection, setups, number, event, places)

    async def _check(
        self,
        connection: AsyncConnection,
        number: int,
        rows: Sequence[EncounterRow],
        matches: Sequence[tuple[int, int, Setup]],
    ) -> None:
        # Locked, so that a concurrent planner of the same event waits, and then sees this plan.
        found = await connection.execute(select(Tournament.game).where(Tournament.id == number).with_for_update())
        if (game := found.scalar_one_or_none()) is None:
            raise NotFound(f"there is no tournament {number}; create it first")
        if stray := next((setup.game for _, _, setup in matches if setup.game != game), None):
            raise StoreError(f"a tournament of {game} has a match of {stray}; make one for each game")
        planned = select(PlannedEncounter.number).where(
            PlannedEncounter.tournament == number, PlannedEncounter.number.in_([row.number for row in rows])
        )
        if (again := (await connection.execute(planned)).scalars().first()) is not None:
            raise AlreadyPlanned(f"encounter {again} of tournament {number} is planned already; read the event again")
        there = select(Match.encounter, Match.number).where(
            Match.tournament == number, Match.encounter.in_({encounter for encounter, _, _ in matches})
        )
        taken = {(encounter, game) for encounter, game in await connection.execute(there)}
        if twice := next((place for place in matches if place[:2] in taken), None):
            what = f"game {twice[1] + 1} of encounter {twice[0]} of tournament {number}"
            raise AlreadyPlanned(f"{what} is scheduled already; read the event again")

    @shielded
    async def encounters(self, number: int) -> list[EncounterRow]:
        """Return the planned encounters of tournament `number`, in order."""
        wanted = select(PlannedEncounter.__table__).where(PlannedEncounter.tournament == number)
        async with self._database.read() as connection:
            found = (await connection.execute(wanted.order_by(PlannedEncounter.number))).all()
        return [_row(row) for row in found]

    @shielded
    async def event_matches(self, number: int, *, of: Sequence[str] | None = None) -> list[EventMatch]:
        """Return the matches of its encounters, oldest first; with `of`, only matches with these identities.

        For an event a void match is the same as an aborted one: it is over without a result.
        """
        detail = Match.detail if self._database.has_details else null().label("detail")
        wanted = select(
            *(Match.id, Match.encounter, Match.number, Match.status, Match.termination, Match.plies, Match.voided_at),
            detail,
        ).where(Match.tournament == number, Match.encounter.is_not(None))
        seats = select(Seat.match, Seat.bot, Seat.score, Seat.ms, Seat.cost).join(Match, Match.id == Seat.match)
        seats = seats.where(Match.tournament == number, Match.encounter.is_not(None))
        if of is not None:
            wanted, seats = wanted.where(Match.id.in_(of)), seats.where(Match.id.in_(of))
        async with self._database.read(snapshot=True) as connection:
            found = (await connection.execute(wanted.order_by(Match.id))).all()
            sitting: dict[str, list[Any]] = {row.id: [] for row in found}
            for seat in await connection.execute(seats.order_by(Seat.match, Seat.seat)):
                sitting[seat.match].append(seat)
        return [_match(row, sitting[row.id]) for row in found]

    @shielded
    async def forfeit(self, number: int, encounter: int, bot: str) -> list[str]:
        """Let `bot` forfeit the unfinished matches of an encounter; return the unscheduled matches. Raises NotFound.

        A match that has begun stays.
        """
        async with self._database.write() as connection:
            row = await _planned(connection, number, encounter)
            await _put(connection, number, encounter, forfeits=_names({*row.forfeits, bot}))
            return await _take_off(connection, number, encounter)

    @shielded
    async def replan(self, number: int, row: EncounterRow) -> list[str]:
        """Replace the bots of an encounter, such as a heat that is run without a bot; return the unscheduled matches.

        Raises NotFound.
        """
        async with self._database.write() as connection:
            await _planned(connection, number, row.number)
            await _put(connection, number, row.number, bots=msgspec.json.encode(row.plan.bots).decode())
            return await _take_off(connection, number, row.number)

    @shielded
    async def unschedule(self, number: int) -> list[str]:
        """Unschedule all matches that have not begun and return them; their encounters stay planned."""
        async with self._database.write() as connection:
            return await _take_off(connection, number)


async def _take_off(connection: AsyncConnection, number: int, encounter: int | None = None) -> list[str]:
    begun = exists().where(JournalRow.match == Match.id)
    unbegun = select(Match.id).where(Match.tournament == number, Match.status == "scheduled", ~begun)
    unbegun = unbegun.where(Match.encounter.is_not(None) if encounter is None else Match.encounter == encounter)
    ids = list((await connection.execute(unbegun.with_for_update())).scalars())
    if ids:
        await connection.execute(delete(Seat).where(Seat.match.in_(ids)))
        await connection.execute(delete(Match).where(Match.id.in_(ids)))
    return ids


async def _planned(connection: AsyncConnection, number: int, encounter: int) -> EncounterRow:
    wanted = select(PlannedEncounter.__table__).where(
        PlannedEncounter.tournament == number, PlannedEncounter.number == encounter
    )
    found = (await connection.execute(wanted.with_for_update())).one_or_none()
    if found is None:
        raise NotFound(f"tournament {number} has no encounter {encounter}")
    return _row(found)


async def _put(connection: AsyncConnection, number: int, encounter: int, **values: str) -> None:
    place = (PlannedEncounter.tournament == number, PlannedEncounter.number == encounter)
    await connection.execute(update(PlannedEncounter).where(*place).values(values))


async def _rounds(connection: AsyncConnection, number: int, encounters: Sequence[int]) -> Mapping[int, int]:
    wanted = select(PlannedEncounter.number, PlannedEncounter.round).where(
        PlannedEncounter.tournament == number, PlannedEncounter.number.in_(set(encounters))
    )
    rounds = {row.number: row.round for row in await connection.execute(wanted)}
    if missing := set(encounters) - rounds.keys():
        raise NotFound(f"tournament {number} has no encounter {min(missing)}")
    return rounds


def _names(bots: set[str]) -> str:
    return msgspec.json.encode(sorted(bots)).decode()


def _line(tournament: int, row: EncounterRow) -> dict[str, Any]:
    plan = row.plan
    if not plan.bots or len(set(plan.bots)) < len(plan.bots):
        raise StoreError(f"encounter {row.number} needs different bots, got {', '.join(plan.bots) or 'none'}")
    return {
        "tournament": tournament,
        "number": row.number,
        "round": plan.round,
        "board": plan.board,
        "bots": msgspec.json.encode(plan.bots).decode(),
        "games": plan.games,
        "opening": plan.opening,
        "kind": plan.kind,
        "part": checked("the part of the event", plan.part),
        "forfeits": _names(set(row.forfeits)),
    }


def _row(row: Any) -> EncounterRow:
    bots = tuple(msgspec.json.decode(row.bots, type=list[str]))
    plan = Plan(row.round, row.board, bots, row.games, row.opening, row.kind, row.part)
    return EncounterRow(row.number, plan, frozenset(msgspec.json.decode(row.forfeits, type=list[str])))


def _match(row: Any, seats: Sequence[Any]) -> EventMatch:
    done = row.status == "finished" and row.voided_at is None
    costs = tuple(seat.cost for seat in seats)
    return EventMatch(
        match=row.id,
        encounter=row.encounter,
        game=row.number,
        bots=tuple(seat.bot for seat in seats),
        status="aborted" if row.voided_at is not None else row.status,
        scores=tuple(seat.score for seat in seats) if done else None,
        ms=tuple(seat.ms or 0 for seat in seats) if done else (),
        costs=costs if done and any(cost is not None for cost in costs) else None,
        fought=not done or bool(row.plies) or row.termination == "rule",
        termination=row.termination if done else None,
        detail=row.detail if done else None,
    )
