"""The version of the tables: a database is upgraded to this Palio's version, and a newer one is refused.

Most programs find the current tables, or an empty database; neither needs alembic, whose import takes as long as a
small tournament.

Two versions are stored. One is the newest migration that was run. The other is the floor: the newest migration that
removes something, or changes its meaning, so that no older Palio may use the tables. Between the two, the tables were
only expanded, and an older Palio still works. So servers of one database can be upgraded one by one.
"""

import asyncio
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.connections import Connection, Sql
from palio_db.database import Database
from palio_db.errors import WrongDatabase
from palio_db.notices import Notices
from palio_db.store_part import StorePart
from palio_db.watched_file import check_integrity
from palio_db.work import Exclusive

if TYPE_CHECKING:
    from alembic.config import Config


log = logging.getLogger(__name__)

HEAD = "0008"  # the newest of the migrations; a test compares them
FLOOR = "0006"  # the newest migration that removes or changes something; set it when you add one
VERSION_TABLE = "palio_migration"  # not alembic's default name, which other programs in the same database may use
FLOOR_TABLE = "palio_version"  # an older Palio, which has no floor, reads it as the version
_VERSION = Sql.of(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608  a constant
_FLOOR = Sql.of(f"SELECT version_num FROM {FLOOR_TABLE}")  # noqa: S608
NEWER = "newer"
_JOURNAL_MODE = Sql("PRAGMA journal_mode", "")
_LOCK = 0x50414C494F  # "PALIO": the advisory lock under which one process at a time migrates


async def upgrade(database: Database) -> None:
    """Create the tables or bring them up to date. Raises WrongDatabase, Unavailable."""
    if await database.query(_is_current):
        return
    if not database.read_only:
        await database.prepare()
    async with database.read() as connection:
        if await _version(connection, database) in (HEAD, NEWER):
            return
    if database.read_only:
        reason = "its tables are to be made or brought up to date, and it is read-only; open it once with write access"
        raise WrongDatabase(f"cannot use {database.address.label}: {reason}")
    async with database.write() as connection:  # on SQLite this waits for another process that migrates
        if database.is_postgresql:
            await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        version = await _version(connection, database)
        if version is None:
            await connection.run_sync(_create)
        elif version not in (HEAD, NEWER):
            await connection.run_sync(_migrate)


def _is_current(connection: Connection) -> bool:
    with suppress(Exception):  # an empty or damaged database: `_version` says which
        if connection.kind == "sqlite" and connection.rows(_JOURNAL_MODE) == [("delete",)]:
            return False  # another program switched WAL mode off
        return connection.rows(_VERSION) == [(HEAD,)]
    return False


async def _version(connection: AsyncConnection, database: Database) -> str | None:
    """Return the version of the database; NEWER if only expanded since ours; None if it is empty."""
    tables = await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names())
    label = database.address.label
    if FLOOR_TABLE not in tables:
        if tables:
            names = ", ".join(sorted(tables)[:3])
            raise WrongDatabase(f"cannot use {label}: it holds tables of another program ({names}); name a new one")
        return None
    floor: str | None = (await connection.execute(sa.text(_FLOOR.sqlite))).scalar_one_or_none()
    version: str | None = floor
    if VERSION_TABLE in tables:
        version = (await connection.execute(sa.text(_VERSION.sqlite))).scalar_one_or_none()
    if version is None or (version, floor) == (HEAD, FLOOR):
        return version
    if floor in (known := _known()):
        if version in known:
            return version
        log.warning("%s: a newer Palio has expanded the tables (%s); they are used as %s", label, version, HEAD)
        return NEWER
    needed = "" if floor == version else f" for a Palio that knows {floor}"
    raise WrongDatabase(
        f"cannot use {label}: a newer Palio has written it (tables {version}{needed}, this one knows {HEAD}); "
        "upgrade Palio"
    )


def _create(connection: sa.Connection) -> None:
    """Create all tables from the models; a test compares them with the result of the migrations."""
    from palio_db.models import Base  # noqa: PLC0415  who finds its tables needs none of this

    Base.metadata.create_all(connection)
    _keep(connection, VERSION_TABLE, HEAD)
    _keep(connection, FLOOR_TABLE, FLOOR)


def _keep(connection: sa.Connection, table: str, version: str) -> None:
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


def _known() -> set[str]:
    """Return the versions that have migrations."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    return {each.revision for each in ScriptDirectory.from_config(_config()).walk_revisions()}


def _migrate(connection: sa.Connection, to: str = "head") -> None:
    from alembic import command  # noqa: PLC0415

    config = _config()
    config.attributes["connection"] = connection
    tables = sa.inspect(connection).get_table_names()
    if FLOOR_TABLE in tables and VERSION_TABLE not in tables:  # from a Palio without a floor
        _keep(connection, VERSION_TABLE, connection.execute(sa.text(_FLOOR.sqlite)).scalar_one())
    command.upgrade(config, to)
    version = connection.execute(sa.text(_VERSION.sqlite)).scalar_one()
    _keep(connection, FLOOR_TABLE, min(version, FLOOR))  # they have equally many digits


def _config() -> "Config":
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


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
