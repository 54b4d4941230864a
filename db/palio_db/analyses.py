"""Analyses: what was found out about a finished match when it was looked at again. The newest one is kept."""

from sqlalchemy import select

from palio_db.columns import upsert
from palio_db.errors import NotFound
from palio_db.models import AnalysisRow, Match
from palio_db.part import Part, now, whole
from palio_db.texts import pack, unpack
from palio_rules.analysis import Analysis


class Analyses(Part):
    """Keeping analyses and reading them."""

    @whole
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

    @whole
    async def analysis(self, match: str) -> Analysis | None:
        """What is known of a match; None if nobody has analysed it."""
        async with self._database.read() as connection:
            body = await connection.scalar(select(AnalysisRow.body).where(AnalysisRow.match == match))
        return None if body is None else unpack(f"the analysis of match {match}", body, Analysis)
