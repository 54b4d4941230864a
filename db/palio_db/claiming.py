"""Taking matches within a transaction: the oldest that can be played, some by name, or those whose lease is over."""

from collections.abc import Iterable
from typing import Any

from palio_db.connections import ANY, Connection, Sql
from palio_db.journaling import read
from palio_db.packing import unpack
from palio_db.playable import playable
from palio_db.values import Claim
from palio_db.work import Claiming, ClaimingThese
from palio_rules.records.record import Setup

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
    """The oldest scheduled matches all of whose bots are free, as ours; no bot is in two of them."""
    return list(_taken(connection, work, TAKE, playable(connection, work.free, work.tournament, work.most)))


def claim_these(connection: Connection, work: ClaimingThese) -> list[Claim]:
    """Those that are still scheduled, as ours; oldest first."""
    still = connection.rows(STILL, (connection.list_(work.matches),))
    return list(_taken(connection, work, TAKE, (match for (match,) in still)))


def take_over(connection: Connection, work: Claiming, *, own: bool, lapsed: bool = True) -> list[Claim]:
    """Running matches whose lease is over, if `lapsed`, and with `own` those of this worker; oldest first."""
    lost = connection.rows(LOST if lapsed else OWN, (work.worker if own else None,))
    return list(_taken(connection, work, TAKE_OVER, (match for (match,) in lost)))


def take_over_these(connection: Connection, work: ClaimingThese) -> list[Claim]:
    """Those whose lease is over, as ours; oldest first. One that another worker is just taking is left to it."""
    lost = connection.rows(ORPHANED, (connection.list_(work.matches),))
    return list(_taken(connection, work, TAKE_OVER, (match for (match,) in lost)))


def put_back(connection: Connection, matches: Iterable[str], after_s: float) -> list[str]:
    """Those whose lease has been over for `after_s` seconds are scheduled again, with their journal."""
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
    journal, refusals = read(connection, match) if epoch > 1 else ((), ())  # only then can it have been played before
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
