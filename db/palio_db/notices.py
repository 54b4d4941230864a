"""PostgreSQL's word that another process has changed something: LISTEN and NOTIFY.

A notice says only where to look; what has changed is read from the tables, so one that is lost, doubled or too early
does no harm. The database itself sends it, by triggers, in the transaction of the change: whatever program writes,
an older Palio, too, and nothing is said of what was rolled back. SQLite has none of this.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.connections import Connection, Sql
from palio_db.database import Database, postgresql_arguments
from palio_db.store_part import StorePart
from palio_rules.backoff import Backoff

log = logging.getLogger(__name__)

CHANNEL = "palio"
MATCHES, CHANGES = "matches", "changes"  # scheduled, or given back; what is counted
QUIET_S = 30.0  # without a notice, the connection is tried
ALIVE = {  # a cable that was cut is noticed within half a minute
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
FIRST_S, LONGEST_S = 0.2, 10.0  # between two attempts to connect

_NOTIFY = f"""
    CREATE OR REPLACE FUNCTION palio_notify() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('{CHANNEL}', TG_ARGV[0]); RETURN NULL; END $$
"""
_SCHEDULED = f"""
    CREATE TRIGGER palio_scheduled AFTER INSERT ON matches
    FOR EACH STATEMENT EXECUTE FUNCTION palio_notify('{MATCHES}')
"""
# Of each row, because claims and results change many; the condition costs them next to nothing.
_GIVEN_BACK = f"""
    CREATE TRIGGER palio_given_back AFTER UPDATE OF status ON matches
    FOR EACH ROW WHEN (OLD.status = 'running' AND NEW.status = 'scheduled') EXECUTE FUNCTION palio_notify('{MATCHES}')
"""
_CHANGED = f"""
    CREATE TRIGGER palio_changed AFTER INSERT OR UPDATE ON changes
    FOR EACH STATEMENT EXECUTE FUNCTION palio_notify('{CHANGES}')
"""
TRIGGERS = (_NOTIFY, _SCHEDULED, _GIVEN_BACK, _CHANGED)


class Notices:
    """A standing connection that hears of changes. While it is not `listening`, whoever wants to know has to look.

    Every listener is called, too, when the connection is there and when it is lost: there may be something that nobody
    has said, and from then on to look more often, or less.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: list[tuple[str, Callable[[], None]]] = []
        self.listening = False

    def on(self, name: str, call: Callable[[], None]) -> None:
        """Call it when MATCHES or CHANGES may have changed."""
        self._listeners.append((name, call))

    async def run(self) -> None:
        """Listen until cancelled, and connect again whenever that is needed."""
        if not self._database.is_postgresql:
            return
        backoff = Backoff(first=FIRST_S, longest=LONGEST_S)
        import psycopg  # noqa: PLC0415  SQLite needs none of it

        while True:
            try:
                await self._listen(backoff)
            except (psycopg.Error, OSError) as error:
                if self.listening or backoff.failures == 0:
                    log.warning("the database tells of no changes now, looking instead: %s", str(error).strip())
            finally:
                self._turn(listening=False)
            await asyncio.sleep(backoff.next())

    async def _listen(self, backoff: Backoff) -> None:
        """Raises psycopg.Error when the connection is lost."""
        import psycopg  # noqa: PLC0415

        arguments: dict[str, Any] = ALIVE | postgresql_arguments(self._database.address)
        connection = await psycopg.AsyncConnection.connect(**arguments, autocommit=True)
        try:
            await connection.execute(f"LISTEN {CHANNEL}")
            backoff.reset()
            self._turn(listening=True)
            while True:
                async for notice in connection.notifies(timeout=QUIET_S):
                    self._tell(notice.payload)
                await connection.execute("SELECT 1")
        finally:
            with suppress(psycopg.Error, OSError):
                await connection.close()

    def _turn(self, *, listening: bool) -> None:
        if self.listening != listening:
            self.listening = listening
            for _, call in self._listeners:
                call()

    def _tell(self, what: str) -> None:
        for name, call in self._listeners:
            if name == what:
                call()


# What changes behind a running server's back: counts that it can look at often, and cheaply.
#
# A count goes up in the transaction of the change. So whoever has read the same count twice has missed nothing between.

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
