"""Plain connections: frequent statements go directly to the driver, without a layer that builds, caches or awaits.

The tables belong to SQLAlchemy (`models.py`, the migrations), and so do all rare statements. Here a statement is a text
for each database, and a connection belongs to one thread at a time.
"""

import asyncio
import json
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from queue import SimpleQueue
from typing import Any, Protocol, Self, TypeVar

from palio_db.address import Address, Kind

CLOCK = {  # equivalent to `columns.DatabaseClock`
    "sqlite": "((julianday('now') - 2440587.5) * 86400.0)",
    "postgresql": "extract(epoch from clock_timestamp())::double precision",
}
PRAGMAS = (
    "PRAGMA cell_size_check = ON",  # finds a damaged page when it is read
    "PRAGMA synchronous = FULL",  # a committed result survives a power failure
    "PRAGMA foreign_keys = ON",
)
SETTINGS = """
    SET jit = off;  -- our statements are small: to compile one that takes 20 ms would take 300
    -- Each has one good plan: by an index, in its order. How many matches wait changes faster than what the planner
    -- knows of it, and it would sort all of them.
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; SET enable_incremental_sort = off
"""
BULK = 32  # rows in one statement: SQLite lets other threads run at each statement, and waits for its turn again
Parameters = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Sql:
    """A statement in the syntax of each database; `?` stands for a parameter."""

    sqlite: str
    postgresql: str

    @classmethod
    def of(cls, text: str, **parts: str | tuple[str, str]) -> Self:
        """Fill in `{clock}` and each `{part}`; of a pair of texts SQLite gets the first, PostgreSQL the second."""
        sqlite, postgresql = (
            text.format(
                clock=CLOCK[kind], **{n: part if isinstance(part, str) else part[i] for n, part in parts.items()}
            )
            for i, kind in enumerate(("sqlite", "postgresql"))
        )
        return cls(sqlite, postgresql.replace("?", "%s"))


ANY = ("IN (SELECT value FROM json_each(?))", "= ANY(?)")  # of a list, as `Connection.list_` gives it


class Connection(Protocol):
    """One connection of the database driver. Errors are the driver's."""

    kind: Kind
    committing: bool  # a commit was sent, and its outcome is unknown

    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[Any]: ...
    def change(self, sql: Sql, lines: Sequence[Parameters]) -> None:
        """Run a statement that changes rows, for each line of parameters."""

    def change_bulk(self, sql: Sql, lines: Sequence[Parameters]) -> None:
        """Run a statement for thousands of parameter lines; on PostgreSQL each parameter is the array of a column."""

    def begin(self) -> None: ...
    def commit(self) -> None: ...
    def rollback(self) -> None:
        """Undo what is not committed; a broken connection stays broken."""

    def close(self) -> None: ...
    def lost(self, error: BaseException) -> bool:
        """Return whether this connection is unusable after this error."""

    def list_(self, values: Iterable[str]) -> Any:
        """Return names as one parameter."""

    def from_moment(self, value: datetime) -> Any: ...
    def to_moment(self, value: Any) -> datetime: ...


@cache
def _for_rows(sql: str, rows: int) -> str:
    """Return an INSERT of one row, extended to `rows` rows."""
    before, values, after = re.split(r"(?<=VALUES )(\([?, ]+\))", sql, maxsplit=1)
    return before + ", ".join([values] * rows) + after


class SqliteConnection:
    """A connection of Python's sqlite3 module, with explicit transactions."""

    kind: Kind = "sqlite"

    def __init__(self, address: Address, busy_ms: int) -> None:
        name = address.uri or str(address.url.database)
        self._connection = sqlite3.connect(
            name,
            uri=bool(address.uri),
            timeout=busy_ms / 1000,
            isolation_level=None,
            check_same_thread=False,  # opened and used in one thread, but maybe closed in another
            cached_statements=256,
        )
        self.committing = False
        try:
            for pragma in PRAGMAS:
                self._connection.execute(pragma)
        except BaseException:
            self.close()
            raise

    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[Any]:
        return self._connection.execute(sql.sqlite, parameters).fetchall()

    def change(self, sql: Sql, lines: Sequence[Parameters]) -> None:
        self._connection.executemany(sql.sqlite, lines)

    def change_bulk(self, sql: Sql, lines: Sequence[Parameters]) -> None:
        rest = len(lines) % BULK
        for start in range(0, len(lines) - rest, BULK):
            values = [value for line in lines[start : start + BULK] for value in line]
            self._connection.execute(_for_rows(sql.sqlite, BULK), values)
        self._connection.executemany(sql.sqlite, lines[len(lines) - rest :])

    def begin(self) -> None:
        self.committing = False
        self._connection.execute("BEGIN IMMEDIATE")  # a reader that starts to write would fail instead of waiting

    def commit(self) -> None:
        self.committing = True
        self._connection.execute("COMMIT")
        self.committing = False

    def rollback(self) -> None:
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()

    @property
    def changes(self) -> int:
        """Return how many rows this connection has changed so far."""
        return self._connection.total_changes

    def pragma(self, text: str) -> Any:
        """Run a PRAGMA and return its first row; None without a row."""
        row = self._connection.execute(f"PRAGMA {text}").fetchone()
        return row and row[0]

    def copy(self, to: str) -> None:
        """Write everything that this connection sees to a new file."""
        self._connection.execute("VACUUM INTO ?", (to,))

    def lost(self, error: BaseException) -> bool:
        return isinstance(error, sqlite3.DatabaseError)  # a new one is cheap, and has no error state

    def list_(self, values: Iterable[str]) -> Any:
        return json.dumps(list(values))

    def from_moment(self, value: datetime) -> Any:
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")  # SQLAlchemy's format

    def to_moment(self, value: Any) -> datetime:
        return datetime.fromisoformat(value).replace(tzinfo=UTC)


class PostgresqlConnection:
    """A synchronous connection of psycopg, which prepares frequent statements by itself."""

    kind: Kind = "postgresql"

    def __init__(self, arguments: dict[str, Any]) -> None:
        import psycopg  # noqa: PLC0415  SQLite needs none of it

        self._connection: psycopg.Connection[Any] = psycopg.connect(**arguments, autocommit=True)
        self.committing = False
        try:
            self._connection.execute(SETTINGS)
        except BaseException:
            self.close()
            raise

    def rows(self, sql: Sql, parameters: Parameters = ()) -> list[Any]:
        return self._connection.execute(sql.postgresql, parameters).fetchall()

    def change(self, sql: Sql, lines: Sequence[Parameters]) -> None:
        if len(lines) == 1:
            self._connection.execute(sql.postgresql, lines[0])
        else:
            self._connection.cursor().executemany(sql.postgresql, lines)

    def change_bulk(self, sql: Sql, lines: Sequence[Parameters]) -> None:
        self._connection.execute(sql.postgresql, [_array(column) for column in zip(*lines, strict=True)])

    def begin(self) -> None:
        self.committing = False
        self._connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED")

    def commit(self) -> None:
        self.committing = True
        self._connection.execute("COMMIT")
        self.committing = False

    def rollback(self) -> None:
        import psycopg  # noqa: PLC0415

        if not self._connection.closed:
            with suppress(psycopg.Error):
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()

    def lost(self, error: BaseException) -> bool:
        return self._connection.closed

    def list_(self, values: Iterable[str]) -> Any:
        return list(values)

    def from_moment(self, value: datetime) -> Any:
        return value

    def to_moment(self, value: Any) -> datetime:
        found: datetime = value.astimezone(UTC)
        return found


def _array(values: Sequence[str | int | bytes]) -> str:
    """Return an array in PostgreSQL's syntax; psycopg checks each element's type, which takes five times as long."""
    return "{" + ",".join(map(_element, values)) + "}"


def _element(value: str | int | bytes) -> str:
    if isinstance(value, bytes):
        return f'"\\\\x{value.hex()}"'
    if isinstance(value, int):
        return str(value)
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


# A thread with one plain connection, so that database work does not block the event loop.

T = TypeVar("T")

GRACE_S = 15.0  # for work whose caller was cancelled; longer than SQLite waits for another writer


async def finished(work: "asyncio.Future[T]") -> T:
    """Return the result of `work`. A cancelled caller is cancelled only when the work is done.

    Work that was sent to a thread or a server cannot be stopped.
    """
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work], timeout=GRACE_S)
        if work.done() and not work.cancelled():
            work.exception()  # mark as retrieved, because no caller is left
        raise


class ConnectionThread:
    """A thread that runs work on its own connection, one after the other.

    It connects when there is work, and again after the connection was lost.
    """

    def __init__(self, name: str, connect: Callable[[], Connection]) -> None:
        self._name, self._connect = name, connect
        self._work: SimpleQueue[tuple[Callable[[Connection], Any], asyncio.Future[Any]] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._connection: Connection | None = None

    def run(self, work: Callable[[Connection], T]) -> "asyncio.Future[T]":
        """Run `work` in the thread and return its future. If the connection was already lost, `work` runs twice."""
        if self._thread is None:
            # A daemon: a program that exits without closing the store must not wait. Uncommitted work was not
            # confirmed.
            self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._thread.start()
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._work.put((work, future))
        return future

    @property
    def connected(self) -> bool:
        """Return whether there is a connection now."""
        return self._connection is not None

    async def close(self) -> None:
        """Finish the queued work, then close the connection."""
        if self._thread is not None:
            self._work.put(None)
            await asyncio.to_thread(self._thread.join)
            self._thread = None

    def _serve(self) -> None:
        while (item := self._work.get()) is not None:
            work, future = item
            value, error = None, None
            try:
                value = self._run(work)
            except BaseException as caught:  # noqa: BLE001  the caller gets it
                error = caught
            with suppress(RuntimeError):  # the loop was closed: no caller waits
                future.get_loop().call_soon_threadsafe(_settle, future, value, error)
            del item, work, future, value, error  # would otherwise stay alive until the next work
        self._drop()

    def _run(self, work: Callable[[Connection], T]) -> T:
        again = self._connection is not None
        while True:
            connection = self._connection = self._connection or self._connect()
            try:
                return work(connection)
            except BaseException as error:
                connection.rollback()
                if not connection.lost(error):
                    raise
                self._drop()
                # A restarted server must not make a transaction fail. If the transaction may have been committed, the
                # caller must decide.
                if connection.committing or not again or connection.kind == "sqlite":
                    raise
                again = False

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(Exception):
                self._connection.close()
            self._connection = None


def _settle(future: "asyncio.Future[Any]", value: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)
