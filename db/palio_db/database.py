"""One database and its connections, and the start of transactions.

Rare statements go through SQLAlchemy (`read`, `write`). Statements for every match go through plain connections, each
in its own thread (`query`, `submit`): one that reads, and one that writes in groups.

SQLite allows one writer at a time: writers of this process queue up here in order, those of other processes wait for
`BEGIN IMMEDIATE`. A transaction that begins as a reader and then writes would fail instead of waiting, because it has
not seen the other update.
"""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, nullcontext
from functools import cached_property
from typing import Any, TypeVar

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from palio_db.address import Address
from palio_db.connections import PRAGMAS, Connection, ConnectionThread, PostgresqlConnection, SqliteConnection, finished
from palio_db.driver_errors import as_store_error, store_errors, translate
from palio_db.errors import FileLost, ReadOnly, StoreError, Unavailable
from palio_db.watched_file import WatchedFile, is_special
from palio_db.work import Work
from palio_db.writer import Writer

BUSY_MS = 10_000  # how long a writer waits for one in another process
CONNECT_S = 10  # how long to try to reach a server
POOL = 10  # connections of a process; more than one event loop keeps busy

T = TypeVar("T")


class Database:
    """Transactions on one database. Every error of the driver is raised as a StoreError."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.packs = True  # whether the tables allow packed and archived records, and count outcomes
        self.has_meetings = True  # whether the tables list the matches of two bots
        self.has_details = True  # whether the table of matches has what the rules say of a result
        self.has_tries = True  # whether the table of checks counts how often one was begun
        self.has_own_dues = True  # whether there are tables of own due dates, and of what programs said of faults
        self.has_bans = True  # whether the tables have bans, former names, and the addresses that played
        self._one_writer = asyncio.Lock() if address.kind == "sqlite" else nullcontext()
        # A database in memory has no WAL, with which readers and a writer could run together: they take turns.
        self._one_reader = self._one_writer if address.memory_uri else nullcontext()
        watched = address.kind == "sqlite" and address.uri is None and not is_special(address.file or "")
        self._file = WatchedFile(str(address.url.database), address.label) if watched else None
        self._writing = ConnectionThread("palio-writer", self._connect_writer)
        self._reading = self._writing if address.memory_uri else ConnectionThread("palio-reader", self._connect)
        self._writer = Writer(address, self._writing, self._one_writer, self._file)
        # A database in memory lives as long as its last connection: this one, which is never used otherwise.
        self._keeper = sqlite3.connect(address.memory_uri, uri=True) if address.memory_uri else None

    @property
    def is_postgresql(self) -> bool:
        return self.address.kind == "postgresql"

    @property
    def read_only(self) -> bool:
        """Return whether this user may only read the file."""
        return self.address.read_only_uri is not None

    def check_has_bans(self) -> None:
        """Raise StoreError if an older Palio has made the tables, without bans, former names and addresses."""
        if not self.has_bans:
            what = "its tables are those of an older Palio, without bans, former names and addresses"
            raise StoreError(f"cannot do that in {self.address.label}: {what}; palio migrate {self.address.label}")

    @property
    def writer(self) -> Writer:
        return self._writer

    @property
    def write_error(self) -> str:
        """Return why the last group of writes failed; "" if it succeeded."""
        return self._writer.write_error

    @cached_property
    def engine(self) -> AsyncEngine:
        """Return SQLAlchemy's engine, made on first use, because some programs only read a leaderboard."""
        engine = _engine(self.address)
        if (file := self._file) is not None:
            event.listen(engine.sync_engine, "do_connect", lambda *_: file.check_path())
        return engine

    async def submit(self, work: Work) -> Any:
        """Write, in one transaction with other concurrent writes; see `Writer.submit`."""
        self._check_may_write()
        return await self._writer.submit(work)

    async def query(self, question: Callable[[Connection], T]) -> T:
        """Read on the plain connection."""
        async with self._one_reader:
            try:
                return await finished(self._reading.run(question))
            except Exception as error:
                known = as_store_error(error, self.address)
                if known is error:
                    raise
                raise known from error

    @asynccontextmanager
    async def read(self, *, snapshot: bool = False) -> AsyncIterator[AsyncConnection]:
        """Open a read-only transaction; with `snapshot`, all its statements see the same moment."""
        options = {"isolation_level": "REPEATABLE READ"} if self.is_postgresql else {"palio_begin": "BEGIN"}
        with store_errors(self.address):
            async with self._one_reader, self.engine.connect() as bare:
                connection = await bare.execution_options(**options) if snapshot else bare
                async with connection.begin():
                    yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """Open a write transaction: committed at the end of the block, rolled back if the block raises."""
        self._check_may_write()
        await self.check_open_file()
        try:
            with store_errors(self.address):
                async with self._one_writer, self.engine.connect() as bare:
                    connection = await bare.execution_options(palio_begin="BEGIN IMMEDIATE")
                    async with connection.begin():
                        yield connection
                    await self.check_open_file()
        except Unavailable as error:
            self._writer.write_error = str(error)
            raise
        self._writer.write_error = ""

    async def check_open_file(self) -> None:
        """Check that a SQLite file is still the one that was opened. Raises FileLost."""
        if self._file is None or self._file.unchanged():
            return
        try:
            await finished(self._writing.run(self._file.check))
        except FileLost as error:
            self._writer.write_error = str(error)
            raise
        except Exception as error:  # of a connection that was made for this
            raise as_store_error(error, self.address) from error

    def _check_may_write(self) -> None:
        if self.read_only:
            remedy = "it is read-only; give this user write access to the file and its directory"
            raise ReadOnly(f"cannot use {self.address.label}: {remedy}")

    async def close(self) -> None:
        """Close all connections."""
        await self._writer.close()
        if self._file is not None and self._writing.connected:
            await finished(self._writing.run(self._file.finish))
        await self._writing.close()
        await self._reading.close()
        if "engine" in self.__dict__:
            await self.engine.dispose()
        if self._file is not None:
            self._file.closed()
        if self._keeper is not None:
            self._keeper.close()
        if self.address.copy is not None:
            self.address.copy.cleanup()

    def _connect(self) -> Connection:
        if self.address.kind == "sqlite":
            if self._file is not None:
                self._file.check_path()
            return SqliteConnection(self.address, BUSY_MS)
        return PostgresqlConnection(postgresql_arguments(self.address))

    def _connect_writer(self) -> Connection:
        connection = self._connect()
        if self._file is not None:
            assert isinstance(connection, SqliteConnection)
            try:
                self._file.opened(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    async def prepare(self) -> None:
        """Put a SQLite file into WAL mode, in which readers do not block; called before the first transaction."""
        if self.address.kind == "sqlite" and not self.address.memory_uri:
            try:
                await asyncio.to_thread(_use_wal, str(self.address.url.database))
            except sqlite3.Error as error:
                raise translate(error, self.address) from error


def postgresql_arguments(address: Address) -> dict[str, Any]:
    """Return psycopg's connection arguments, as SQLAlchemy reads them from the URL."""
    dialect = address.url.get_dialect()()
    _, arguments = dialect.create_connect_args(address.url)
    return {"connect_timeout": CONNECT_S, **arguments}


def _engine(address: Address) -> AsyncEngine:
    if address.kind == "postgresql":
        timeout = {} if "connect_timeout" in address.url.query else {"connect_timeout": CONNECT_S}
        engine = create_async_engine(
            address.url,
            isolation_level="READ COMMITTED",
            pool_size=POOL,
            pool_pre_ping=True,  # a restarted server must not make a transaction fail
            connect_args=timeout,
        )
        event.listen(engine.sync_engine, "connect", _without_jit)
        return engine
    size = 1 if address.memory_uri else POOL
    # isolation_level None: the sqlite3 module begins no transaction by itself, `_begin` does.
    engine = create_async_engine(
        address.url, pool_size=size, max_overflow=0, connect_args={"isolation_level": None, "timeout": BUSY_MS / 1000}
    )
    event.listen(engine.sync_engine, "connect", _set_pragmas)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _without_jit(connection: Any, _record: object) -> None:
    """Switch JIT off: PostgreSQL would spend 300 ms on compiling a statement that takes 20 ms."""
    with closing(connection.cursor()) as cursor:
        cursor.execute("SET jit = off")
    connection.commit()


def _use_wal(file: str) -> None:
    """Switch a file to WAL mode, which is permanent.

    Retries, because SQLite fails if other processes do it concurrently.
    """
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
        for pragma in PRAGMAS:
            cursor.execute(pragma)


def _begin(connection: Any) -> None:
    if begin := connection.get_execution_options().get("palio_begin"):
        connection.exec_driver_sql(begin)
