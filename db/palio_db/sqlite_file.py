"""A SQLite file as it is found: may it be written, can it be read, is it whole.

Whoever may only read a file in WAL mode needs its two companions (`-wal`, `-shm`), which only a writer makes. Where
they are not, and nobody can be writing, the file alone is read as it is; where there is a `-wal` without its index,
both are copied and read there.
"""

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from palio_db.address import Address
from palio_db.driver_errors import damaged, translate

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
