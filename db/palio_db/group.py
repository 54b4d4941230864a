"""One transaction for the work of many callers.

All of it came in before any of it was answered, so that any order is as good: what belongs together is done together.
First the matches that are written to are locked and looked at; then it is clear who is refused, before anything has
been changed. Rows are locked in one order everywhere, so that no two transactions wait for each other in a circle:
matches by identity, pairs by name, counters by name. A claim waits for no lock (SKIP LOCKED).

What nobody has foreseen, say a number that the database cannot keep, undoes the transaction; then each work gets one
of its own, and only the one at fault fails.
"""

from collections.abc import Sequence
from typing import Any

from palio_db.claiming import claim_oldest, claim_these
from palio_db.connections import ANY, Connection, Sql
from palio_db.driver_errors import is_away
from palio_db.errors import StoreError
from palio_db.finishing import Held, agreed, end
from palio_db.journaling import write
from palio_db.work import Alone, Claiming, ClaimingThese, Finishing, Journaling, Releasing, Renewing, Work

LOCK = Sql.of(
    "SELECT id, epoch, setup FROM matches WHERE id {any} AND status = 'running'{lock}",
    any=ANY,
    lock=("", " ORDER BY id FOR NO KEY UPDATE"),
)


RELEASE = Sql.of(
    "UPDATE matches SET status = 'scheduled', worker = NULL, lease_until = NULL, "
    # nothing played: it has not started
    "started_at = CASE WHEN EXISTS (SELECT 1 FROM journal WHERE journal.match = matches.id) THEN started_at END "
    "WHERE id = ? AND epoch = ? AND status = 'running' RETURNING id"
)
RENEW = Sql.of("UPDATE matches SET lease_until = {clock} + ? WHERE id = ? AND epoch = ? AND status = 'running'")


def commit(works: Sequence[Work], connection: Connection) -> list[Any]:
    """What each came to, or the exception that its caller gets. Raises the driver's error if the database is away."""
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
    if isinstance(works[0], Alone):
        return [works[0].run(connection)]
    outcomes: dict[int, Any] = {}  # by place in the group
    held = _lock(connection, works)
    ending = []
    for place, work in enumerate(works):
        if isinstance(work, Finishing):
            try:
                if agreed(connection, work, held.get(work.claim.match)):
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
    for place, work in enumerate(works):  # a claim may get what has just been released
        if isinstance(work, Claiming):
            outcomes[place] = claim_oldest(connection, work)
        elif isinstance(work, ClaimingThese):
            outcomes[place] = claim_these(connection, work)
    return [outcomes.get(place) for place in range(len(works))]


def _lock(connection: Connection, works: Sequence[Work]) -> dict[str, Held]:
    """The running ones of the matches that are written to, locked in the order of their identities."""
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
    return {match: Held(epoch, setup) for match, epoch, setup in found}


def _holds(held: dict[str, Held], match: str, epoch: int) -> bool:
    return match in held and held[match].epoch == epoch


def _journal(connection: Connection, works: Sequence[Work], held: dict[str, Held]) -> None:
    """Without the lines of matches that are lost, or that end in this very transaction."""
    lines = [line for work in works if isinstance(work, Journaling) for line in work.lines]
    write(connection, [line for line in lines if _holds(held, line.match, line.epoch)])


def _renew(connection: Connection, work: Renewing, held: dict[str, Held]) -> set[str]:
    kept = [(match, epoch) for match, epoch in work.held if _holds(held, match, epoch)]
    if kept:
        connection.change(RENEW, [(work.lease_s, match, epoch) for match, epoch in kept])
    return {match for match, _ in kept}
