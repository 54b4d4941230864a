"""A check that the open file of a SQLite database is still the one under its path.

SQLite continues with a file that was deleted, moved or replaced without an error, and all that is written is lost when
it is closed. So the open file is compared with its path at each group of commits. If it is missing, callers get an
error instead of "committed", and the content of the open file is written to a new file beside it (a rescue).

The file is only opened through SQLite: closing it otherwise would drop the locks that SQLite holds on it in this
process (https://sqlite.org/howtocorrupt.html, 2.2).
"""

import os
import secrets
import shutil
import sqlite3
import tempfile
import time
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from palio_db.address import Address
from palio_db.connections import Connection, SqliteConnection
from palio_db.driver_errors import damaged, translate
from palio_db.errors import FileLost
from palio_rules.temporary import TemporaryFolder

# The state of a SQLite file at opening: whether it is writable, readable, and undamaged.
#
# A user who may only read a file in WAL mode needs its two companions (`-wal`, `-shm`), which only a writer makes. If
# they are missing, and no writer can be active, the file alone is read unchanged; if there is a `-wal` without its
# index, both are copied and read there.

CHEAP = 64 * 2**20  # bytes of a file that is checked at each opening: about 0.1 s
COMPANIONS = ("-wal", "-shm")  # beside a file in WAL mode
SMALLEST = 512  # bytes of a page, of which a database has at least one
FINDINGS = 20  # errors that are reported; the first says most


def openable(address: Address) -> Address:
    """Return the address as it can be opened: read-only if this user may not write. Raises StoreError."""
    if address.kind != "sqlite" or address.memory_uri:
        return address
    file = Path(str(address.url.database))
    if not file.exists() or _may_write(file):
        return address
    try:
        return _readable(address, file)
    except sqlite3.Error as error:
        raise translate(error, address) from error


def check_integrity(address: Address, *, thoroughly: bool = False) -> None:
    """Check the pages of a file for damage; a large file only if `thoroughly`. Raises StoreError."""
    if address.kind != "sqlite" or address.memory_uri:
        return
    file = Path(str(address.file or ""))
    if file.exists() and 0 < file.stat().st_size < SMALLEST:  # SQLite would treat it as empty
        raise damaged(address, f"it has {file.stat().st_size} bytes")
    if not thoroughly and (not file.exists() or file.stat().st_size > CHEAP):
        return
    try:
        with closing(_connect(address)) as connection:
            pragma = "integrity_check" if thoroughly else "quick_check"
            found = [row[0] for row in connection.execute(f"PRAGMA {pragma}({FINDINGS})")]
    except sqlite3.Error as error:
        raise translate(error, address) from error
    if found != ["ok"]:
        raise damaged(address, " ".join(str(found[0]).split()))


def _connect(address: Address) -> sqlite3.Connection:
    return sqlite3.connect(address.uri or str(address.url.database), uri=bool(address.uri), timeout=10)


def _may_write(file: Path) -> bool:
    companions = all(os.access(f"{file}{end}", os.W_OK) for end in COMPANIONS)
    return os.access(file, os.W_OK) and (companions or os.access(file.absolute().parent, os.W_OK))


def _readable(address: Address, file: Path) -> Address:
    """Return the address for the first way of reading that works."""
    wal = Path(f"{file}-wal")
    try:
        return _tried(address, file, "mode=ro")
    except sqlite3.OperationalError:
        if not wal.exists() or wal.stat().st_size == 0:
            return _tried(address, file, "immutable=1")
    folder = TemporaryFolder("copy")
    copy = folder.path / "palio.db"
    shutil.copyfile(file, copy)
    shutil.copyfile(wal, f"{copy}-wal")
    return replace(_tried(address, copy, "mode=rw"), copy=folder)


def _tried(address: Address, file: Path, how: str) -> Address:
    name, (key, value) = f"file:{quote(str(file.absolute()))}", how.split("=")
    with closing(sqlite3.connect(f"{name}?{how}", uri=True)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    url = address.url.set(database=name, query={key: value, "uri": "true"})
    return replace(address, url=url, read_only_uri=f"{name}?{how}", path=str(file))


CHECKPOINT_S = 1.0  # time for another process to finish its write to the file
NO_DATABASE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)  # not errors of the disk or of too many open files
REST = 10  # the pause after a rescue is so many times its duration

Identity = tuple[int, int]  # device and inode


@dataclass(frozen=True, slots=True)
class _Head:
    """The header of the file, without pending changes in the -wal."""

    name: int  # SQLite's user_version: a random number of this database, see `_set_identity`
    schema: int  # counts changes of the tables, and each VACUUM
    pages: int

    def follows(self, former: "_Head", schema: int) -> bool:
        """Return whether the header `former` can have become this one, given the `schema` of the open connection.

        The page count only grows, except by a VACUUM, which the connection knows: a copy made by VACUUM and put in this
        file's place is ahead of the connection.
        """
        if former.name not in (self.name, 0) or self.schema > schema:
            return False
        return self.schema > former.schema or (self.schema == former.schema and self.pages >= former.pages)


class WatchedFile:
    """A comparison of the open file with its path. Methods run in the writer's thread, unless they say otherwise."""

    def __init__(self, path: str, label: str) -> None:
        self._path, self._label = path, label
        self._file: Identity | None = None  # of the first opened file
        self._companions: dict[str, Identity | None] = {}
        self._stamp: tuple[int, int] | None = None  # its last write, and its size
        self._head: _Head | None = None
        self._rescued = ""  # the path of the rescue file
        self._rescue_at, self._changes = 0.0, -1  # when to make the next rescue, and the changes in the last one

    def check_path(self) -> None:
        """Check the path before a further connection, which would create a new file. From any thread.

        Raises FileLost.
        """
        found = _identity(self._path)
        if self._file is None:
            self._file = found
        elif how := self._path_changed():
            raise FileLost(self._sentence(how))

    def opened(self, connection: SqliteConnection) -> None:
        """Record a new connection of the writer."""
        self.check_path()
        _set_identity(connection)
        self._companions = {end: _identity(self._path + end) for end in COMPANIONS}
        self._stamp = None

    def unchanged(self) -> bool:
        """Return whether nothing changed since the last check; if not, call `check`.

        From any thread, in microseconds.
        """
        try:
            found = Path(self._path).stat()
        except OSError:
            return False
        same = (found.st_dev, found.st_ino) == self._file and (found.st_mtime_ns, found.st_size) == self._stamp
        return same and all(_identity(self._path + end) == known for end, known in self._companions.items())

    def check(self, connection: Connection) -> None:
        """Check that the open file is under its path; if not, rescue its content and raise FileLost."""
        assert isinstance(connection, SqliteConnection)
        if how := self._path_changed() or self._content_damaged(connection):
            self.rescue(connection)
            raise FileLost(self._sentence(how))
        self._rescued, self._changes = "", -1

    def check_content(self, connection: Connection) -> None:
        """Check before a write, only where the write would damage a file that another program put there."""
        assert isinstance(connection, SqliteConnection)
        if self._overwritten(connection):
            self.check(connection)

    def rescue(self, connection: SqliteConnection, *, at_once: bool = False) -> None:
        """Write the open file's content to a new file beside it, or to the temporary folder, if possible."""
        changes = connection.changes
        if changes == self._changes or (time.monotonic() < self._rescue_at and not at_once):
            return
        began = time.monotonic()
        folders = Path(self._path).absolute().parent, Path(tempfile.gettempdir())
        for folder in (Path(self._rescued).parent,) if self._rescued else folders:
            if copy := _copied(connection, folder / self._name_of_rescue(), self._rescued):  # already reported: stays
                self._rescued, self._changes = str(copy), changes
                break
        self._rescue_at = time.monotonic() + REST * (time.monotonic() - began)

    def finish(self, connection: Connection) -> None:
        """Add the latest changes to the rescue file before the connection is closed."""
        if self._rescued:
            assert isinstance(connection, SqliteConnection)
            self.rescue(connection, at_once=True)

    def closed(self) -> None:
        """Remove our -wal after all connections are closed, so that the file now at the path is not opened with it."""
        if not self._rescued:
            return
        for end, known in self._companions.items():
            if known is not None and _identity(self._path + end) == known:
                Path(self._path + end).unlink(missing_ok=True)

    def _path_changed(self) -> str:
        """Return what happened to the file if it is not at its path; "" if it is."""
        found = _identity(self._path)
        if found is None:
            return "was deleted or moved"
        return "" if self._file in (None, found) else "was replaced by another file"

    def _content_damaged(self, connection: SqliteConnection) -> str:
        """Return what happened to the content of the file at its path, or to its companions; "" if nothing."""
        if self._overwritten(connection):
            return "was overwritten"
        for end, known in self._companions.items():
            if known is not None and _identity(self._path + end) != known:
                return f"has lost its companion {Path(self._path).name}{end}"
        return ""

    def _overwritten(self, connection: SqliteConnection) -> bool:
        """Return whether the file's header was overwritten. It is read only if the file was written to."""
        try:
            found = Path(self._path).stat()
        except OSError:
            return False
        if self._file not in (None, (found.st_dev, found.st_ino)):
            return False  # another file: ours is undamaged
        if found.st_size < SMALLEST:
            return True
        stamp = found.st_mtime_ns, found.st_size
        if stamp != self._stamp:
            head = self._following_head(connection)
            if head is None:
                return True
            self._stamp, self._head = stamp, head
        return False

    def _following_head(self, connection: SqliteConnection) -> _Head | None:
        """Return the file's header, if it can follow the last one that was seen.

        It is read again for a moment, because another connection may be in the middle of a write.
        """
        deadline = time.monotonic() + CHECKPOINT_S
        while True:
            head = _head(self._path)
            if head is not None and head.follows(self._head or head, connection.pragma("schema_version")):
                return head
            if time.monotonic() > deadline:
                return None
            time.sleep(0.02)

    def _name_of_rescue(self) -> str:
        path = Path(self._path)
        return f"{path.stem}-rescued-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}{path.suffix or '.db'}"

    def _sentence(self, how: str) -> str:
        if self._rescued:
            kept = (
                f"what was in it is kept in {self._rescued}: stop Palio, move that file to {self._path} "
                f"(with no {Path(self._path).name}-wal beside it), start again"
            )
        else:
            kept = "stop Palio, put it back or restore a backup, start again"
        return f"cannot use {self._label}: the file {how} while it was open; nothing is announced; {kept}"


def is_special(path: str) -> bool:
    """Return whether it is a device or the like, which cannot be watched."""
    return Path(path).exists() and not Path(path).is_file()


def _identity(path: str) -> Identity | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _set_identity(connection: SqliteConnection) -> None:
    """Give the database a random number, unless it has one, so that another file in its place is noticed."""
    if connection.pragma("user_version") != 0:
        return
    connection.begin()
    try:
        if connection.pragma("user_version") == 0:
            connection.pragma(f"user_version = {secrets.randbelow(2**31 - 1) + 1}")
        connection.commit()
    except BaseException:
        connection.rollback()
        raise
    connection.pragma("wal_checkpoint(PASSIVE)")


def _head(path: str) -> _Head | None:
    """Return the header of a file; None if it is not a database. Raises sqlite3.Error if it cannot be read.

    A checkpoint writes the first page, which counts all pages, before it extends the file. However long that takes on a
    busy disk, or if the disk is full, the file is intact together with its -wal. With `writable_schema` SQLite reads
    such a file, and counts the pages that exist.
    """
    try:
        with closing(sqlite3.connect(f"file:{quote(str(Path(path).absolute()))}?immutable=1", uri=True)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            name, schema, pages = (
                connection.execute(f"PRAGMA {each}").fetchone()[0]
                for each in ("user_version", "schema_version", "page_count")
            )
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF in NO_DATABASE:
            return None
        raise
    return _Head(name, schema, pages)


def _copied(connection: SqliteConnection, to: Path, instead: str) -> Path | None:
    """Return the path of a copy, which replaces a former one, if it can be made and is undamaged."""
    try:
        connection.copy(str(to))
        with closing(sqlite3.connect(to)) as copy:
            whole = copy.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)]
            if whole and not copy.execute("PRAGMA foreign_key_check").fetchall():
                return to.replace(instead) if instead else to
    except (sqlite3.Error, OSError):
        pass
    for end in ("", *COMPANIONS, "-journal"):
        with suppress(OSError):
            Path(f"{to}{end}").unlink()
    return None
