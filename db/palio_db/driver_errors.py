"""Translation of a driver's error for operators: one StoreError with the database and the remedy."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from palio_db.address import Address
from palio_db.errors import Damaged, ReadOnly, StoreError, Unavailable, WrongDatabase

_REFUSED = {"IntegrityError", "DataError", "ProgrammingError"}  # by DB-API 2: the statement is wrong, not the database


def is_away(error: BaseException) -> bool:
    """Return whether a plain driver's error means that the database cannot be used now, by any statement."""
    names = {
        each.__name__ for each in type(error).__mro__ if each.__module__.partition(".")[0] in ("sqlite3", "psycopg")
    }
    return "Error" in names and (not names & _REFUSED or "permission denied" in str(error))


def as_store_error(error: BaseException, address: Address) -> BaseException:
    """Return a plain driver's error as StoreError; other errors unchanged."""
    if is_away(error):
        return translate(error, address)
    if isinstance(error, OverflowError) or type(error).__module__.partition(".")[0] in ("sqlite3", "psycopg"):
        return StoreError(f"{address.label} cannot keep this: {_first_line(str(error))}")
    return error


@contextmanager
def store_errors(address: Address) -> Iterator[None]:
    """Raise the driver's errors in a block as StoreError."""
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise translate(getattr(error, "orig", error), address) from error
    except IntegrityError:
        raise
    except ProgrammingError as error:  # our bug, unless the server denies permission
        if "permission denied" in str(error.orig):
            raise translate(error.orig, address) from error
        raise
    except DBAPIError as error:  # plain DatabaseError is SQLite's "not a database"
        raise translate(error.orig, address) from error


# Part of the driver's message -> our message. The first that matches wins.
_SQLITE: tuple[tuple[str, type[StoreError], str], ...] = (
    ("is locked", Unavailable, "another program holds it locked; close that program or try again"),
    ("readonly", ReadOnly, "it is read-only; give this user write access to the file and its directory"),
    ("unable to open", Unavailable, "the file cannot be opened; check its path and permissions"),
    ("disk is full", Unavailable, "no space left on the database's disk; make room"),
    ("disk I/O error", Unavailable, "the disk reports an error; check its space and health"),
    (
        "not a database",
        WrongDatabase,
        "the file is not a SQLite database; name another one, or restore a backup if its beginning is damaged",
    ),
)
_DAMAGED = ("malformed", "could not decode", "Could not decode")
_POSTGRESQL: tuple[tuple[str, type[StoreError], str], ...] = (
    ("does not exist", WrongDatabase, "the server does not know this user or database; create it with createdb"),
    ("password", WrongDatabase, "the server refuses this user or password; correct the URL"),
    ("authentication failed", WrongDatabase, "the server refuses this user; correct the URL or its pg_hba.conf"),
    ("permission denied", WrongDatabase, "this user may not write there; grant it or make it the owner"),
    ("No space left", Unavailable, "no space left on the disk of the database's server; make room"),
    ("read-only", ReadOnly, "the server is read-only, perhaps a standby; name the primary"),
    ("too many", Unavailable, "the server has no connection left; raise its max_connections or close other clients"),
    ("starting up", Unavailable, "the server is just starting; try again in a moment"),
    ("deadlock", Unavailable, "two transactions waited for each other and this one gave way; try again"),
)


def translate(error: BaseException | None, address: Address) -> StoreError:
    """Return the StoreError for a driver's error, or for a connection that never became free."""
    if isinstance(error, PoolTimeout):
        return Unavailable(f"cannot use {address.label}: every connection is busy; ask less of it at once")
    text = str(error)
    table, default = (
        (_SQLITE, "SQLite refuses it; check the file")
        if isinstance(error, sqlite3.Error)
        else (_POSTGRESQL, "the server cannot be reached; start it or correct the URL")
    )
    if isinstance(error, sqlite3.Error) and any(part in text for part in _DAMAGED):
        return damaged(address, text)
    for part, kind, remedy in table:
        if part in text:
            return kind(f"cannot use {address.label}: {remedy}")
    return Unavailable(f"cannot use {address.label}: {default} ({_first_line(text)})")


def damaged(address: Address, finding: str) -> Damaged:
    """Return the error of a file about which SQLite reports `finding`."""
    remedy = f'restore a backup, or save what can be read: sqlite3 {address.file} ".recover" | sqlite3 saved.db'
    return Damaged(f"cannot use {address.label}: the file is damaged (SQLite: {_first_line(finding)}); {remedy}")


def _first_line(text: str) -> str:
    lines = [re.sub(r"password=\S+", "password=***", line).strip() for line in text.splitlines()]
    return next((line for line in lines if line), "no details")[:300]
