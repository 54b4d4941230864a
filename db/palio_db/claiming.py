"""Taking matches within a transaction: the oldest that can be played, some by name, or those whose lease is over."""

from collections.abc import Iterable
from typing import Any

from palio_db.connections import ANY, Connection, Sql
from palio_db.journaling import read
from palio_db.packing import unpack
from palio_db.playable import oldest_playable
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
LOST = Sql.of(
    "SELECT id FROM matches WHERE status = 'running' AND (lease_until < {clock} OR worker = ?) ORDER BY id{lock}",
    lock=("", " FOR UPDATE SKIP LOCKED"),
)


def claim_oldest(connection: Connection, work: Claiming) -> Claim | None:
    """The oldest scheduled match all of whose bots are free, as ours; None if there is none."""
    match = oldest_playable(connection, work.free, work.tournament)
    if match is None:
        return None
    [claim] = _taken(connection, work, TAKE, [match])
    return claim


def claim_these(connection: Connection, work: ClaimingThese) -> list[Claim]:
    """Those that are still scheduled, as ours; oldest first."""
    still = connection.rows(STILL, (connection.list_(work.matches),))
    return list(_taken(connection, work, TAKE, (match for (match,) in still)))


def take_over(connection: Connection, work: Claiming, *, own: bool) -> list[Claim]:
    """Running matches whose lease is over, and with `own` those of this worker; oldest first."""
    lost = connection.rows(LOST, (work.worker if own else None,))
    return list(_taken(connection, work, TAKE_OVER, (match for (match,) in lost)))


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
