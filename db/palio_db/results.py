"""How a match ends: the result and all that follows from it, in one transaction. And what was found out later."""

from sqlalchemy import delete, select, update

from palio_db.audit import noted
from palio_db.audit_values import Act, Actor
from palio_db.columns import upsert
from palio_db.counters import check_scores
from palio_db.errors import NotFound, StoreError
from palio_db.models import AnalysisRow, JournalRow, Match
from palio_db.packing import checked, now, pack, unpack
from palio_db.store_part import StorePart, shielded
from palio_db.values import Claim
from palio_db.work import Finishing
from palio_rules.records.analysis import Analysis
from palio_rules.records.record import Record


class Results(StorePart):
    """Ending matches; keeping analyses of finished ones, of which the newest stays, and reading them."""

    async def finish(self, claim: Claim, record: Record) -> None:
        """Commit the record of a match with all that follows from it: seats, scores, counters; its journal goes.

        Safe to repeat with the same record: nothing is counted twice. Raises LeaseLost if the match is not ours.
        """
        if claim.match != record.match:
            raise StoreError(f"the record of match {record.match} cannot finish match {claim.match}")
        check_scores(record)
        data = pack(f"the record of match {record.match}", record)
        await self._database.do(Finishing(claim, record, data))

    @shielded
    async def abort(self, match: str, reason: str, *, epoch: int | None = None, by: Actor | None = None) -> bool:
        """End a match without a result: it leaves no trace in the scores. False if it was over, or is not `epoch`'s.

        Its worker, if it has one, finds its lease lost. The audit knows of it if somebody asked for it: `by`.
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
                if by is not None:
                    await noted(connection, by, Act("match aborted", f"match {match}", reason))
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
