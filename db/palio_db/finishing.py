"""Ending matches within a transaction: who may, and all that follows from the results of a whole group."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

from msgspec import UNSET

from palio_db.connections import Connection, Sql
from palio_db.counters import ADDED, FORM, WON_OR_LOST, added_counters, added_pairs
from palio_db.errors import LeaseLost, StoreError
from palio_db.outcomes import outcomes_of
from palio_db.packing import pack, unpack
from palio_db.values import START_RATING, UNRATED_ERROR, Claim
from palio_db.work import Finishing
from palio_rules.records.record import Record, Setup

FOUND = Sql.of("SELECT status, epoch, record FROM matches WHERE id = ?")
END = Sql.of(
    "UPDATE matches SET status = 'finished', lease_until = NULL, "
    "started_at = ?, finished_at = ?, termination = ?, reason = ?, plies = ?, record = ?, rated = ? "
    "WHERE id = ? AND epoch = ? AND status = 'running'"
)
SEATS = Sql.of("UPDATE seats SET score = ?, ms = ?, cost = ?, game = ?, outcome = ? WHERE match = ? AND seat = ?")
PAIRS = Sql.of(
    "INSERT INTO pair_scores (game, first, second, {names}) VALUES (?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (game, first, second) DO UPDATE SET {sums}",
    names=", ".join(WON_OR_LOST),
    sums=", ".join(f"{name} = pair_scores.{name} + excluded.{name}" for name in WON_OR_LOST),
)
COUNTERS = Sql.of(
    "INSERT INTO ratings (game, bot, {names}, form, rating, error, provisional) "
    "VALUES (?, ?, {values}, ?, {rating}, {error}, true) ON CONFLICT (game, bot) DO UPDATE SET {sums}, "
    "form = substr({form}, CASE WHEN length({form}) > {most} THEN length({form}) - {most} + 1 ELSE 1 END)",
    names=", ".join(ADDED),
    values=", ".join("?" for _ in ADDED),
    rating=str(START_RATING),
    error=str(UNRATED_ERROR),
    sums=", ".join(f"{name} = ratings.{name} + excluded.{name}" for name in ADDED),
    form="ratings.form || excluded.form",
    most=str(FORM),
)
CLEAR = Sql.of("DELETE FROM journal WHERE match = ?")


class Held(NamedTuple):
    """A running match, locked: whose it is, and what was agreed."""

    epoch: int
    setup: bytes


def agreed(connection: Connection, work: Finishing, held: Held | None) -> bool:
    """May this record end the match? False if it has ended it before. Raises LeaseLost, StoreError."""
    claim, record = work.claim, work.record
    if held is None or held.epoch != claim.epoch:
        return _refused(connection, claim, work.data)
    what = f"the setup of match {claim.match}"
    ours = pack(what, record.setup)
    if held.setup != ours and pack(what, unpack(what, held.setup, Setup)) != ours:  # as JSON, which knows no tuples
        raise StoreError(f"match {claim.match} was set up otherwise than its record says; record what was played")
    return True


def _refused(connection: Connection, claim: Claim, data: bytes) -> bool:
    found = connection.rows(FOUND, (claim.match,))
    if not found:
        raise LeaseLost(f"there is no match {claim.match}; it cannot be finished")
    [(status, epoch, record)] = found
    if record == data:
        return False
    raise LeaseLost(
        f"match {claim.match} is {status} under epoch {epoch}; the result of epoch {claim.epoch} is refused"
    )


def end(connection: Connection, works: Sequence[Finishing]) -> None:
    """Turn matches that are held into finished ones; their sums are added up first, and written once."""
    if not works:
        return
    records = [work.record for work in works]
    connection.change(END, [_line(connection, work) for work in works])
    connection.change(SEATS, [line for one in records for line in seat_lines(one)])
    if pairs := added_pairs(records):
        connection.change(PAIRS, [(game, *astuple(pair)) for game, pair in pairs])
    counters = added_counters(records)
    connection.change(
        COUNTERS, [(game, one.bot, *(getattr(one, name) for name in ADDED), one.form) for game, one in counters]
    )
    connection.change(CLEAR, [(one.match,) for one in records])


def seat_lines(record: Record) -> Iterator[tuple[Any, ...]]:
    """What is kept of each seat of a finished match: parameters of `SEATS`."""
    result, spent = record.result, Counter[int]()
    for ply in record.plies:
        spent[ply.seat] += ply.ms
    costs = [None] * len(result.scores) if result.finishes is UNSET else [finish.cost for finish in result.finishes]
    for seat, (score, cost, outcome) in enumerate(zip(result.scores, costs, outcomes_of(record), strict=True)):
        yield score, spent[seat], cost, record.setup.game if outcome else "", outcome, record.match, seat


def _line(connection: Connection, work: Finishing) -> tuple[Any, ...]:
    claim, record = work.claim, work.record
    moments = (connection.from_moment(moment) for moment in (record.started_at, record.finished_at))
    result = record.result
    return (
        *moments,
        result.termination,
        result.reason,
        len(record.plies),
        work.data,
        record.rated,
        claim.match,
        claim.epoch,
    )
