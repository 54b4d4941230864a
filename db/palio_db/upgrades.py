"""The upgrade of a database's tables: what it will do, and doing it. Only `palio migrate` calls this.

The steps are alembic's migrations (`migrations/versions`), in one transaction: if one fails, nothing changes. Each
says whether servers of an older Palio can go on after it.
"""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import sqlalchemy as sa

from palio_db.address import Address
from palio_db.database import Database
from palio_db.driver_errors import translate
from palio_db.errors import StoreError, Unavailable
from palio_db.schema import (
    FLOOR_OF,
    FLOOR_TABLE,
    HEAD,
    VERSION,
    VERSION_TABLE,
    check_usable,
    is_known,
    lock_tables,
    read_version,
    write_version,
)
from palio_db.watched_file import check_integrity, openable
from palio_rules.errors import nearest

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import Script

ROWS_A_SECOND = 100_000  # read or written by a migration: a slow disk's figure
ALONE_S = 0.5  # how long to wait for other programs to leave a SQLite file
OTHERS = sa.text(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND backend_type = 'client backend'"
)


class Step(NamedTuple):
    """One migration. `rows`: how many rows it reads or writes, besides the definition of tables."""

    revision: str
    about: str
    older_go_on: bool  # whether servers of an older Palio can go on after it
    rows: int

    @property
    def seconds(self) -> float:
        return self.rows / ROWS_A_SECOND


class Plan(NamedTuple):
    """The steps of an upgrade, oldest first. `version`: of the tables before it; None for an empty database."""

    version: str | None
    steps: tuple[Step, ...]

    @property
    def harmless(self) -> tuple[Step, ...]:
        """Return the first steps after which older servers can go on."""
        for place, step in enumerate(self.steps):
            if not step.older_go_on:
                return self.steps[:place]
        return self.steps


class Upgrade:
    """The upgrade of one database. Each method opens it and closes it again. All raise StoreError."""

    def __init__(self, url: str) -> None:
        self._address = openable(Address.parse(url))
        check_integrity(self._address)

    @property
    def label(self) -> str:
        """Return the database's URL without its password."""
        return self._address.label

    @property
    def file(self) -> Path | None:
        """Return the path of a SQLite file; None for PostgreSQL."""
        return None if self._address.file is None else Path(self._address.file)

    async def plan(self, to: str | None = None) -> Plan:
        """Return the steps up to the tables `to`, or to the newest ones."""
        if to is not None and to not in (known := revisions()):
            raise StoreError(f"there are no tables {to[:40]!r}; {nearest(to, known)}")
        database = Database(self._address)
        try:
            async with database.read() as connection:
                found = await read_version(connection, database)
                if found is None:
                    return Plan(None, ())
                if not is_known(found.floor):
                    check_usable(found, self.label)  # raises
                version = found.version if is_known(found.version) else HEAD
                if to is not None and to < version:
                    what = f"its tables are {version}, and no upgrade leads back to {to}; restore a backup instead"
                    raise StoreError(f"cannot change {self.label}: {what}")
                steps = await connection.run_sync(_steps, version, to or HEAD)
                return Plan(found.version, tuple(steps))
        finally:
            await database.close()

    async def others(self) -> bool:
        """Return whether other programs use the database now."""
        if self.file is not None:
            return await asyncio.to_thread(_is_shared, self.file)
        database = Database(self._address)
        try:
            async with database.read() as connection:
                return bool((await connection.execute(OTHERS)).scalar_one())
        finally:
            await database.close()

    async def backup(self, version: str) -> Path:
        """Write a SQLite database to a new file beside it, and return its path."""
        assert self.file is not None
        copy = self.file.with_name(f"{self.file.stem}-{version}-{datetime.now(UTC):%Y%m%d-%H%M%S}.db")
        await asyncio.to_thread(_copy, self._address, self.file, copy)
        return copy

    async def run(self, to: str) -> None:
        """Upgrade the tables to `to`, in one transaction."""
        database = Database(self._address)
        try:
            await database.prepare()
            async with database.write() as connection:
                await lock_tables(connection, database)
                found = await read_version(connection, database)
                if found is not None and found.version < to:  # otherwise another process was faster
                    await connection.run_sync(migrate, to)
        finally:
            await database.close()


def revisions() -> list[str]:
    """Return the versions of the tables that this Palio has migrations for, oldest first."""
    return [each.revision for each in _scripts()]


def migrate(connection: sa.Connection, to: str = HEAD) -> None:
    """Run the migrations up to `to` on a connection within a transaction, and write both versions."""
    from alembic import command  # noqa: PLC0415  only an upgrade needs it

    config = _config()
    config.attributes["connection"] = connection
    tables = sa.inspect(connection).get_table_names()
    if FLOOR_TABLE in tables and VERSION_TABLE not in tables:  # from a Palio without a floor
        write_version(connection, VERSION_TABLE, connection.execute(sa.text(FLOOR_OF.sqlite)).scalar_one())
    command.upgrade(config, to)
    version = connection.execute(sa.text(VERSION.sqlite)).scalar_one()
    write_version(connection, FLOOR_TABLE, floor_of(version))


def floor_of(version: str) -> str:
    """Return the newest migration up to `version` that does not only expand the tables."""
    return max(each.revision for each in _scripts() if each.revision <= version and not each.module.expands)


def _steps(connection: sa.Connection, version: str, to: str) -> list[Step]:
    scripts = [each for each in _scripts() if version < each.revision <= to]
    return [Step(each.revision, _about(each), each.module.expands, _rows(connection, each)) for each in scripts]


def _about(script: "Script") -> str:
    return (script.module.__doc__ or "").strip().split(". ")[0].rstrip(".")


def _rows(connection: sa.Connection, script: "Script") -> int:
    return sum(_count(connection, table) for table in script.module.rewrites)


def _count(connection: sa.Connection, table: str) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(sa.table(table))).scalar_one())


def _scripts() -> "Sequence[Script]":
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    return sorted(ScriptDirectory.from_config(_config()).walk_revisions(), key=lambda each: each.revision)


def _config() -> "Config":
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _is_shared(file: Path) -> bool:
    """Return whether another connection has a file open: SQLite leaves WAL mode only for the last one."""
    with closing(sqlite3.connect(file, timeout=ALONE_S)) as connection:
        if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            return False
        try:
            connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError:
            return True
        connection.execute("PRAGMA journal_mode = WAL")
        return False


def _copy(address: Address, file: Path, copy: Path) -> None:
    free, size = shutil.disk_usage(file.absolute().parent).free, file.stat().st_size
    if free < size:
        needed = f"a backup of it takes {size / 2**20:,.0f} MiB, and {free / 2**20:,.0f} MiB of the disk are free"
        raise Unavailable(f"cannot upgrade {address.label}: {needed}; make room, or give --no-backup")
    try:
        with closing(sqlite3.connect(address.uri or file, uri=bool(address.uri), timeout=10)) as connection:
            connection.execute("VACUUM INTO ?", (str(copy),))
    except sqlite3.Error as error:
        raise translate(error, address) from error
    _sync(copy)


def _sync(file: Path) -> None:
    for path in (file, file.absolute().parent):
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
