"""One transaction for the work of many callers.

All of it arrived before any of it was answered, so every order is valid: similar work is done together. First the
matches that are written to are locked and read; then invalid work is refused, before anything has been changed. Rows
are locked in one order everywhere, so that no deadlock can occur: matches by identity, pairs, counters and outcomes by
name.
A claim waits for no lock (SKIP LOCKED).

An unexpected error, such as a number that the database cannot store, rolls the transaction back; then each work gets
its own transaction, and only the faulty one fails.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

from msgspec import UNSET

from palio_db.bodies import is_same
from palio_db.columns import pack, unpack
from palio_db.connections import ANY, Connection, Sql
from palio_db.counters import ADDED, FORM, WON_OR_LOST, added_counters, added_outcomes, added_pairs, outcomes_of
from palio_db.driver_errors import is_away
from palio_db.errors import LeaseLost, StoreError
from palio_db.playable import playable
from palio_db.values import START_RATING, UNRATED_ERROR, Claim
from palio_db.work import (
    Claiming,
    ClaimingThese,
    Exclusive,
    Finishing,
    Journaling,
    Releasing,
    Renewing,
    Work,
    read,
    write,
)
from palio_rules.records.record import Record, Setup

# Claims within a transaction: the oldest playable matches, named matches, or those whose lease has ended.

_TAKE = (
    "UPDATE matches SET status = 'running', worker = ?, lease_until = {clock} + ?, epoch = epoch + 1, "
    "started_at = coalesce(started_at, ?) WHERE id = ? AND status = '%s' "
    "RETURNING id, epoch, setup, event, tournament, started_at"
)
TAKE = Sql.of(_TAKE % "scheduled")  # its row is locked: see `playable`
TAKE_OVER = Sql.of(_TAKE % "running")
STILL = Sql.of(
    "SELECT id FROM matches WHERE id {any} AND status = 'scheduled' ORDER BY id{lock}",
    any=ANY,
    lock=("", " FOR UPDATE SKIP LOCKED"),
)
_LOST = "SELECT id FROM matches WHERE status = 'running' AND {which} ORDER BY id{lock}"
_SKIP = ("", " FOR UPDATE SKIP LOCKED")
_OVER = "lease_until < {clock}"
LOST = Sql.of(_LOST.replace("{which}", f"({_OVER} OR worker = ?)"), lock=_SKIP)
OWN = Sql.of(_LOST, which="worker = ?", lock=_SKIP)
ORPHANED = Sql.of(_LOST.replace("{which}", f"id {{any}} AND {_OVER}"), any=ANY, lock=_SKIP)
LONG_LOST = Sql.of(_LOST.replace("{which}", f"id {{any}} AND {_OVER} - ?"), any=ANY, lock=_SKIP)
PUT_BACK = Sql.of(
    "UPDATE matches SET status = 'scheduled', worker = NULL, lease_until = NULL "
    "WHERE id = ? AND status = 'running' AND lease_until < {clock} - ?"
)


def claim_oldest(connection: Connection, work: Claiming) -> list[Claim]:
    """Claim the oldest scheduled matches whose bots are all free; no bot is in two of them."""
    return list(_taken(connection, work, TAKE, playable(connection, work.free, work.tournament, work.most)))


def claim_these(connection: Connection, work: ClaimingThese) -> list[Claim]:
    """Claim those matches that are still scheduled; oldest first."""
    still = connection.rows(STILL, (connection.list_(work.matches),))
    return list(_taken(connection, work, TAKE, (match for (match,) in still)))


def take_over(connection: Connection, work: Claiming, *, own: bool, lapsed: bool = True) -> list[Claim]:
    """Claim running matches whose lease has ended, if `lapsed`, and with `own` those of this worker; oldest first."""
    lost = connection.rows(LOST if lapsed else OWN, (work.worker if own else None,))
    return list(_taken(connection, work, TAKE_OVER, (match for (match,) in lost)))


def take_over_these(connection: Connection, work: ClaimingThese) -> list[Claim]:
    """Claim those matches whose lease has ended; oldest first. Skips one that another worker is claiming."""
    lost = connection.rows(ORPHANED, (connection.list_(work.matches),))
    return list(_taken(connection, work, TAKE_OVER, (match for (match,) in lost)))


def reschedule(connection: Connection, matches: Iterable[str], after_s: float) -> list[str]:
    """Schedule matches again whose lease ended `after_s` seconds ago, with their journal; return them."""
    lost = [match for (match,) in connection.rows(LONG_LOST, (connection.list_(matches), after_s))]
    if lost:
        connection.change(PUT_BACK, [(match, after_s) for match in lost])
    return lost


def _taken(
    connection: Connection, work: Claiming | ClaimingThese, take: Sql, matches: Iterable[str]
) -> Iterable[Claim]:
    moment = connection.from_moment(work.moment)
    for match in matches:
        [row] = connection.rows(take, (work.worker, work.lease_s, moment, match))
        yield _claim(connection, row)


def _claim(connection: Connection, row: Any) -> Claim:
    match, epoch, setup, event, tournament, started_at = row
    journal, refusals = read(connection, match) if epoch > 1 else ((), ())  # otherwise it was never played
    return Claim(
        match=match,
        epoch=epoch,
        setup=unpack(f"the setup of match {match}", setup, Setup),
        event=event,
        tournament=tournament,
        started_at=connection.to_moment(started_at),
        journal=journal,
        refusals=refusals,
    )


# The end of matches within a transaction: permission, and all changes by the results of a whole group.

FOUND = Sql.of("SELECT status, epoch, record FROM matches WHERE id = ?")
END = Sql.of(
    "UPDATE matches SET status = 'finished', lease_until = NULL, "
    "started_at = ?, finished_at = ?, termination = ?, reason = ?, plies = ?, record = ?, rated = ? "
    "WHERE id = ? AND epoch = ? AND status = 'running'"
)
DETAIL = Sql.of(
    "UPDATE matches SET detail = ? WHERE id = ?"
)  # apart: older tables lack the column, most games the text
SEATS = Sql.of("UPDATE seats SET score = ?, ms = ?, cost = ?, game = ?, outcome = ? WHERE match = ? AND seat = ?")
ADDRESSES = Sql.of("UPDATE seats SET address = ? WHERE match = ? AND seat = ?")  # apart, as `DETAIL` is
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
OUTCOMES = Sql.of(
    "INSERT INTO outcomes (bot, game, outcome, count) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (bot, game, outcome) DO UPDATE SET count = outcomes.count + excluded.count"
)
CLEAR = Sql.of("DELETE FROM journal WHERE match = ?")


class HeldMatch(NamedTuple):
    """A running match, locked: its claim and its setup."""

    epoch: int
    setup: bytes


def may_finish(connection: Connection, work: Finishing, held: HeldMatch | None) -> bool:
    """Return whether this record may end the match; False if it ended it before. Raises LeaseLost, StoreError."""
    claim, record = work.claim, work.record
    if held is None or held.epoch != claim.epoch:
        return _refused(connection, claim, work.data)
    what = f"the setup of match {claim.match}"
    ours = pack(what, record.setup)
    if held.setup != ours and pack(what, unpack(what, held.setup, Setup)) != ours:  # as JSON, which has no tuples
        raise StoreError(f"match {claim.match} was set up otherwise than its record says; record what was played")
    return True


def _refused(connection: Connection, claim: Claim, data: bytes) -> bool:
    found = connection.rows(FOUND, (claim.match,))
    if not found:
        raise LeaseLost(f"there is no match {claim.match}; it cannot be finished")
    [(status, epoch, record)] = found
    if is_same(record, data):
        return False
    raise LeaseLost(
        f"match {claim.match} is {status} under epoch {epoch}; the result of epoch {claim.epoch} is refused"
    )


def end(connection: Connection, works: Sequence[Finishing]) -> None:
    """Finish the matches that are held; their sums are added up first, and written once."""
    if not works:
        return
    records = [work.record for work in works]
    connection.change(END, [_line(connection, work) for work in works])
    if details := [(work.detail, work.record.match) for work in works if work.detail is not None]:
        connection.change(DETAIL, details)
    connection.change(SEATS, [line for one in records for line in seat_lines(one)])
    known = ((work.record.match, *seat) for work in works for seat in enumerate(work.addresses))
    if places := [(address, match, seat) for match, seat, address in known if address]:
        connection.change(ADDRESSES, places)
    if pairs := added_pairs(records):
        connection.change(PAIRS, [(game, *astuple(pair)) for game, pair in pairs])
    counters = added_counters(records)
    connection.change(
        COUNTERS, [(game, one.bot, *(getattr(one, name) for name in ADDED), one.form) for game, one in counters]
    )
    if outcomes := added_outcomes(records):
        connection.change(OUTCOMES, outcomes)
    connection.change(CLEAR, [(one.match,) for one in records])


def seat_lines(record: Record) -> Iterator[tuple[Any, ...]]:
    """Yield what is stored of each seat of a finished match: parameters of `SEATS`."""
    result, spent = record.result, Counter[int]()
    for ply in record.plies:
        spent[ply.seat] += ply.ms
    costs = [None] * len(result.scores) if result.finishes is UNSET else [finish.cost for finish in result.finishes]
    for seat, (score, cost, outcome) in enumerate(zip(result.scores, costs, outcomes_of(record), strict=True)):
        yield score, spent[seat], cost, record.setup.leaderboard if outcome else "", outcome, record.match, seat


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


LOCK = Sql.of(
    "SELECT id, epoch, setup FROM matches WHERE id {any} AND status = 'running'{lock}",
    any=ANY,
    lock=("", " ORDER BY id FOR NO KEY UPDATE"),
)


RELEASE = Sql.of(
    "UPDATE matches SET status = 'scheduled', worker = NULL, lease_until = NULL, "
    # without a played move the match has not started
    "started_at = CASE WHEN EXISTS (SELECT 1 FROM journal WHERE journal.match = matches.id) THEN started_at END "
    "WHERE id = ? AND epoch = ? AND status = 'running' RETURNING id"
)
RENEW = Sql.of("UPDATE matches SET lease_until = {clock} + ? WHERE id = ? AND epoch = ? AND status = 'running'")


def commit(works: Sequence[Work], connection: Connection) -> list[Any]:
    """Do all `works` and return the result of each, or its caller's exception. Raises the driver's error."""
    try:
        connection.begin()
        outcomes = _run(connection, works)
        connection.commit()
    except Exception as error:
        connection.rollback()
        if is_away(error):
            raise
        return [error] if len(works) == 1 else _one_by_one(connection, works)
    return outcomes


def _one_by_one(connection: Connection, works: Sequence[Work]) -> list[Any]:
    outcomes: list[Any] = []
    for work in works:
        try:
            outcomes += commit([work], connection)
        except Exception as error:  # noqa: BLE001  the others have been committed, and must hear of it
            return outcomes + [error] * (len(works) - len(outcomes))
    return outcomes


def _run(connection: Connection, works: Sequence[Work]) -> list[Any]:  # noqa: C901  a step for each kind of work
    if isinstance(works[0], Exclusive):
        return [works[0].run(connection)]
    outcomes: dict[int, Any] = {}  # by place in the group
    held = _lock(connection, works)
    ending = []
    for place, work in enumerate(works):
        if isinstance(work, Finishing):
            try:
                if may_finish(connection, work, held.get(work.claim.match)):
                    ending.append(work)
            except StoreError as error:
                outcomes[place] = error
    for work in ending:
        del held[work.claim.match]  # from here on it is over
    _journal(connection, works, held)
    end(connection, ending)
    for place, work in enumerate(works):
        if isinstance(work, Releasing):
            outcomes[place] = bool(connection.rows(RELEASE, (work.match, work.epoch)))
        elif isinstance(work, Renewing):
            outcomes[place] = _renew(connection, work, held)
    for place, work in enumerate(works):  # a claim may get a match that was just released
        if isinstance(work, Claiming):
            outcomes[place] = claim_oldest(connection, work)
        elif isinstance(work, ClaimingThese):
            outcomes[place] = claim_these(connection, work)
    return [outcomes.get(place) for place in range(len(works))]


def _lock(connection: Connection, works: Sequence[Work]) -> dict[str, HeldMatch]:
    """Lock the running matches among those written to, in the order of their identities, and return them."""
    ids: set[str] = set()
    for work in works:
        match work:
            case Journaling(lines=lines):
                ids.update(line.match for line in lines)
            case Finishing(claim=claim):
                ids.add(claim.match)
            case Releasing(match=match):
                ids.add(match)
            case Renewing(held=held):
                ids.update(match for match, _ in held)
    if not ids:
        return {}
    found = connection.rows(LOCK, (connection.list_(sorted(ids)),))
    return {match: HeldMatch(epoch, setup) for match, epoch, setup in found}


def _holds(held: dict[str, HeldMatch], match: str, epoch: int) -> bool:
    return match in held and held[match].epoch == epoch


def _journal(connection: Connection, works: Sequence[Work], held: dict[str, HeldMatch]) -> None:
    """Write the journal, except for matches that are lost or that end in this transaction."""
    lines = [line for work in works if isinstance(work, Journaling) for line in work.lines]
    write(connection, [line for line in lines if _holds(held, line.match, line.epoch)])


def _renew(connection: Connection, work: Renewing, held: dict[str, HeldMatch]) -> set[str]:
    kept = [(match, epoch) for match, epoch in work.held if _holds(held, match, epoch)]
    if kept:
        connection.change(RENEW, [(work.lease_s, match, epoch) for match, epoch in kept])
    return {match for match, _ in kept}
