"""One database and its connections: how a transaction begins, and what a driver's error means to an operator.

SQLite gets one writer at a time: writers of this process queue up here in order, those of other processes wait for
`BEGIN IMMEDIATE`. A transaction that begins as a reader and turns writer would fail instead of waiting, and lose an
update that it has not seen.
"""

import asyncio
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, nullcontext
from typing import Any

from sqlalchemy import event
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from palio_db.address import Address
from palio_db.errors import StoreError, Unavailable, WrongDatabase

BUSY_MS = 10_000  # how long a writer waits for one in another process
CONNECT_S = 10  # how long to try to reach a server
POOL = 10  # connections of a process; more than one event loop keeps busy

_PRAGMAS = (
    "PRAGMA synchronous = FULL",  # a committed result survives a power cut
    "PRAGMA foreign_keys = ON",
)


class Database:
    """Transactions on one database. Every error of the driver leaves as a StoreError."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.engine = _engine(address)
        self._one_writer = asyncio.Lock() if address.kind == "sqlite" else None
        # A database in memory lives as long as its last connection: this one, which is never used.
        self._keeper = sqlite3.connect(address.memory_uri, uri=True) if address.memory_uri else None

    @property
    def is_postgresql(self) -> bool:
        return self.address.kind == "postgresql"

    @asynccontextmanager
    async def read(self, *, snapshot: bool = False) -> AsyncIterator[AsyncConnection]:
        """For statements that only read; with `snapshot`, all of them see the same moment."""
        options = {"isolation_level": "REPEATABLE READ"} if self.is_postgresql else {"palio_begin": "BEGIN"}
        with _store_errors(self.address):
            async with self.engine.connect() as bare:
                connection = await bare.execution_options(**options) if snapshot else bare
                async with connection.begin():
                    yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes: committed at the end of the block, rolled back if that raises."""
        with _store_errors(self.address):
            async with self._one_writer or nullcontext(), self.engine.connect() as bare:
                connection = await bare.execution_options(palio_begin="BEGIN IMMEDIATE")
                async with connection.begin():
                    yield connection

    async def close(self) -> None:
        """Close all connections."""
        await self.engine.dispose()
        if self._keeper is not None:
            self._keeper.close()

    async def prepare(self) -> None:
        """Once before the first transaction: puts a SQLite file into WAL mode, in which nobody waits for readers."""
        if self.address.kind == "sqlite" and not self.address.memory_uri:
            try:
                await asyncio.to_thread(_use_wal, str(self.address.url.database))
            except sqlite3.Error as error:
                raise translate(error, self.address) from error


@contextmanager
def _store_errors(address: Address) -> Iterator[None]:
    """A block whose driver's errors leave as StoreError."""
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise translate(getattr(error, "orig", error), address) from error
    except IntegrityError:
        raise
    except ProgrammingError as error:  # a fault of ours, unless the server does not let us
        if "permission denied" in str(error.orig):
            raise translate(error.orig, address) from error
        raise
    except DBAPIError as error:  # plain DatabaseError is SQLite's "not a database"
        raise translate(error.orig, address) from error


def _engine(address: Address) -> AsyncEngine:
    if address.kind == "postgresql":
        timeout = {} if "connect_timeout" in address.url.query else {"connect_timeout": CONNECT_S}
        engine = create_async_engine(
            address.url,
            isolation_level="READ COMMITTED",
            pool_size=POOL,
            pool_pre_ping=True,  # a server that was restarted costs no failed transaction
            connect_args=timeout,
        )
        event.listen(engine.sync_engine, "connect", _without_jit)
        return engine
    # A database in memory has no WAL, in which readers and a writer could meet: one connection, in turns.
    size = 1 if address.memory_uri else POOL
    # isolation_level None: the sqlite3 module begins no transaction of its own, `_begin` does.
    engine = create_async_engine(
        address.url, pool_size=size, max_overflow=0, connect_args={"isolation_level": None, "timeout": BUSY_MS / 1000}
    )
    event.listen(engine.sync_engine, "connect", _set_pragmas)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _without_jit(connection: Any, _record: object) -> None:
    """Our statements are small; PostgreSQL would spend 300 ms on compiling one that takes 20."""
    with closing(connection.cursor()) as cursor:
        cursor.execute("SET jit = off")
    connection.commit()


def _use_wal(file: str) -> None:
    """The mode stays with the file. SQLite does not wait by itself while others do the same at the same moment."""
    deadline = time.monotonic() + BUSY_MS / 1000
    with closing(sqlite3.connect(file, timeout=BUSY_MS / 1000)) as connection:
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "is locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
            else:
                return


def _set_pragmas(connection: Any, _record: object) -> None:
    with closing(connection.cursor()) as cursor:
        for pragma in _PRAGMAS:
            cursor.execute(pragma)


def _begin(connection: Any) -> None:
    if begin := connection.get_execution_options().get("palio_begin"):
        connection.exec_driver_sql(begin)


# Part of the driver's message -> what to say of it. The first that fits wins.
_SQLITE: tuple[tuple[str, type[StoreError], str], ...] = (
    ("is locked", Unavailable, "another program holds it locked; close that program or try again"),
    ("readonly", Unavailable, "it is read-only; give this user write access to the file and its directory"),
    ("unable to open", Unavailable, "the file cannot be opened; check its path and permissions"),
    ("disk is full", Unavailable, "the disk is full; make room"),
    ("disk I/O error", Unavailable, "the disk reports an error; check its space and health"),
    ("not a database", WrongDatabase, "the file is not a SQLite database; name another one"),
    ("malformed", WrongDatabase, "the file is damaged; restore it from a backup"),
)
_POSTGRESQL: tuple[tuple[str, type[StoreError], str], ...] = (
    ("does not exist", WrongDatabase, "the server does not know this user or database; create it with createdb"),
    ("password", WrongDatabase, "the server refuses this user or password; correct the URL"),
    ("authentication failed", WrongDatabase, "the server refuses this user; correct the URL or its pg_hba.conf"),
    ("permission denied", WrongDatabase, "this user may not write there; grant it or make it the owner"),
    ("read-only", Unavailable, "the server is read-only, perhaps a standby; name the primary"),
    ("too many", Unavailable, "the server has no connection left; raise its max_connections or close other clients"),
    ("starting up", Unavailable, "the server is just starting; try again in a moment"),
    ("deadlock", Unavailable, "two transactions waited for each other and this one gave way; try again"),
)


def translate(error: BaseException | None, address: Address) -> StoreError:
    """The StoreError to raise in place of a driver's error, or of a connection that never got free."""
    if isinstance(error, PoolTimeout):
        return Unavailable(f"cannot use {address.label}: every connection is busy; ask less of it at once")
    text = str(error)
    table, default = (
        (_SQLITE, "SQLite refuses it; check the file")
        if isinstance(error, sqlite3.Error)
        else (_POSTGRESQL, "the server cannot be reached; start it or correct the URL")
    )
    for part, kind, remedy in table:
        if part in text:
            return kind(f"cannot use {address.label}: {remedy}")
    return Unavailable(f"cannot use {address.label}: {default} ({_first_line(text)})")


def _first_line(text: str) -> str:
    lines = [re.sub(r"password=\S+", "password=***", line).strip() for line in text.splitlines()]
    return next((line for line in lines if line), "no details")[:300]
