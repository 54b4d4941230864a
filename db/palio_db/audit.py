"""The audit log: every administrative act, and every refused one. Lines are added; later they may lose texts only.

Addresses are cleared after a time, and what a line says of a forgotten bot at once: see the triggers in `columns.py`.

Acts of the store itself are logged in the same transaction, so that no act is without its line.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.columns import MAX_TEXT, now
from palio_db.connections import Connection, Sql
from palio_db.models import AuditRow, Match, Seat
from palio_db.names import mentions
from palio_db.profiles import containing
from palio_db.store_part import StorePart, shielded
from palio_db.values import Act, Actor, AuditLine

COLUMNS = ("at", "who", "token", "address", "act", "what", "outcome", "detail")
ADD = Sql.of("INSERT INTO audit ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", columns=", ".join(COLUMNS))


class Audit(StorePart):
    """Writing and reading of the audit log."""

    @shielded
    async def log_act(self, act: Act, by: Actor) -> None:
        """Log an act, or a refused one, that happened outside the store."""
        async with self._database.write() as connection:
            await log_acts(connection, by, act)

    @shielded
    async def audit(
        self, *, since: datetime | None = None, by: str | None = None, limit: int = 100
    ) -> Sequence[AuditLine]:
        """Return the newest `limit` lines, oldest first; `since` a moment, or by actors with `by` in their name."""
        wanted = select(AuditRow.__table__).order_by(AuditRow.id.desc()).limit(limit)
        if since is not None:
            wanted = wanted.where(AuditRow.at >= since)
        if by is not None:
            wanted = wanted.where(AuditRow.who.ilike(containing(by), escape="!"))
        return [AuditLine(**row._asdict()) for row in reversed(await self._all(wanted))]

    @shielded
    async def clear_addresses(self, before: datetime) -> int:
        """Clear the addresses of lines, and of seats of matches, that are older than a moment; return how many."""
        lines = update(AuditRow).where(AuditRow.at < before, AuditRow.address != "").values(address="")
        old = select(Match.id).where(
            Match.id == Seat.match, or_(Match.finished_at < before, Match.finished_at.is_(None))
        )
        seats = update(Seat).where(Seat.address.is_not(None), old.exists()).values(address=None)
        cleared = 0
        async with self._database.write() as connection:
            for clearing in (lines, seats) if self._database.has_bans else ():
                cleared += (await connection.execute(clearing)).rowcount
        return cleared


async def clear_names(connection: AsyncConnection, name: str) -> None:
    """Clear what lines say of a bot that is forgotten, within a transaction; who acted as it loses the address, too."""
    pattern = containing(name)
    columns = (AuditRow.who, AuditRow.what, AuditRow.detail)
    wanted = select(AuditRow.id, *columns).where(or_(*(each.ilike(pattern, escape="!") for each in columns)))
    for number, who, *said in (await connection.execute(wanted)).all():
        gone: dict[str, str] = {}
        if mentions(who, name):
            gone |= {"who": "", "address": ""}
        if any(mentions(text, name) for text in said):
            gone |= {"what": "", "detail": ""}
        if gone:
            await connection.execute(update(AuditRow).where(AuditRow.id == number).values(gone))


async def log_acts(connection: AsyncConnection, by: Actor, *acts: Act) -> None:
    """Add lines to the audit log within a transaction."""
    if acts:
        await connection.execute(insert(AuditRow), [_line(now(), by, act) for act in acts])


def log_act(connection: Connection, by: Actor, act: Act) -> None:
    """Add a line to the audit log on a plain connection."""
    line = _line(connection.from_moment(now()), by, act)
    connection.change(ADD, [tuple(line[name] for name in COLUMNS)])


def _line(at: Any, by: Actor, act: Act) -> dict[str, Any]:
    return {
        "at": at,
        "who": _kept(by.who),
        "token": by.token,
        "address": _kept(by.address),
        "act": act.name,
        "what": _kept(act.what),
        "outcome": act.outcome,
        "detail": _kept(act.detail),
    }


def _kept(text: str) -> str:
    """Return text without characters that a database cannot store, because an audit log must not refuse a line."""
    return text[:MAX_TEXT].replace("\0", "").encode(errors="replace").decode()
