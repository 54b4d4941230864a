"""Column types and expressions that mean the same in SQLite and in PostgreSQL."""

from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec
from sqlalchemy import DateTime, Dialect, Double, Text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

from palio_db.address import Kind
from palio_db.bodies import BadBody, pack_body, unpack_body
from palio_db.errors import StoreError, Unreadable

Key = Text().with_variant(Text(collation="C"), "postgresql")
"""Names and identities: compared byte by byte, so that both databases and Python sort them alike."""


class UtcDateTime(TypeDecorator[datetime]):
    """A UTC timestamp, aware in Python; SQLite, which has no time zones, stores it naive."""

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
    """Seconds since 1970 by the database's clock, so that leases do not depend on the workers' clocks."""

    type = Double()
    inherit_cache = True


@compiles(DatabaseClock, "sqlite")
def _sqlite_clock(_element: DatabaseClock, _compiler: SQLCompiler, **_options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(DatabaseClock, "postgresql")
def _postgresql_clock(_element: DatabaseClock, _compiler: SQLCompiler, **_options: Any) -> str:
    return "extract(epoch from clock_timestamp())::double precision"


def upsert(kind: Kind, table: Any) -> Any:
    """Return an INSERT with ON CONFLICT; both dialects spell it alike, but SQLAlchemy only has it in each dialect."""
    return postgresql.insert(table) if kind == "postgresql" else sqlite.insert(table)


# Text, timestamps and JSON for the database: a value that no database can store is refused with a sentence.

T = TypeVar("T")

MAX_TEXT = 1000  # characters of a name, a note, a reason
MAX_LINE = 200  # characters of a sentence in a list


def now() -> datetime:
    return datetime.now(UTC)


def checked(what: str, text: str, *, empty: bool = True) -> str:
    """Return `text`. Raises StoreError if it is too long, or has characters that a database cannot store."""
    if not text and not empty:
        raise StoreError(f"{what} is empty; give it a name")
    if len(text) > MAX_TEXT:
        raise StoreError(f"{what} has {len(text)} characters; at most {MAX_TEXT} can be kept")
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise StoreError(f"{what} {text[:40]!r} has characters that no database keeps; write it without them")
    return text


def one_line(text: str) -> str | None:
    """Return `text` for a list: one line without characters that a database cannot store; None if nothing is left."""
    line = " ".join(text.replace("\0", " ").split())
    return (line if len(line) <= MAX_LINE else f"{line[: MAX_LINE - 1]}…") or None


def pack(what: str, value: object, *, packed: bool = False) -> bytes:
    """Return `value` as JSON, `packed` as `bodies.py` describes it. Raises StoreError if it has no JSON form."""
    try:
        data = msgspec.json.encode(value)
        return pack_body(data) if packed else data
    except (TypeError, ValueError, RecursionError) as error:  # ValueError: half a surrogate pair
        raise StoreError(f"{what} cannot be written as JSON: {error}") from None


def unpack(what: str, data: bytes, kind: type[T]) -> T:
    """Read what `pack` wrote. Raises Unreadable for other data."""
    try:
        return msgspec.json.decode(unpack_body(data), type=kind)
    except (msgspec.DecodeError, BadBody, UnicodeDecodeError, RecursionError) as error:
        raise Unreadable(f"{what} in the database cannot be read: {str(error)[:300]}") from None


# Triggers that make the table `audit` append-only for every program: a line may lose its texts, and get no others.
#
# So addresses can be forgotten after a time, and what a line says of a person who asks for that. When something was
# done, what kind of act it was, by which token and how it ended always stays. Only the owner of the tables can remove a
# trigger.

SENTENCE = "lines of the audit are never changed or taken off"


class Trigger(NamedTuple):
    dialect: Literal["sqlite", "postgresql"]
    statement: str
    renewed: bool = False  # by the migration that lets lines lose texts


_SQLITE = "CREATE TRIGGER audit_kept_{name} BEFORE {act} ON audit {when}BEGIN SELECT RAISE(ABORT, '{sentence}'); END"
_SAME = " AND ".join(f"NEW.{name} {{same}} OLD.{name}" for name in ("id", "at", "token", "act", "outcome"))
_EMPTIED = " AND ".join(f"NEW.{name} IN (OLD.{name}, '')" for name in ("who", "address", "what", "detail"))
_CHANGED = f"WHEN (NOT ({_SAME} AND {_EMPTIED})) "

KEPT = (
    Trigger(
        "sqlite",
        _SQLITE.format(name="update", act="UPDATE", when=_CHANGED.format(same="IS"), sentence=SENTENCE),
        renewed=True,
    ),
    Trigger("sqlite", _SQLITE.format(name="delete", act="DELETE", when="", sentence=SENTENCE)),
    # INSERT OR REPLACE removes the former row without a DELETE that a trigger would see.
    Trigger(
        "sqlite",
        _SQLITE.format(
            name="replace", act="INSERT", when="WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id) ", sentence=SENTENCE
        ),
    ),
    Trigger(
        "postgresql",
        "CREATE OR REPLACE FUNCTION audit_kept() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{SENTENCE}'; END $$",
    ),
    Trigger(
        "postgresql",
        "CREATE TRIGGER audit_kept BEFORE DELETE OR TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_kept()",
        renewed=True,
    ),
    Trigger(
        "postgresql",
        f"CREATE TRIGGER audit_kept_update BEFORE UPDATE ON audit FOR EACH ROW "
        f"{_CHANGED.format(same='IS NOT DISTINCT FROM')}EXECUTE FUNCTION audit_kept()",
        renewed=True,
    ),
)
