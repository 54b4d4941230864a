"""The pause of all servers of a database, which an operator begins and ends: a counter that is odd while it lasts.

It is one of the counters of changes, so every server hears of it, and no table is added.
"""

from collections.abc import Mapping

from sqlalchemy import text

from palio_db.audit import log_acts
from palio_db.notices import PAUSES
from palio_db.store_part import StorePart, shielded
from palio_db.values import Act, Actor

# Each changes a row only if that changes the state.
_PAUSE = text(
    "INSERT INTO changes (name, count) VALUES (:name, 1) "
    "ON CONFLICT (name) DO UPDATE SET count = changes.count + 1 WHERE changes.count % 2 = 0"
)
_RESUME = text("UPDATE changes SET count = count + 1 WHERE name = :name AND count % 2 = 1")


def is_paused(changes: Mapping[str, int]) -> bool:
    """Return True if these counters say that all servers are paused."""
    return changes.get(PAUSES, 0) % 2 == 1


class Pausing(StorePart):
    """Pausing of all servers."""

    @shielded
    async def set_paused(self, by: Actor, *, paused: bool) -> bool:
        """Pause all servers of this database, or let them go on; return False if they were so already.

        The audit log records a change. The state outlives restarts.
        """
        async with self._database.write() as connection:
            done = await connection.execute(_PAUSE if paused else _RESUME, {"name": PAUSES})
            if not done.rowcount:
                return False
            await log_acts(connection, by, Act("servers paused" if paused else "servers resumed", "all servers"))
            return True
