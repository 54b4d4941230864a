"""The empty database that every world begins with: the product's tables, and triggers that keep what happens to them.

The triggers write down each claim, each end and each line of a journal, with the database's time and who wrote it. So
an invariant can look at every commit that there was, without any word of the product's code.
"""

import asyncio
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from pathlib import Path

from palio_db.store import Store

NOW = "((julianday('now') - 2440587.5) * 86400.0)"
WATCH = f"""
CREATE TABLE seen_matches (
    number INTEGER PRIMARY KEY, moment REAL, writer TEXT, id TEXT, old_status TEXT, status TEXT, old_epoch INT,
    epoch INT, old_worker TEXT, worker TEXT
);
CREATE TABLE seen_journal (number INTEGER PRIMARY KEY, id TEXT, kind TEXT, first INT, epoch INT, body BLOB);
CREATE TABLE seen_leases (id TEXT, epoch INT, moment REAL, PRIMARY KEY (id, epoch));
CREATE TABLE seen_faults (moment REAL, writer TEXT, id TEXT, what TEXT);
CREATE TRIGGER watch_status AFTER UPDATE ON matches WHEN OLD.status <> NEW.status OR OLD.epoch <> NEW.epoch BEGIN
    INSERT INTO seen_matches (moment, writer, id, old_status, status, old_epoch, epoch, old_worker, worker)
    VALUES ({NOW}, written_by(), NEW.id, OLD.status, NEW.status, OLD.epoch, NEW.epoch, OLD.worker, NEW.worker);
END;
CREATE TRIGGER watch_lease AFTER UPDATE ON matches
WHEN OLD.status = 'running' AND NEW.status = 'running' AND OLD.epoch = NEW.epoch AND written_by() IS NOT (
    SELECT writer FROM seen_matches WHERE id = NEW.id AND epoch = NEW.epoch AND status = 'running'
) BEGIN
    INSERT INTO seen_faults VALUES ({NOW}, written_by(), NEW.id, 'it keeps a lease of somebody else');
END;
CREATE TRIGGER watch_renewal AFTER UPDATE OF lease_until ON matches WHEN NEW.status = 'running' BEGIN
    INSERT OR REPLACE INTO seen_leases VALUES (NEW.id, NEW.epoch, {NOW});
END;
CREATE TRIGGER watch_record AFTER UPDATE ON matches
WHEN OLD.status IN ('finished', 'aborted') AND (NEW.status <> OLD.status OR NEW.record IS NOT OLD.record) BEGIN
    INSERT INTO seen_faults VALUES ({NOW}, written_by(), NEW.id, 'it changes a match that is over');
END;
CREATE TRIGGER watch_journal AFTER INSERT ON journal WHEN written_by() IS NOT (
    SELECT writer FROM seen_matches AS seen JOIN matches USING (id)
    WHERE id = NEW.match AND matches.epoch = seen.epoch AND matches.status = 'running' AND seen.status = 'running'
) BEGIN
    INSERT INTO seen_faults VALUES ({NOW}, written_by(), NEW.match, 'it writes into the journal of somebody else');
END;
CREATE TRIGGER watch_end_of_journal AFTER DELETE ON journal BEGIN
    INSERT INTO seen_journal (id, kind, first, epoch, body)
    VALUES (OLD.match, OLD.kind, OLD.number, OLD.epoch, OLD.body);
END;
"""


@cache
def template() -> bytes:
    """The file's bytes. Made by the product itself, on a real disk in real time: outside of every world."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "template.db"

        async def make() -> None:
            async with await Store.open(f"sqlite:///{file}"):
                pass

        asyncio.run(make())
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(WATCH)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return file.read_bytes()
