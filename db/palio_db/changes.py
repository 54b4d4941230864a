"""What changes behind a running server's back: counts that it can look at often, and cheaply.

A count goes up in the transaction of the change. So whoever has read the same count twice has missed nothing between.
"""

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.connections import Connection, Sql
from palio_db.store_part import StorePart

TOKENS = "tokens"  # one was revoked, or another moment set for its end
RESULTS = "results/"  # and a game: a match of it counts no more

READ = Sql.of("SELECT name, count FROM changes")
_ADD = "INSERT INTO changes (name, count) VALUES ({}, 1) ON CONFLICT (name) DO UPDATE SET count = changes.count + 1"
ADD = Sql.of(_ADD.format("?"))


class Changes(StorePart):
    """Reading the counts of changes."""

    async def changes(self) -> dict[str, int]:
        """How often each was changed; what never was is not in it."""
        return dict(await self._database.ask(lambda connection: connection.rows(READ)))


async def changed(connection: AsyncConnection, name: str) -> None:
    """Count a change within its transaction."""
    await connection.execute(text(_ADD.format(":name")), {"name": name})


def change(connection: Connection, name: str) -> None:
    """The same on a plain connection."""
    connection.change(ADD, [(name,)])
