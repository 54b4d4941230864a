"""Are the sums right? Adds up all records again and compares, for `palio verify`."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.counters import ADDED, WON_OR_LOST, counters_of, pair_scores_of
from palio_db.errors import Unreadable
from palio_db.matches import page_of_records
from palio_db.models import PairRow, RatingRow
from palio_db.packing import unpack
from palio_db.store_part import StorePart, shielded
from palio_rules.records.record import Record

Key = tuple[str, ...]
Sums = Mapping[Key, tuple[float, ...]]


class Recount(StorePart):
    """Checking the sums against the records."""

    @shielded
    async def recount(self) -> list[str]:
        """What differs between the scores and a recount of all records, in sentences; empty if nothing does.

        A void match counts for nothing, nor does a record that cannot be read; `records` reports that.

        Recent form is not compared: it depends on the order in which results were committed, which no record says.
        """
        async with self._database.read(snapshot=True) as connection:
            scores, counters = await _recount(connection)
            kept_scores = await _kept(connection, (PairRow.game, PairRow.first, PairRow.second), PairRow, WON_OR_LOST)
            kept_counters = await _kept(connection, (RatingRow.game, RatingRow.bot), RatingRow, ADDED)
        return [
            *_differences("pair_scores", WON_OR_LOST, scores, kept_scores),
            *_differences("ratings", ADDED, counters, kept_counters),
        ]


async def _recount(connection: AsyncConnection) -> tuple[Sums, Sums]:
    scores: dict[Key, tuple[float, ...]] = defaultdict(lambda: (0,) * len(WON_OR_LOST))
    counters: dict[Key, tuple[float, ...]] = defaultdict(lambda: (0,) * len(ADDED))
    after = ""
    while page := await page_of_records(connection, after, None):
        for found in page:
            if found.voided_at is not None:
                continue  # it counts for nothing
            try:
                record = unpack(f"the record of match {found.id}", found.record, Record)
            except Unreadable:
                continue
            game = record.setup.game
            for pair in pair_scores_of(record):
                _add(scores, (game, pair.first, pair.second), pair, WON_OR_LOST)
            for added in counters_of(record):
                _add(counters, (game, added.bot), added, ADDED)
        after = page[-1].id
    return scores, counters


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
