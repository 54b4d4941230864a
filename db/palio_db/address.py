"""The address of a database: `sqlite:///palio.db`, `sqlite://` (in memory) or `postgresql://user@host/database`."""

import os
import re
import secrets
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from palio_db.errors import BadAddress, Unavailable
from palio_rules.errors import BadOption
from palio_rules.plain_text import given_path

Kind = Literal["sqlite", "postgresql"]

LONGEST_SUFFIX = "-journal"  # that SQLite appends to the file's name
KNOWN = "write sqlite:///FILE or postgresql://USER@HOST/DATABASE"

_DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",  # as hosting services write it
}


@dataclass(frozen=True, slots=True)
class Address:
    """A database's URL for the driver, and `label`: the URL for people, without its password."""

    url: URL
    label: str
    kind: Kind
    memory_uri: str | None = None  # of a database in memory: the URI that every connection opens
    read_only_uri: str | None = None  # the URI of a file that this user may only read
    path: str | None = None  # the path of a database file
    copy: Any = None  # keeps the temporary folder of a copy that is read instead

    @property
    def uri(self) -> str | None:
        """Return the URI that every connection opens, if that is not a plain path."""
        return self.memory_uri or self.read_only_uri

    @property
    def file(self) -> str | None:
        """Return the path of a SQLite file."""
        return self.path or (str(self.url.database) if self.kind == "sqlite" and not self.memory_uri else None)

    @classmethod
    def parse(cls, text: str) -> "Address":
        """Read a URL. Raises StoreError, never quoting a password."""
        label = _hide_password(text)
        try:
            url = make_url(text)
        except (ArgumentError, ValueError):  # ValueError: the port is not a number
            raise BadAddress(f"{label!r} is no database URL; {KNOWN}") from None
        driver = _DRIVERS.get(url.drivername)
        if driver is None:
            raise BadAddress(f"{label!r} names the unknown database {url.drivername!r}; {KNOWN}")
        url = url.set(drivername=driver)
        if driver == "postgresql+psycopg":
            if not url.database:
                raise BadAddress(f"{label!r} names no database; write postgresql://USER@HOST/DATABASE")
            return cls(url, label, "postgresql")
        return cls._sqlite(url, label)

    @classmethod
    def _sqlite(cls, url: URL, label: str) -> "Address":
        if url.host or url.query:
            raise BadAddress(f"{label!r} is no path of a SQLite file; write sqlite:///FILE, with three slashes")
        if not url.database or url.database == ":memory:":
            # A unique name in SQLite's memdb file system: unlike ":memory:" it can be opened more than once.
            name = f"file:/palio-{secrets.token_hex(8)}"
            url = url.set(database=name, query={"vfs": "memdb", "uri": "true"})
            return cls(url, label, "sqlite", memory_uri=f"{name}?vfs=memdb")
        try:
            path = given_path(url.database, "the database's file")
            given_path(f"{path}{LONGEST_SUFFIX}", "the database's file")
        except BadOption as error:
            raise BadAddress(str(error)) from None
        if not os.path.isdir(path.parent):  # noqa: PTH112  # False where a folder's name is too long to be one
            raise Unavailable(f"cannot open {label}: there is no directory {path.parent}; create it first")
        if path.is_dir():
            raise Unavailable(f"cannot open {label}: {path} is a directory; name a file in it")
        return cls(url, label, "sqlite")


def _hide_password(text: str) -> str:
    """Mask the password in a URL, up to the last @ or among the parameters.

    A password may contain an @ that should have been written as %40.
    """
    return re.sub(r"(password=)[^&]*", r"\1***", re.sub(r"(://[^:@/]*):.*@", r"\1:***@", text))
