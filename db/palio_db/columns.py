"""Column types and expressions that mean the same in SQLite and in PostgreSQL."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, Double, Select, Text, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

from palio_db.address import Kind

Key = Text().with_variant(Text(collation="C"), "postgresql")
"""Names and identities: compared byte by byte, so that both databases and Python sort them alike."""


class UtcDateTime(TypeDecorator[datetime]):
    """A moment in UTC, aware on the Python side; SQLite, which knows no zones, stores it naive."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone; Palio keeps moments in UTC")
        utc = value.astimezone(UTC)
        return utc.replace(tzinfo=None) if dialect.name == "sqlite" else utc

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class DatabaseClock(FunctionElement[float]):
    """Seconds since 1970 by the database's clock: leases never depend on the clocks of the workers' machines."""

    type = Double()
    inherit_cache = True


@compiles(DatabaseClock, "sqlite")
def _sqlite_clock(_element: DatabaseClock, _compiler: SQLCompiler, **_options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(DatabaseClock, "postgresql")
def _postgresql_clock(_element: DatabaseClock, _compiler: SQLCompiler, **_options: Any) -> str:
    return "extract(epoch from clock_timestamp())::double precision"


def upsert(kind: Kind, table: Any) -> Any:
    """An INSERT that can say ON CONFLICT, which both dialects spell alike but SQLAlchemy knows only in each."""
    return postgresql.insert(table) if kind == "postgresql" else sqlite.insert(table)


def names(kind: Kind, values: Iterable[str]) -> Select[Any]:
    """Names for `in_`, as one parameter and a subquery: hashed once, where hundreds of parameters would be parsed."""
    if kind == "postgresql":
        return select(func.unnest(literal(list(values), postgresql.ARRAY(Text))).column_valued("name"))
    return select(func.json_each(json.dumps(list(values))).table_valued("value").c.value)
