"""The file of a SQLite database while it is open: is it still the one that was opened, under its name?

SQLite goes on with a file that was deleted, moved or replaced as if nothing had happened, and all that is written is
gone when it is closed. So the open file is compared with its path at each group of commits. What is found missing is
told instead of "committed", and what the open file still holds is written to a fresh file beside it.

The file is never opened here but through SQLite: closing it would drop the locks that SQLite holds on it in this
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

# A SQLite file as it is found: may it be written, can it be read, is it whole.
#
# Whoever may only read a file in WAL mode needs its two companions (`-wal`, `-shm`), which only a writer makes. Where
# they are not, and nobody can be writing, the file alone is read as it is; where there is a `-wal` without its index,
# both are copied and read there.

CHEAP = 64 * 2**20  # bytes of a file that is looked through at each opening: a tenth of a second or so
COMPANIONS = ("-wal", "-shm")  # beside a file in WAL mode
SMALLEST = 512  # bytes of a page, of which a database has one at least
FINDINGS = 20  # faults that are told; the first says most


def as_found(address: Address) -> Address:
    """The address as it can be opened: read-only where this user may not write. Raises StoreError."""
    if address.kind != "sqlite" or address.memory_uri:
        return address
    file = Path(str(address.url.database))
    if not file.exists() or _may_write(file):
        return address
    try:
        return _readable(address, file)
    except sqlite3.Error as error:
        raise translate(error, address) from error


def check_whole(address: Address, *, thoroughly: bool = False) -> None:
    """Look whether the pages of a file are what they should be; a large one only `thoroughly`. Raises StoreError."""
    if address.kind != "sqlite" or address.memory_uri:
        return
    file = Path(str(address.file or ""))
    if file.exists() and 0 < file.stat().st_size < SMALLEST:  # SQLite would take it for empty
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
    """By the first way that works."""
    wal = Path(f"{file}-wal")
    try:
        return _tried(address, file, "mode=ro")
    except sqlite3.OperationalError:
        if not wal.exists() or wal.stat().st_size == 0:
            return _tried(address, file, "immutable=1")
    folder = tempfile.TemporaryDirectory(prefix="palio-copy-")
    copy = Path(folder.name) / "palio.db"
    shutil.copyfile(file, copy)
    shutil.copyfile(wal, f"{copy}-wal")
    return replace(_tried(address, copy, "mode=rw"), copy=folder)


def _tried(address: Address, file: Path, how: str) -> Address:
    name, (key, value) = f"file:{quote(str(file.absolute()))}", how.split("=")
    with closing(sqlite3.connect(f"{name}?{how}", uri=True)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    url = address.url.set(database=name, query={key: value, "uri": "true"})
    return replace(address, url=url, read_only_uri=f"{name}?{how}", path=str(file))


CHECKPOINT_S = 1.0  # in which another process has written what it had begun to write to the file
REST = 10  # times as long as the last rescue took: so long is none made

Identity = tuple[int, int]  # device and inode


@dataclass(frozen=True, slots=True)
class _Head:
    """What the beginning of the file says, without what waits in the -wal."""

    name: int  # SQLite's user_version: a number of this database's own, see `_name_it`
    schema: int  # counts changes of the tables, and each VACUUM
    pages: int

    def follows(self, former: "_Head", schema: int) -> bool:
        """Whether a file that began so may begin like this now, of which the open connection knows this `schema`.

        Pages only get more, but for a VACUUM, of which the connection knows: a copy that was made by one and put in
        this file's place is ahead of it.
        """
        if former.name not in (self.name, 0) or self.schema > schema:
            return False
        return self.schema > former.schema or (self.schema == former.schema and self.pages >= former.pages)


class WatchedFile:
    """Compares the open file with its path. Methods run in the writer's thread, unless they say otherwise."""

    def __init__(self, path: str, label: str) -> None:
        self._path, self._label = path, label
        self._file: Identity | None = None  # of the first that was opened
        self._companions: dict[str, Identity | None] = {}
        self._stamp: tuple[int, int] | None = None  # when it was last written, and its size
        self._head: _Head | None = None
        self._rescued = ""  # the file that holds what the open one held
        self._rescue_at, self._changes = 0.0, -1  # when to make the next, and what the last one has

    def check_path(self) -> None:
        """Before one more connection is opened, which would make a new file. From any thread. Raises FileLost."""
        found = _identity(self._path)
        if self._file is None:
            self._file = found
        elif how := self._misplaced():
            raise FileLost(self._sentence(how))

    def opened(self, connection: SqliteConnection) -> None:
        """The writer's connection is new."""
        self.check_path()
        _name_it(connection)
        self._companions = {end: _identity(self._path + end) for end in COMPANIONS}
        self._stamp = None

    def unchanged(self) -> bool:
        """Whether all is as at the last look; where it is not, `check` says more. From any thread, in microseconds."""
        try:
            found = Path(self._path).stat()
        except OSError:
            return False
        same = (found.st_dev, found.st_ino) == self._file and (found.st_mtime_ns, found.st_size) == self._stamp
        return same and all(_identity(self._path + end) == known for end, known in self._companions.items())

    def check(self, connection: Connection) -> None:
        """Raises FileLost, and rescues what the open file holds, if it is not the one under its path any more."""
        assert isinstance(connection, SqliteConnection)
        if how := self._misplaced() or self._spoilt(connection):
            self.rescue(connection)
            raise FileLost(self._sentence(how))
        self._rescued, self._changes = "", -1

    def check_content(self, connection: Connection) -> None:
        """The same before anything is written: only where writing would spoil what somebody has put there."""
        assert isinstance(connection, SqliteConnection)
        if self._overwritten(connection):
            self.check(connection)

    def rescue(self, connection: SqliteConnection, *, at_once: bool = False) -> None:
        """Write what the open file holds to a fresh one beside it, or where temporary files go, if that can be done."""
        changes = connection.changes
        if changes == self._changes or (time.monotonic() < self._rescue_at and not at_once):
            return
        began = time.monotonic()
        folders = Path(self._path).absolute().parent, Path(tempfile.gettempdir())
        for folder in (Path(self._rescued).parent,) if self._rescued else folders:
            if copy := _copied(connection, folder / self._name_of_rescue(), self._rescued):  # told already: it stays
                self._rescued, self._changes = str(copy), changes
                break
        self._rescue_at = time.monotonic() + REST * (time.monotonic() - began)

    def finish(self, connection: Connection) -> None:
        """Before the connection is closed: whatever was written since goes to the rescued file, too."""
        if self._rescued:
            assert isinstance(connection, SqliteConnection)
            self.rescue(connection, at_once=True)

    def closed(self) -> None:
        """All connections are closed: whoever opens what lies at the path now shall not find our -wal beside it."""
        if not self._rescued:
            return
        for end, known in self._companions.items():
            if known is not None and _identity(self._path + end) == known:
                Path(self._path + end).unlink(missing_ok=True)

    def _misplaced(self) -> str:
        """What has become of the file, if it is not at its path; "" if it is."""
        found = _identity(self._path)
        if found is None:
            return "was deleted or moved"
        return "" if self._file in (None, found) else "was replaced by another file"

    def _spoilt(self, connection: SqliteConnection) -> str:
        """What has become of the content of the file at its path, or of what lies beside it; "" if all is well."""
        if self._overwritten(connection):
            return "was overwritten"
        for end, known in self._companions.items():
            if known is not None and _identity(self._path + end) != known:
                return f"has lost its companion {Path(self._path).name}{end}"
        return ""

    def _overwritten(self, connection: SqliteConnection) -> bool:
        """Whether the file's beginning is not what it was. It is read only when the file was written to."""
        try:
            found = Path(self._path).stat()
        except OSError:
            return False
        if self._file not in (None, (found.st_dev, found.st_ino)):
            return False  # another file: ours is whole
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
        """The file's beginning, if it may follow the last one that was seen.

        While another process writes, the first page may say of pages that are not there yet: that passes.
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
    """Whether it is a device or the like, of which there is nothing to watch."""
    return Path(path).exists() and not Path(path).is_file()


def _identity(path: str) -> Identity | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _name_it(connection: SqliteConnection) -> None:
    """Give the database a number of its own, unless it has one, so that another file in its place is noticed."""
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
    """None if it does not begin as a database does."""
    try:
        with closing(sqlite3.connect(f"file:{quote(str(Path(path).absolute()))}?immutable=1", uri=True)) as connection:
            name, schema, pages = (
                connection.execute(f"PRAGMA {each}").fetchone()[0]
                for each in ("user_version", "schema_version", "page_count")
            )
    except sqlite3.Error:
        return None
    return _Head(name, schema, pages)


def _copied(connection: SqliteConnection, to: Path, instead: str) -> Path | None:
    """The copy, `instead` of a former one, if it can be made and is whole."""
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
