"""The tables' version: brings a database up to this Palio's, and refuses one that this Palio cannot read.

Most programs find the tables as they are to be, or an empty database; neither needs alembic, which takes as long to
import as a small tournament to play.
"""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.connections import Connection, Sql
from palio_db.database import Database
from palio_db.errors import WrongDatabase

if TYPE_CHECKING:
    from alembic.config import Config

HEAD = "0006"  # the newest of the migrations; a test holds it to them
VERSION_TABLE = "palio_version"  # not alembic's default name, which other programs in the same database may use
_VERSION = Sql.of(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608  a constant
_JOURNAL_MODE = Sql("PRAGMA journal_mode", "")
_LOCK = 0x50414C494F  # "PALIO": the advisory lock under which one process at a time migrates


async def upgrade(database: Database) -> None:
    """Create the tables or bring them up to date. Raises WrongDatabase, Unavailable."""
    if await database.ask(_is_current):
        return
    if not database.read_only:
        await database.prepare()
    async with database.read() as connection:
        if await _version(connection, database) == HEAD:
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
        elif version != HEAD:
            await connection.run_sync(_migrate)


def _is_current(connection: Connection) -> bool:
    with suppress(Exception):  # an empty database, or one that is out of order: `_version` says which
        if connection.kind == "sqlite" and connection.rows(_JOURNAL_MODE) == [("delete",)]:
            return False  # somebody has taken it out of WAL mode
        return connection.rows(_VERSION) == [(HEAD,)]
    return False


async def _version(connection: AsyncConnection, database: Database) -> str | None:
    """The version that the database has; None: it is empty."""
    tables = await connection.run_sync(lambda sync: sa.inspect(sync).get_table_names())
    label = database.address.label
    if VERSION_TABLE not in tables:
        if tables:
            names = ", ".join(sorted(tables)[:3])
            raise WrongDatabase(f"cannot use {label}: it holds tables of another program ({names}); name a new one")
        return None
    version = (await connection.execute(sa.text(_VERSION.sqlite))).scalar_one_or_none()
    if version is None or version == HEAD or version in _known():
        return version
    raise WrongDatabase(
        f"cannot use {label}: a newer Palio has written it (tables {version}, this one knows {HEAD}); upgrade Palio"
    )


def _create(connection: sa.Connection) -> None:
    """All tables as the models say, which is what the migrations come to: a test compares them."""
    from palio_db.models import Base  # noqa: PLC0415  who finds its tables needs none of this

    Base.metadata.create_all(connection)
    version = sa.Table(
        VERSION_TABLE,  # as alembic makes it
        sa.MetaData(),
        sa.Column("version_num", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
    )
    version.create(connection)
    connection.execute(sa.insert(version).values(version_num=HEAD))


def _known() -> set[str]:
    """The versions of which there are migrations."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    return {each.revision for each in ScriptDirectory.from_config(_config()).walk_revisions()}


def _migrate(connection: sa.Connection, to: str = "head") -> None:
    from alembic import command  # noqa: PLC0415

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _config() -> "Config":
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
