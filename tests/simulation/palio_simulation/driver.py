"""A connection of `aiosqlite` for SQLAlchemy: each statement runs at one moment, with others in between."""

import asyncio
import sqlite3
from collections.abc import Sequence
from typing import Any, Self

from palio_simulation.disk import SYNCHRONOUS, Client, Disk, Killed


class DriverCursor:
    """One statement after the other."""

    arraysize = 1

    def __init__(self, connection: "DriverConnection") -> None:
        self._connection = connection
        self._cursor = connection.raw.cursor()

    async def __aenter__(self) -> Self:
        return self

    @property
    def description(self) -> Any:
        return self._cursor.description

    @property
    def rowcount(self) -> int:
        return self._cursor.rowcount

    @property
    def lastrowid(self) -> int:
        return self._cursor.lastrowid or 0

    async def execute(self, sql: str, parameters: Any = ()) -> Self:
        await self._connection.before(sql)
        if not sql.startswith("PRAGMA") or (self._connection.is_new and sql != SYNCHRONOUS):
            self._cursor.execute(sql, parameters)
        return self

    async def executemany(self, sql: str, parameters: Sequence[Any]) -> Self:
        await self._connection.before(sql)
        self._cursor.executemany(sql, parameters)
        return self

    async def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    async def fetchone(self) -> Any:
        return self._cursor.fetchone()

    async def close(self) -> None:
        self._cursor.close()


class DriverConnection:
    """Opened on a simulated disk by one process."""

    isolation_level = None

    def __init__(self, disk: Disk, client: Client) -> None:
        self._disk, self.client = disk, client
        self.raw, self.is_new = disk.lend(client)
        self._connection = self._conn = self.raw  # as aiosqlite calls it
        self._begun = self._closed = False

    def cursor(self) -> DriverCursor:
        return DriverCursor(self)

    async def create_function(self, *args: Any, **named: Any) -> None:
        self.raw.create_function(*args, **named)

    async def before(self, sql: str) -> None:
        """Wait before a statement. Raises the driver's error while the database is away."""
        if sql.startswith("PRAGMA"):
            return
        if sql == "BEGIN IMMEDIATE":
            await asyncio.sleep(self._disk.delay())
            await self._disk.acquire(self)
        elif not self._begun:
            await asyncio.sleep(self._disk.delay())
        else:
            await asyncio.sleep(0)
        self._begun = True
        try:
            if self.client.dead:
                raise sqlite3.OperationalError("unable to open database file")  # noqa: TRY301  # as the driver does
            self._disk.check(self.client)
        except BaseException:
            self._done()
            raise

    async def commit(self) -> None:
        try:
            if self.raw.in_transaction:
                await asyncio.sleep(self._disk.delay())
                self._disk.commit(self.client, self.raw.commit, self.raw.rollback)
        except Killed:
            await asyncio.get_running_loop().create_future()
        finally:
            self._done()

    async def rollback(self) -> None:
        if not self.client.dead and self.raw.in_transaction:
            self.raw.rollback()
        self._done()

    async def close(self) -> None:
        self.stop()

    def stop(self) -> None:
        if not self._closed:
            self._closed = True
            self._disk.give_back(self.client, self.raw)
        self._done()

    def _done(self) -> None:
        if not self.client.dead and self._closed_or_idle():
            self._begun = False
            self._disk.release(self)

    def _closed_or_idle(self) -> bool:
        try:
            return not self.raw.in_transaction
        except sqlite3.ProgrammingError:
            return True
