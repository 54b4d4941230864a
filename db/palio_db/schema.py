"""The version of the tables: this Palio uses those from `USABLE` to `HEAD`, and refuses older and newer ones.

Opening a database never changes its tables; it only creates them in an empty one. `upgrades.py` changes them, for
`palio migrate` alone, so that no command can break a server of an older Palio that runs on the same database.

Two versions are stored. One is the newest migration that was run. The other is the floor: the newest migration with
which no older Palio may use the tables. Between the two, the tables were only expanded, and an older Palio still works.
So servers of one database can be upgraded one by one.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.connections import Connection, Sql
from palio_db.database import Database
from palio_db.errors import Outdated, WrongDatabase
from palio_db.notices import Notices
from palio_db.store_part import StorePart
from palio_db.watched_file import check_integrity
from palio_db.work import Exclusive
from palio_rules.version import BUILD

log = logging.getLogger(__name__)

# Set these when you add a migration; tests compare them with the files.
HEAD = "0019"  # the newest migration
FLOOR = "0013"  # the newest migration that does not only expand
USABLE = "0012"  # the oldest tables that this Palio uses; what newer ones bring is not used there
PACKED = "0013"  # from these on records are packed and archived, and outcomes are counted
MEETINGS = "0014"  # from these on the matches of two bots have a table
DETAILS = "0015"  # from these on the table of matches has what the rules say of a result
TRIES = "0016"  # from these on it is counted how often a check of a submission was begun
OWN_DUES = "0017"  # from these on students have due dates of their own, and fault texts a table
BANS = "0018"  # from these on there are bans, former names, and the addresses that played
VERSION_TABLE = "palio_migration"  # not alembic's default name, which other programs in the same database may use
FLOOR_TABLE = "palio_version"  # an older Palio, which has no floor, reads it as the version
VERSION = Sql.of(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608  a constant
FLOOR_OF = Sql.of(f"SELECT version_num FROM {FLOOR_TABLE}")  # noqa: S608
LOCK_KEY = 0x50414C494F  # "PALIO": the advisory lock under which one process at a time makes or changes tables
_JOURNAL_MODE = Sql("PRAGMA journal_mode", "")


class TablesVersion(NamedTuple):
    """The two versions that a database has stored."""

    version: str
    floor: str


async def prepare_tables(database: Database) -> None:
    """Create the tables of an empty database; check that this Palio can use those of another one.

    Raises Outdated, WrongDatabase, Unavailable.
    """
    if await database.query(_is_current):
        return
    async with database.read() as connection:
        found = await read_version(connection, database)
    if found is not None:
        check_usable(found, database.address.label)
        database.packs = found.floor >= PACKED
        database.has_meetings = found.version >= MEETINGS
        database.has_details = found.version >= DETAILS
        database.has_tries = found.version >= TRIES
        database.has_own_dues = found.version >= OWN_DUES
        database.has_bans = found.version >= BANS
    elif database.read_only:
        reason = "its tables are to be made, and it is read-only; open it once with write access"
        raise WrongDatabase(f"cannot use {database.address.label}: {reason}")
    if not database.read_only:
        await database.prepare()
    if found is None:
        async with database.write() as connection:  # on SQLite this waits for another process that does the same
            await lock_tables(connection, database)
            if await read_version(connection, database) is None:
                await connection.run_sync(_create)


def _is_current(connection: Connection) -> bool:
    with suppress(Exception):  # an empty or damaged database: `read_version` says which
        if connection.kind == "sqlite" and connection.rows(_JOURNAL_MODE) == [("delete",)]:
            return False  # another program switched WAL mode off
        return connection.rows(VERSION) == [(HEAD,)]
    return False


async def lock_tables(connection: AsyncConnection, database: Database) -> None:
    """Wait until no other process makes or changes tables, and keep others out until the transaction ends."""
    if database.is_postgresql:
        await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})


async def read_version(connection: AsyncConnection, database: Database) -> TablesVersion | None:
    """Return the versions of the tables; None for an empty database. Raises WrongDatabase for another program's."""
    tables = await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names())
    if FLOOR_TABLE not in tables:
        if tables:
            names = ", ".join(sorted(tables)[:3])
            what = f"it holds tables of another program ({names}); name a new one"
            raise WrongDatabase(f"cannot use {database.address.label}: {what}")
        return None
    floor: str | None = (await connection.execute(sa.text(FLOOR_OF.sqlite))).scalar_one_or_none()
    version = floor
    if VERSION_TABLE in tables:
        version = (await connection.execute(sa.text(VERSION.sqlite))).scalar_one_or_none()
    return None if version is None or floor is None else TablesVersion(version, floor)


def is_known(version: str) -> bool:
    """Return whether this Palio has the migration: their numbers have no gap."""
    return version.isdigit() and len(version) == len(HEAD) and version <= HEAD


def check_usable(found: TablesVersion, label: str) -> None:
    """Raise Outdated for older tables, WrongDatabase for newer ones, unless this Palio can use them."""
    if not is_known(found.floor):
        needed = "" if found.floor == found.version else f" for a Palio that knows {found.floor}"
        raise WrongDatabase(
            f"cannot use {label}: a newer Palio has written it (tables {found.version}{needed}, this one, {BUILD}, "
            f"knows {HEAD}); upgrade Palio"
        )
    if not is_known(found.version):
        log.warning("%s: a newer Palio has expanded the tables (%s); they are used as %s", label, found.version, HEAD)
    elif found.version < USABLE:
        raise Outdated(
            f"cannot use {label}: its tables are {found.version}, this Palio, {BUILD}, needs {USABLE} or newer; "
            f"palio migrate {label} upgrades them, with --check it only says what changes"
        )


def _create(connection: sa.Connection) -> None:
    """Create all tables from the models; a test compares them with the result of the migrations."""
    from palio_db.models import Base  # noqa: PLC0415  who finds its tables needs none of this

    Base.metadata.create_all(connection)
    write_version(connection, VERSION_TABLE, HEAD)
    write_version(connection, FLOOR_TABLE, FLOOR)


def write_version(connection: sa.Connection, table: str, version: str) -> None:
    """Write one of the two versions, in a table of alembic's form."""
    kept = sa.Table(
        table,
        sa.MetaData(),
        sa.Column("version_num", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("version_num", name=f"{table}_pkc"),
    )
    kept.create(connection, checkfirst=True)
    connection.execute(sa.delete(kept))
    connection.execute(sa.insert(kept).values(version_num=version))


# The state of the database: whether it can be written, and the free space on its disk.

FULL = 2**20, 0.02  # bytes, or this share of the disk if that is less: below it no new match starts
LOW = 100 * 2**20, 0.1  # likewise, for a warning

# Changes nothing, but is written.
PROBE = Sql.of("UPDATE palio_version SET version_num = version_num RETURNING version_num")


class FreeSpace(NamedTuple):
    """The free space on the disk of a SQLite file, in bytes."""

    free: int
    size: int

    @property
    def full(self) -> bool:
        return self.free < min(FULL[0], FULL[1] * self.size)

    @property
    def low(self) -> bool:
        return self.free < min(LOW[0], LOW[1] * self.size)


class Monitoring(StorePart):
    """Queries for monitoring of a server."""

    @property
    def write_error(self) -> str:
        """Return why the last write failed, in a sentence; "" if it succeeded."""
        return self._database.write_error

    def notices(self) -> Notices:
        """Return the notifications of changes by other processes."""
        return Notices(self._database)

    @property
    def errors(self) -> int:
        """Return how many groups of writes failed since the store was opened."""
        return self._database.writer.errors

    @property
    def writes_waiting(self) -> int:
        """Return how many writes wait for their turn."""
        return self._database.writer.waiting

    def on_commit(self, told: Callable[[float], None]) -> None:
        """Call `told` after each transaction of the writer with its duration in seconds."""
        self._database.writer.on_commit = told

    async def check_file(self) -> None:
        """Check all pages of a SQLite file of any size. Raises Damaged."""
        await asyncio.to_thread(check_integrity, self._database.address, thoroughly=True)

    async def check_open_file(self) -> None:
        """Check that a SQLite file is still the one that was opened, under its name. Raises FileLost."""
        await self._database.check_open_file()

    async def probe(self) -> None:
        """Write something that changes nothing, as a test. Raises StoreError."""
        await self._database.submit(Exclusive(_probe))

    def room(self) -> FreeSpace | None:
        """Return the free space for a SQLite file; None for other databases. Raises OSError."""
        address = self._database.address
        if address.kind != "sqlite" or address.memory_uri:
            return None
        found = os.statvfs(Path(str(address.url.database)).absolute().parent)
        blocks = found.f_bfree if os.geteuid() == 0 else found.f_bavail  # some blocks are reserved for root
        return FreeSpace(blocks * found.f_frsize, found.f_blocks * found.f_frsize)


def _probe(connection: Connection) -> None:
    connection.rows(PROBE)
