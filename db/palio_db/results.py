"""How a match ends: the result and all that follows from it, in one transaction. And what was found out later."""

from dataclasses import asdict
from functools import cache
from typing import Any

from sqlalchemy import bindparam, case, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.address import Kind
from palio_db.columns import upsert
from palio_db.counters import ADDED, FORM, WON_OR_LOST, check_scores, counters_of, pair_scores_of
from palio_db.errors import LeaseLost, NotFound, StoreError
from palio_db.models import AnalysisRow, JournalRow, Match, PairRow, RatingRow, Seat
from palio_db.store_part import StorePart, checked, now, pack, shielded, unpack
from palio_db.values import Claim
from palio_rules.records.analysis import Analysis
from palio_rules.records.record import Record, Setup


class Results(StorePart):
    """Ending matches; keeping analyses of finished ones, of which the newest stays, and reading them."""

    @shielded
    async def finish(self, claim: Claim, record: Record) -> None:
        """Commit the record of a match with all that follows from it: seats, scores, counters; its journal goes.

        Safe to repeat with the same record: nothing is counted twice. Raises LeaseLost if the match is not ours.
        On PostgreSQL, results of the same bots at the same time wait for each other in one order (pairs, then
        counters, each by name), so that none waits in a circle.
        """
        if claim.match != record.match:
            raise StoreError(f"the record of match {record.match} cannot finish match {claim.match}")
        check_scores(record)
        data = pack(f"the record of match {record.match}", record)
        async with self._database.write() as connection:
            if await _end(connection, claim, record, data):
                game, scores = record.setup.game, enumerate(record.result.scores)
                seats = [{"of_match": record.match, "of_seat": seat, "of_score": score} for seat, score in scores]
                await connection.execute(_SEATS, seats)
                if lines := [{"game": game, **asdict(pair)} for pair in pair_scores_of(record)]:
                    await connection.execute(_add_pairs(self._database.address.kind), lines)
                lines = [{"game": game, **asdict(counters)} for counters in counters_of(record)]
                await connection.execute(_add_counters(self._database.address.kind), lines)
                await connection.execute(delete(JournalRow).where(JournalRow.match == record.match))

    @shielded
    async def abort(self, match: str, reason: str, *, epoch: int | None = None) -> bool:
        """End a match without a result: it leaves no trace in the scores. False if it was over, or is not `epoch`'s.

        Its worker, if it has one, finds its lease lost.
        """
        ending = (
            update(Match)
            .where(Match.id == match, Match.status.in_(("scheduled", "running")))
            .values(
                status="aborted",
                reason=checked("the reason", reason),
                finished_at=now(),
                lease_until=None,
                epoch=Match.epoch + 1,
            )
        )
        if epoch is not None:
            ending = ending.where(Match.epoch == epoch)
        async with self._database.write() as connection:
            ended = (await connection.execute(ending)).rowcount == 1
            if ended:
                await connection.execute(delete(JournalRow).where(JournalRow.match == match))
        return ended

    @shielded
    async def keep_analysis(self, analysis: Analysis) -> None:
        """Keep what was found out, in place of an earlier analysis. Raises NotFound unless the match is finished."""
        body = pack(f"the analysis of match {analysis.match}", analysis)
        async with self._database.write() as connection:
            status = await connection.scalar(select(Match.status).where(Match.id == analysis.match))
            if status != "finished":
                what = "there is no match" if status is None else f"nothing can be known of the {status} match"
                raise NotFound(f"{what} {analysis.match[:40]!r}; finished matches can be analysed")
            adding = upsert(self._database.address.kind, AnalysisRow).values(
                match=analysis.match, created_at=now(), body=body
            )
            newer = {"created_at": adding.excluded.created_at, "body": adding.excluded.body}
            await connection.execute(adding.on_conflict_do_update(index_elements=[AnalysisRow.match], set_=newer))

    @shielded
    async def analysis(self, match: str) -> Analysis | None:
        """What is known of a match; None if nobody has analysed it."""
        found = await self._all(select(AnalysisRow.body).where(AnalysisRow.match == match))
        return unpack(f"the analysis of match {match}", found[0].body, Analysis) if found else None


async def _end(connection: AsyncConnection, claim: Claim, record: Record, data: bytes) -> bool:
    """Turn the match into a finished one; False if this very record has finished it before."""
    result = {
        "of_match": claim.match,
        "of_epoch": claim.epoch,
        "started_at": record.started_at,
        "finished_at": record.finished_at,
        "termination": record.result.termination,
        "reason": record.result.reason,
        "plies": len(record.plies),
        "record": data,
    }
    agreed: bytes | None = await connection.scalar(_END, result)
    if agreed is not None:
        what = f"the setup of match {claim.match}"
        if pack(what, unpack(what, agreed, Setup)) != pack(what, record.setup):  # as JSON, which knows no tuples
            raise StoreError(f"match {claim.match} was set up otherwise than its record says; record what was played")
        return True
    found = (
        await connection.execute(select(Match.status, Match.epoch, Match.record).where(Match.id == claim.match))
    ).one_or_none()
    if found is None:
        raise LeaseLost(f"there is no match {claim.match}; it cannot be finished")
    if found.record == data:
        return False
    raise LeaseLost(
        f"match {claim.match} is {found.status} under epoch {found.epoch}; the result of epoch {claim.epoch} is refused"
    )


# The statements of a result are built once: to build them takes as long as to run them.

_END = (
    update(Match)
    .where(Match.id == bindparam("of_match"), Match.epoch == bindparam("of_epoch"), Match.status == "running")
    .values(
        status="finished",
        lease_until=None,
        **{name: bindparam(name) for name in ("started_at", "finished_at", "termination", "reason", "plies", "record")},
    )
    .returning(Match.setup)
)

_SEATS = (
    update(Seat)
    .where(Seat.match == bindparam("of_match"), Seat.seat == bindparam("of_seat"))
    .values(score=bindparam("of_score"))
)


@cache
def _add_pairs(kind: Kind) -> Any:
    new = upsert(kind, PairRow)
    return new.on_conflict_do_update(
        index_elements=["game", "first", "second"],
        set_={name: getattr(PairRow, name) + new.excluded[name] for name in WON_OR_LOST},
    )


@cache
def _add_counters(kind: Kind) -> Any:
    new = upsert(kind, RatingRow)
    form = RatingRow.form + new.excluded.form
    return new.on_conflict_do_update(
        index_elements=["game", "bot"],
        set_={
            **{name: getattr(RatingRow, name) + new.excluded[name] for name in ADDED},
            "form": func.substr(form, case((func.length(form) > FORM, func.length(form) - FORM + 1), else_=1)),
        },
    )
