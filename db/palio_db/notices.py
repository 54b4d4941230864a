"""PostgreSQL's notifications that another process has changed something: LISTEN and NOTIFY.

A notification only says where to look; the change is read from the tables, so a lost, doubled or early notification
does no harm. Triggers of the database send it, in the transaction of the change: it works for every program, also for
an older Palio, and a rolled-back change sends none. SQLite has no such thing.
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
MATCHES, CHANGES = "matches", "changes"  # scheduled or released; counted changes
QUIET_S = 30.0  # without a notification, the connection is tested
ALIVE = {  # a cut connection is noticed within half a minute
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
# For each row, because claims and results change many rows; the condition costs them almost no time.
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
    """A permanent connection that receives notifications. While it is not `listening`, its users must poll.

    Every callback is also called when the connection is made and when it is lost, because changes may have been missed,
    and because the polling interval then changes.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: list[tuple[str, Callable[[], None]]] = []
        self.listening = False

    def on(self, name: str, call: Callable[[], None]) -> None:
        """Call `call` when MATCHES or CHANGES may have changed."""
        self._listeners.append((name, call))

    async def run(self) -> None:
        """Listen until cancelled, and reconnect when needed."""
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
        """Listen on one connection. Raises psycopg.Error when it is lost."""
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


# Counters of changes by other processes, which a running server can check often and cheaply.
#
# A counter goes up in the transaction of the change, so a server that reads the same count twice has missed nothing.

TOKENS = "tokens"  # a token was revoked, or its expiry was changed
RESULTS = "results/"  # and a game: a match of it was voided, or counts under another name
BANS = "bans"  # a ban was made or lifted; or a bot was renamed
PAUSES = "pauses"  # an operator paused all servers, or let them go on; odd while they are paused

READ = Sql.of("SELECT name, count FROM changes")
_ADD = "INSERT INTO changes (name, count) VALUES ({}, 1) ON CONFLICT (name) DO UPDATE SET count = changes.count + 1"
ADD = Sql.of(_ADD.format("?"))


class Changes(StorePart):
    """Reading of the counters of changes."""

    async def changes(self) -> dict[str, int]:
        """Return how often each kind was changed; kinds that never changed are missing."""
        return dict(await self._database.query(lambda connection: connection.rows(READ)))


async def count_change(connection: AsyncConnection, name: str) -> None:
    """Count a change within its transaction."""
    await connection.execute(text(_ADD.format(":name")), {"name": name})


def count_change_plain(connection: Connection, name: str) -> None:
    """Count a change on a plain connection."""
    connection.change(ADD, [(name,)])
