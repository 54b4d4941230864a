"""Who plays which match: claims under a lease with a fencing epoch, and the journal of what they have played.

A worker holds a match until its lease is over. Whoever claims it next raises `epoch`, and from then on every write of
the former holder finds nothing to change (Kleppmann, "Designing Data-Intensive Applications", 2017, on fencing
tokens). Rows are always locked in the order of their identities, so that no two transactions wait for each other.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from sqlalchemy import and_, case, exists, false, func, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import aliased
from sqlalchemy.sql.elements import ColumnElement

from palio_db.address import Kind
from palio_db.columns import DatabaseClock, names, upsert
from palio_db.models import JournalRow, Match, Seat
from palio_db.store_part import StorePart, checked, now, pack, shielded, unpack
from palio_db.values import Claim, JournalEntry
from palio_rules.records.record import Ply, RejectedMove, Setup

_CHUNK = 500  # rows in one statement: SQLite limits the parameters of a statement to 32,766

T = TypeVar("T")
Waiting = aliased(Match)  # the match to claim, as the claiming statement looks for it


class Claims(StorePart):
    """Claiming, keeping and giving back matches."""

    @shielded
    async def claim(
        self,
        worker: str,
        lease_s: float,
        *,
        free: Mapping[str, Collection[str]] | None = None,
        tournament: int | None = None,
    ) -> Claim | None:
        """Claim the oldest scheduled match all of whose bots are free; None if there is none.

        `free` maps a game to the bots that can play it now; None: any match will do. No two callers, in whatever
        processes, get the same match.
        """
        oldest = select(Waiting.id).where(Waiting.status == "scheduled")
        if free is not None:
            oldest = oldest.where(_playable(self._database.address.kind, free))
        if tournament is not None:
            oldest = oldest.where(Waiting.tournament == tournament)
        oldest = oldest.order_by(Waiting.id).limit(1).with_for_update(skip_locked=True)
        async with self._database.write() as connection:
            claims = await _take(connection, Match.id == oldest.scalar_subquery(), worker, lease_s)
        return claims[0] if claims else None

    @shielded
    async def claim_these(self, worker: str, lease_s: float, matches: Sequence[str]) -> list[Claim]:
        """Claim those of `matches` that are still scheduled, in one transaction; oldest first."""
        claims = []
        async with self._database.write() as connection:
            for chunk in _chunks(matches):
                still = select(Waiting.id).where(Waiting.id.in_(chunk), Waiting.status == "scheduled")
                still = still.order_by(Waiting.id).with_for_update(skip_locked=True)
                claims += await _take(connection, Match.id.in_(still), worker, lease_s)
        return sorted(claims, key=lambda claim: claim.match)

    @shielded
    async def reclaim(self, worker: str, lease_s: float, *, own: bool = True) -> list[Claim]:
        """Take over matches whose lease is over, each with its journal; oldest first.

        With `own`, also whatever runs under this worker's name: for a worker that has just started, and knows that
        its former self is dead.
        """
        lost = Match.lease_until < DatabaseClock()
        if own:
            lost = or_(lost, Match.worker == worker)
        held = select(Match.id).where(Match.status == "running", lost)
        claims = []
        async with self._database.write() as connection:
            ids = (await connection.scalars(held.order_by(Match.id).with_for_update(skip_locked=True))).all()
            for chunk in _chunks(ids):
                claims += await _take(connection, Match.id.in_(chunk), worker, lease_s)
        return sorted(claims, key=lambda claim: claim.match)

    @shielded
    async def renew(self, claims: Iterable[Claim], lease_s: float) -> set[str]:
        """Extend the leases of `claims` to `lease_s` seconds from now; the matches that are still held."""
        async with self._database.write() as connection:
            held = await _lock(connection, {(claim.match, claim.epoch) for claim in claims})
            kept = {match for match, _ in held}
            for chunk in _chunks(sorted(kept)):
                lease = DatabaseClock() + lease_s
                await connection.execute(update(Match).where(Match.id.in_(chunk)).values(lease_until=lease))
        return kept

    @shielded
    async def release(self, claim: Claim) -> bool:
        """Give a match back, to be claimed by anyone, with what the journal has of it; False if it was not held."""
        journaled = exists().where(JournalRow.match == Match.id)
        statement = (
            update(Match)
            .where(Match.id == claim.match, Match.epoch == claim.epoch, Match.status == "running")
            .values(
                status="scheduled",
                worker=None,
                lease_until=None,
                started_at=case((journaled, Match.started_at), else_=None),  # nothing played: it has not started
            )
        )
        async with self._database.write() as connection:
            return (await connection.execute(statement)).rowcount == 1

    @shielded
    async def journal(self, entries: Sequence[JournalEntry]) -> None:
        """Keep what has been played, of many matches in one transaction; twice is as good as once.

        Entries of matches that are no longer held under their epoch are left out: their worker learns of it when it
        renews or finishes.
        """
        rows = [_row(entry) for entry in entries]
        if not rows:
            return
        async with self._database.write() as connection:
            held = await _lock(connection, {(entry.match, entry.epoch) for entry in entries}, shared=True)
            kept = [row for row in rows if (row["match"], row["epoch"]) in held]
            if kept:
                await connection.execute(upsert(self._database.address.kind, JournalRow).on_conflict_do_nothing(), kept)


def _playable(kind: Kind, free: Mapping[str, Collection[str]]) -> ColumnElement[bool]:
    """Nobody in the match's seats is missing from the free ones.

    Written as CASE for one plan: walk the waiting matches by age until one fits; drop most by the bot in their first
    seat, look at the seats of the rest. Of conditions that stand side by side either database would make joins and
    sorts over all waiting matches, or over all matches of the game.
    """
    absent = select(func.count()).select_from(Seat).where(Seat.match == Waiting.id)
    whens = [
        (
            and_(Waiting.game == game, Waiting.seat0.in_(names(kind, bots))),
            absent.where(Seat.bot.not_in(names(kind, bots))).scalar_subquery() == 0,
        )
        for game, bots in free.items()
        if bots
    ]
    return case(*whens, else_=false()) if whens else false()


async def _take(connection: AsyncConnection, wanted: ColumnElement[bool], worker: str, lease_s: float) -> list[Claim]:
    statement = (
        update(Match)
        .where(wanted)
        .values(
            status="running",
            worker=checked("the worker", worker),
            lease_until=DatabaseClock() + lease_s,
            epoch=Match.epoch + 1,
            started_at=func.coalesce(Match.started_at, now()),
        )
        .returning(Match.id, Match.epoch, Match.setup, Match.event, Match.tournament, Match.started_at)
    )
    taken = (await connection.execute(statement)).all()
    again = [row.id for row in taken if row.epoch > 1]  # only these can have been played before
    journal: dict[str, list[Any]] = {row.id: [] for row in taken}
    if again:
        for line in await connection.execute(
            select(JournalRow.match, JournalRow.kind, JournalRow.body)
            .where(JournalRow.match.in_(again))
            .order_by(JournalRow.match, JournalRow.kind, JournalRow.number)
        ):
            journal[line.match].append(line)
    return [_claim(row, journal[row.id]) for row in taken]


def _claim(row: Any, journal: Sequence[Any]) -> Claim:
    what = f"the journal of match {row.id}"
    return Claim(
        match=row.id,
        epoch=row.epoch,
        setup=unpack(f"the setup of match {row.id}", row.setup, Setup),
        event=row.event,
        tournament=row.tournament,
        started_at=row.started_at,
        journal=tuple(unpack(what, line.body, Ply) for line in journal if line.kind == "ply"),
        refusals=tuple(unpack(what, line.body, RejectedMove) for line in journal if line.kind == "refusal"),
    )


async def _lock(
    connection: AsyncConnection, claims: Collection[tuple[str, int]], *, shared: bool = False
) -> set[tuple[str, int]]:
    """Lock the matches of those (match, epoch) that are still held, and say which they are."""
    held: set[tuple[str, int]] = set()
    for chunk in _chunks(sorted(claims)):
        statement = (
            select(Match.id, Match.epoch)
            .where(tuple_(Match.id, Match.epoch).in_(chunk), Match.status == "running")
            .order_by(Match.id)
            .with_for_update(read=shared)
        )
        held |= {(row.id, row.epoch) for row in await connection.execute(statement)}
    return held


def _row(entry: JournalEntry) -> dict[str, Any]:
    return {
        "match": entry.match,
        "kind": "ply" if isinstance(entry.entry, Ply) else "refusal",
        "number": entry.number,
        "epoch": entry.epoch,
        "body": pack("the journal's entry", entry.entry),
    }


def _chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    return (items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK))
