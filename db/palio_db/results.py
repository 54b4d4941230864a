"""The end of a match: the result and all that follows from it, in one transaction; and its later analysis."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.archives import added_by, place_of
from palio_db.audit import log_acts
from palio_db.columns import checked, now, one_line, pack, unpack, upsert
from palio_db.counters import ADDED, WON_OR_LOST, check_scores
from palio_db.errors import Archived, NotFound, StoreError, Unreadable
from palio_db.matches import page_of_records
from palio_db.models import AnalysisRow, JournalRow, Match, OutcomeRow, PairRow, RatingRow, Seat
from palio_db.store_part import StorePart, shielded
from palio_db.values import Act, Actor, Claim
from palio_db.work import Finishing
from palio_rules.records.record import Analysis, Record


class Results(StorePart):
    """Ending matches; storing analyses of finished ones, of which the newest stays, and reading them."""

    async def finish(self, claim: Claim, record: Record, addresses: Sequence[str] = ()) -> None:
        """Commit the record of a match with all that follows from it: seats, scores, counters; its journal is deleted.

        `addresses` are those that its bots played from, by seat, which operators may search for a time.

        Safe to repeat with the same record: nothing is counted twice. Raises LeaseLost if the claim is not held.
        """
        if claim.match != record.match:
            raise StoreError(f"the record of match {record.match} cannot finish match {claim.match}")
        check_scores(record)
        data = pack(f"the record of match {record.match}", record, packed=self._database.packs)
        detail = one_line(record.result.rule_detail) if self._database.has_details else None
        known = addresses if self._database.has_bans and any(addresses) else ()
        await self._database.submit(Finishing(claim, record, data, detail, known))

    @shielded
    async def abort(self, match: str, reason: str, *, epoch: int | None = None, by: Actor | None = None) -> bool:
        """End a match without a result, which changes no scores. False if it was over, or has another `epoch`.

        Its worker, if it has one, finds its lease lost. With `by`, the audit log gets a line.
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
                    await log_acts(connection, by, Act("match aborted", f"match {match}", reason))
        return ended

    @shielded
    async def keep_analysis(self, analysis: Analysis) -> None:
        """Store an analysis in place of an earlier one. Raises NotFound unless the match is finished."""
        body = pack(f"the analysis of match {analysis.match}", analysis, packed=self._database.packs)
        async with self._database.write() as connection:
            asked = select(Match.status, Match.archived_at, Match.archive).where(Match.id == analysis.match)
            row = (await connection.execute(asked)).one_or_none()
            if row is not None and (place := place_of(row)) is not None:
                raise Archived(analysis.match, place)
            status = None if row is None else row.status
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
        """Return the analysis of a match; None if there is none."""
        found = await self._all(select(AnalysisRow.body).where(AnalysisRow.match == match))
        return unpack(f"the analysis of match {match}", found[0].body, Analysis) if found else None


# The check of the sums for `palio verify`: all records are added up again and compared.

Key = tuple[str, ...]
Sums = Mapping[Key, tuple[float, ...]]


class Recount(StorePart):
    """Verification of the sums against the records."""

    @shielded
    async def recount(self) -> list[str]:
        """Return the differences between the scores and a recount of all records, as sentences.

        A void match counts for nothing, nor does a record that cannot be read; `records` reports that.

        Recent form is not compared: it depends on the order of the commits, which is not in the records.
        """
        async with self._database.read(snapshot=True) as connection:
            scores, counters = await _recount(connection)
            kept_scores = await _kept(connection, (PairRow.game, PairRow.first, PairRow.second), PairRow, WON_OR_LOST)
            kept_counters = await _kept(connection, (RatingRow.game, RatingRow.bot), RatingRow, ADDED)
            outcomes, kept_outcomes = await _outcomes(connection) if self._database.packs else ({}, {})
        return [
            *_differences("pair_scores", WON_OR_LOST, scores, kept_scores),
            *_differences("ratings", ADDED, counters, kept_counters),
            *_differences("outcomes", ("count",), outcomes, kept_outcomes),
        ]


async def _recount(connection: AsyncConnection) -> tuple[Sums, Sums]:
    scores: dict[Key, tuple[float, ...]] = defaultdict(lambda: (0,) * len(WON_OR_LOST))
    counters: dict[Key, tuple[float, ...]] = defaultdict(lambda: (0,) * len(ADDED))
    after = ""
    while page := await page_of_records(connection, after, None):
        counted_for = dict((await connection.execute(_counted_for([found.id for found in page]))).all())
        for found in page:
            if found.voided_at is not None:
                continue  # it counts for nothing
            try:
                archived = found.archived_at is not None
                game, pairs, bots, _ = added_by(
                    found.id, found.record, counted_for.get(found.id, ""), is_archived=archived
                )
            except Unreadable:
                continue
            for pair in pairs:
                _add(scores, (game, pair.first, pair.second), pair, WON_OR_LOST)
            for added in bots:
                _add(counters, (game, added.bot), added, ADDED)
        after = page[-1].id
    return scores, counters


def _counted_for(matches: Sequence[str]) -> Select[str, str]:
    """Return the query for the leaderboard that each of these matches was added to; "" for none."""
    return select(Seat.match, Seat.game).where(Seat.match.in_(matches), Seat.seat == 0)


async def _outcomes(connection: AsyncConnection) -> tuple[Sums, Sums]:
    key = (Seat.bot, Seat.game, Seat.outcome)
    counted = await connection.execute(select(*key, func.count()).where(Seat.outcome.is_not(None)).group_by(*key))
    kept = await _kept(connection, (OutcomeRow.bot, OutcomeRow.game, OutcomeRow.outcome), OutcomeRow, ("count",))
    return {(bot, game, str(outcome)): (count,) for bot, game, outcome, count in counted}, kept


def _add(sums: dict[Key, tuple[float, ...]], key: Key, value: object, names: tuple[str, ...]) -> None:
    sums[key] = tuple(old + getattr(value, name) for old, name in zip(sums[key], names, strict=True))


async def _kept(connection: AsyncConnection, key: tuple[Any, ...], table: Any, names: tuple[str, ...]) -> Sums:
    found = await connection.execute(select(*key, *(getattr(table, name) for name in names)))
    return {tuple(row[: len(key)]): tuple(row[len(key) :]) for row in found}


def _differences(table: str, names: tuple[str, ...], right: Sums, kept: Sums) -> Iterator[str]:
    nothing = (0,) * len(names)
    for key in sorted({*right, *kept}):
        for name, should, is_ in zip(names, right.get(key, nothing), kept.get(key, nothing), strict=True):
            if not isclose(should, is_, rel_tol=1e-9, abs_tol=1e-9):  # points are sums of floats
                yield f"{table} of {' '.join(key)}: {name} is {is_:g}, the records say {should:g}"
