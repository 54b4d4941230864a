"""The tables' version: brings a database up to this Palio's, and refuses one that this Palio cannot read."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio import AsyncConnection

from palio_db.database import Database
from palio_db.errors import WrongDatabase

VERSION_TABLE = "palio_version"  # not alembic's default name, which other programs in the same database may use
_LOCK = 0x50414C494F  # "PALIO": the advisory lock under which one process at a time migrates


async def upgrade(database: Database) -> None:
    """Create the tables or bring them up to date. Raises WrongDatabase, Unavailable."""
    scripts = ScriptDirectory.from_config(_config())
    head = scripts.get_current_head()
    await database.prepare()
    async with database.read() as connection:
        if await _version(connection, database, scripts) == head:
            return
    async with database.write() as connection:  # on SQLite this waits for another process that migrates
        if database.is_postgresql:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        if await _version(connection, database, scripts) != head:
            await connection.run_sync(_upgrade)


async def _version(connection: AsyncConnection, database: Database, scripts: ScriptDirectory) -> str | None:
    """The version that the database has; None: it is empty."""
    tables = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    label = database.address.label
    if VERSION_TABLE not in tables:
        if tables:
            names = ", ".join(sorted(tables)[:3])
            raise WrongDatabase(f"cannot use {label}: it holds tables of another program ({names}); name a new one")
        return None
    version = (await connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}"))).scalar_one_or_none()  # noqa: S608  a constant
    known = {revision.revision for revision in scripts.walk_revisions()}
    if version is None or version in known:
        return version
    newest = scripts.get_current_head()
    raise WrongDatabase(
        f"cannot use {label}: a newer Palio has written it (tables {version}, this one knows {newest}); upgrade Palio"
    )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _upgrade(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
