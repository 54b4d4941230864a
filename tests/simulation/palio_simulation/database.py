"""The product's `Database` on a simulated disk: its own statements, groups and retries, without its threads.

The plain connections and SQLAlchemy's engine are the product's; the thread behind the former, and the driver behind
the latter, answer from the loop. So a process can be killed between any two statements.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from palio_db.address import Address
from palio_db.connections import PRAGMAS, Connection, ConnectionThread, SqliteConnection, _settle
from palio_db.database import Database, _begin, _set_pragmas
from palio_db.schema import FreeSpace
from palio_db.store import Store
from palio_db.work import Finishing, Releasing
from palio_db.writer import Writer
from palio_simulation.disk import SYNCHRONOUS, Client, Disk, Killed, Target
from palio_simulation.driver import DriverConnection
from palio_simulation.loop import OWNER

ROOM = 2**30  # bytes of the simulated disk, all of which are free until it is full


class PlainConnection(SqliteConnection):
    """The product's own, whose beginnings and commits may fail."""

    def __init__(self, disk: Disk, client: Client) -> None:
        self._disk, self._client = disk, client
        self._connection = disk.connect(client)
        self.committing = False
        self._target: Target = "commit"
        for pragma in PRAGMAS:
            if pragma != SYNCHRONOUS:
                self._connection.execute(pragma)

    def rows(self, sql: Any, parameters: Any = ()) -> list[Any]:
        self._disk.check(self._client)
        return super().rows(sql, parameters)

    def begin(self) -> None:
        self._disk.check(self._client)
        self._target = "commit"
        super().begin()

    def change(self, sql: Any, lines: Any) -> None:
        if "status = 'finished'" in sql.sqlite:
            self._target = "result"
        super().change(sql, lines)

    def commit(self) -> None:
        if not self._connection.in_transaction:
            return
        self.committing = True
        self._disk.commit(self._client, lambda: self._connection.execute("COMMIT"), self.rollback, self._target)
        self.committing = False


class SimulatedThread(ConnectionThread):
    """Does its work in the loop, one after the other, each at one moment."""

    def __init__(self, name: str, connect: Callable[[], Connection], disk: Disk, client: Client) -> None:
        super().__init__(name, connect)
        self._disk, self.client = disk, client
        self._writes = name == "palio-writer"
        self._jobs: deque[tuple[Callable[[Connection], Any], asyncio.Future[Any]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    def run(self, work: Callable[[Connection], Any]) -> "asyncio.Future[Any]":
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        if self.client.dead:
            future.cancel()
            return future
        self._jobs.append((work, future))
        if self._worker is None:
            self._worker = loop.create_task(self._serve_jobs(), name=self._name)
        return future

    async def close(self) -> None:
        if self._worker is not None:
            await asyncio.wait([self._worker])
        self._drop()

    async def _serve_jobs(self) -> None:
        try:
            while self._jobs:
                work, future = self._jobs.popleft()
                await asyncio.sleep(self._disk.delay())
                if self._writes:
                    if self._disk.pause_before(self.client, _target_of(work)):
                        await asyncio.sleep(0)
                    await self._disk.acquire(self)
                value, error = None, None
                try:
                    value = self._run(work)
                except Killed:
                    await asyncio.get_running_loop().create_future()
                except Exception as caught:  # noqa: BLE001  # it belongs to who asked
                    error = caught
                self._disk.release(self)
                await asyncio.sleep(self._disk.delay())
                _settle(future, value, error)
        finally:
            self._worker = None


def _target_of(work: Any) -> Target:
    """Return the target of a group of works, as far as faults need it."""
    works = getattr(work, "args", ((),))[0]
    if any(isinstance(each, Finishing) for each in works):
        return "result"
    return "release" if any(isinstance(each, Releasing) for each in works) else "commit"


class SimulatedDatabase(Database):
    """For one simulated process."""

    def __init__(self, disk: Disk, client: Client) -> None:
        super().__init__(Address.parse("sqlite:////dev/null"))
        self.disk, self.client = disk, client
        self._writing = SimulatedThread("palio-writer", self._connect, disk, client)
        self._reading = SimulatedThread("palio-reader", self._connect, disk, client)
        self._writer = Writer(self.address, self._writing, self._one_writer)

    @property
    def engine(self) -> AsyncEngine:  # type: ignore[override]  # one for all worlds: what it has compiled is kept
        return _engine()

    def _connect(self) -> Connection:
        return PlainConnection(self.disk, self.client)

    def driver_connection(self) -> DriverConnection:
        return DriverConnection(self.disk, self.client)


class SimulatedStore(Store):
    """On a disk that has room, or none."""

    _database: SimulatedDatabase

    def room(self) -> FreeSpace:
        return FreeSpace(0 if self._database.disk.full else ROOM, ROOM)


def _noted(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Tell the disk when a process calls `method` of its store."""

    @wraps(method)
    async def called(store: SimulatedStore, *args: Any, **named: Any) -> Any:
        store._database.disk.called(store._database.client, name)
        return await method(store, *args, **named)

    return called


METHODS = sorted(
    name for name in dir(Store) if name[0] != "_" and name != "open" and iscoroutinefunction(getattr(Store, name))
)
for _name in METHODS:
    setattr(SimulatedStore, _name, _noted(_name, getattr(Store, _name)))

_ENGINES: list[AsyncEngine] = []


def _engine() -> AsyncEngine:
    if not _ENGINES:
        engine = create_async_engine("sqlite+aiosqlite://", poolclass=NullPool, async_creator=_open)
        event.listen(engine.sync_engine, "connect", _set_pragmas)
        event.listen(engine.sync_engine, "begin", _begin)
        _ENGINES.append(engine)
    return _ENGINES[0]


async def _open() -> DriverConnection:
    """Open a connection for the calling process."""
    owner: Any = OWNER.get()
    if owner is None or owner.dead:
        raise sqlite3.OperationalError("unable to open database file")
    connection: DriverConnection = owner.database.driver_connection()
    return connection
